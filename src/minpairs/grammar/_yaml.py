"""YAML read as plain text values, with the line of every field; nothing is guessed or executed.

All scalars stay strings, so that ``no``, ``on`` or ``1e3`` in a linguist's file mean themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

from minpairs.errors import MinpairsError

Location: TypeAlias = tuple[str | int, ...]
Value: TypeAlias = "str | list[Value] | dict[str, Value]"

_MOST_ALIASES = 20  # aliases multiply: twenty nested ones stay below two thousand copies
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file: its values and the line on which each field stands."""

    path: Path
    value: Value
    lines: Mapping[Location, int]
    error: type[MinpairsError]

    def fault(self, location: Location, message: str) -> MinpairsError:
        """The error to raise for a field: file, line, field and message."""
        field = ".".join(str(part) for part in location)
        line = self.line(location)
        return self.error(f"{self.path}, line {line}{', ' + field if field else ''}: {message}")

    def line(self, location: Location) -> int:
        """The line of a field, or of the nearest field around it."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, 1)


def read_text(path: Path, error: type[MinpairsError]) -> str:
    """A UTF-8 file's text; a byte-order mark, NUL, carriage return or bad byte is an error.

    Raises:
        MinpairsError: of the given class, naming file and line.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise error(f"{path}: cannot be read ({fault.strerror})") from fault
    if data.startswith(b"\xef\xbb\xbf"):
        raise error(f"{path}, line 1: starts with a byte-order mark; save it as UTF-8 without BOM")
    for byte, name in ((b"\0", "a NUL character"), (b"\r", "a carriage return (use LF line ends)")):
        if byte in data:
            raise error(f"{path}, line {data[: data.index(byte)].count(10) + 1}: holds {name}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data[: fault.start].count(10) + 1
        raise error(f"{path}, line {line}: not UTF-8 ({fault.reason}); save it so") from fault


def read_yaml(path: Path, error: type[MinpairsError]) -> Document:
    """Reads a YAML file.

    Raises:
        MinpairsError: of the given class, for syntax, duplicate keys, tags and too many aliases.
    """
    text = read_text(path, error)
    try:
        _check_events(text, path, error)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.reader.ReaderError as fault:
        line = text[: fault.position].count("\n") + 1
        raise error(f"{path}, line {line}: holds an unprintable character") from fault
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or str(fault)
        raise error(f"{path}, line {mark.line + 1 if mark else 1}: not YAML: {problem}") from fault
    if root is None:
        raise error(f"{path}, line 1: is empty")
    reader = _Reader(path, error)
    return Document(path, reader.read(root, (), ()), reader.lines, error)


def _check_events(text: str, path: Path, error: type[MinpairsError]) -> None:
    """Refuses what could build something other than plain values, or very many of them."""
    aliases = depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise error(f"{path}, line {line}: the tag {tag!r} is not allowed; leave it out")
        if aliases > _MOST_ALIASES:
            raise error(f"{path}, line {line}: more than {_MOST_ALIASES} aliases (*name)")
        if depth > _DEEPEST:
            raise error(f"{path}, line {line}: nested more than {_DEEPEST} levels deep")


class _Reader:
    """Turns YAML nodes into plain values, noting the line of each."""

    def __init__(self, path: Path, error: type[MinpairsError]) -> None:
        self.path, self.error = path, error
        self.lines: dict[Location, int] = {}

    def read(self, node: yaml.Node, location: Location, above: tuple[int, ...]) -> Value:
        line = node.start_mark.line + 1
        self.lines.setdefault(location, line)
        if id(node) in above:
            raise self.error(f"{self.path}, line {line}: an alias refers to itself")
        above = (*above, id(node))
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(child, (*location, i), above) for i, child in enumerate(node.value)]
        values: dict[str, Value] = {}
        for key, child in node.value:
            at = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise self.error(f"{self.path}, line {at}: a key must be a plain word")
            name = str(key.value)
            if name in values:
                first = self.lines[(*location, name)]
                raise self.error(
                    f"{self.path}, line {at}: key {name!r} stands here and on line {first}"
                )
            self.lines[(*location, name)] = at
            values[name] = self.read(child, (*location, name), above)
        return values

"""One line that says how a number was made, printed under every table (as sacreBLEU does)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from minpairs._version import __version__
from minpairs.errors import MinpairsError

ORDER = (
    "model",
    "data",
    "design",
    "measure",
    "bos",
    "ties",
    "dtype",
    "minpairs",
    "transformers",
    "torch",
)
_KEY = re.compile(r"[^\s:|\\]+")
_ESCAPES = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escape[1]: plain for plain, escape in _ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class Signature:
    r"""Named facts about how a number was made: ``model:NAME@REV|data:sha256:...|measure:sum|...``.

    Known fields come first and in one order, others follow in the order given. A ``|`` or a
    backslash in a value (``<|endoftext|>``) is written ``\|`` or ``\\``.

    Attributes:
        fields: names and values.
    """

    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Signature:
        """Builds a signature from named values; those that are None are left out.

        Raises:
            MinpairsError: a name is empty or holds a space, ``:``, ``|`` or a backslash.
        """
        for name in fields:
            if not isinstance(name, str) or not _KEY.fullmatch(name):
                raise MinpairsError(f"signature: {name!r} cannot name a field")
        known = [name for name in ORDER if name in fields]
        names = known + [name for name in fields if name not in ORDER]
        return cls(tuple((name, str(fields[name])) for name in names if fields[name] is not None))

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Reads the line that ``str`` writes.

        Raises:
            MinpairsError: a part has no name, a name comes twice, or an escape is broken.
        """
        found: dict[str, str] = {}
        for part in _parts(line.strip("\r\n")):
            name, colon, value = part.partition(":")
            if not colon:
                raise MinpairsError(f"signature: {part!r} is not NAME:VALUE in {line!r}")
            if name in found:
                raise MinpairsError(f"signature: field {name!r} comes twice in {line!r}")
            found[name] = re.sub(r"\\(.?)", lambda match: _unescape(match, line), value)
        return cls.of(found)

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escape(value)}" for name, value in self.fields)

    def get(self, name: str) -> str | None:
        """The value of a field, or None."""
        return dict(self.fields).get(name)

    def with_fields(self, **fields: object) -> Signature:
        """A signature with these fields set; None removes one."""
        return Signature.of({**dict(self.fields), **fields})


def versions(*packages: str) -> dict[str, str]:
    """Versions of minpairs and of those of the packages that are installed, by name."""
    found = {"minpairs": __version__}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue  # an optional package that is absent had no part in the number
    return found


def _parts(line: str) -> list[str]:
    """The line cut at its bars, but not at escaped ones."""
    parts = [""]
    for token in re.findall(r"\\.|\||[^|\\]+|\\", line):
        if token == "|":
            parts.append("")
        else:
            parts[-1] += token
    return parts if line else []


def _escape(value: str) -> str:
    return re.sub(r"[\\|\n\r]", lambda match: _ESCAPES[match.group()], value)


def _unescape(match: re.Match[str], line: str) -> str:
    try:
        return _UNESCAPES[match.group(1)]
    except KeyError:
        raise MinpairsError(f"signature: unknown escape {match.group()!r} in {line!r}") from None

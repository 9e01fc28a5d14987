"""An annotator's file: one line a judgement, on disk before the next pair is shown.

The file only grows: an answer that is taken back is a line too. A line that a crash cut short was
never confirmed to anybody, and is dropped when the file is opened again.
"""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

from minpairs.errors import MinpairsError, ResultsError
from minpairs.parsing import parse_json

_NAME = re.compile(r"\w(?:[\w .-]{0,62}\w)?")
SUFFIX = ".jsonl"


class Choice(StrEnum):
    """Answers of a forced choice; ``skip`` is for a pair that is broken, not for a hard one."""

    left = "left"
    right = "right"
    skip = "skip"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer.

    Attributes:
        pair: the pair's id.
        left: the sentence that stood on the left.
        right: the sentence that stood on the right.
        choice: the answer.
        seconds: how long the pair had been in view.
        time: when the answer was given, ISO 8601 in UTC.
    """

    pair: str
    left: str
    right: str
    choice: Choice
    seconds: float
    time: str

    @property
    def chosen(self) -> str | None:
        """The sentence that was chosen; None where the pair was skipped."""
        return {Choice.left: self.left, Choice.right: self.right}.get(self.choice)


def annotator_path(folder: Path, name: str) -> Path:
    """The annotator's file in a study's folder.

    Raises:
        MinpairsError: the name could lead out of the folder, or be hidden in it.
    """
    name = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(name):
        raise MinpairsError(
            f"an annotator cannot be called {name!r}: use letters and digits of any script, and "
            "spaces, '.', '-' or '_' between them, 64 at most"
        )
    return folder / f"{name}{SUFFIX}"


class Journal:
    """An annotator's file, open for writing, and the judgements that stand in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        new = not path.exists()
        self._file = path.open("a+b", buffering=0)
        try:
            _lock(self._file.fileno(), path)
            self._cut_torn_line()
            if new:
                _sync_folder(path.parent)
            self.judgements = read_judgements(path)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, judgement: Judgement) -> None:
        """Writes a judgement; it is on disk when this returns."""
        self._append(asdict(judgement))
        self.judgements.append(judgement)

    def undo(self) -> Judgement | None:
        """Takes the last judgement back and returns it; None where there is none."""
        if not self.judgements:
            return None
        self._append({"undo": self.judgements[-1].pair})
        return self.judgements.pop()

    def close(self) -> None:
        """Closes the file and frees it for another process."""
        self._file.close()

    def _append(self, record: dict[str, object]) -> None:
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(f"{self.path}: the disk took {written} of {len(line)} bytes")
            os.fsync(self._file.fileno())
        except OSError:
            # Half a line, or one that nobody counts, would damage the file for the next answer.
            self._file.truncate(end)
            raise

    def _cut_torn_line(self) -> None:
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            self._file.truncate(content.rfind(b"\n") + 1)


def read_judgements(path: Path) -> list[Judgement]:
    """The judgements that stand in an annotator's file, in the order they were given.

    Raises:
        ResultsError: a line is damaged, a pair is judged twice, or an undo fits no judgement; names
            the line. A last line without its end is no judgement.
    """
    try:
        lines = path.read_bytes().decode().split("\n")[:-1]
    except (OSError, ValueError) as error:
        raise ResultsError(f"cannot read {path}: {error}") from error
    found: dict[str, Judgement] = {}
    for number, line in enumerate(lines, 1):
        try:
            record = parse_json(line, "it", ResultsError)
            if isinstance(record, dict) and "undo" in record:
                if next(reversed(found), None) != record["undo"]:
                    raise ValueError(f"it takes back {record['undo']!r}, not the last answer")
                found.popitem()
                continue
            judgement = Judgement(**{**record, "choice": Choice(record["choice"])})
            _check_types(judgement)
            if judgement.pair in found:
                raise ValueError(f"pair {judgement.pair!r} is judged twice")
        except (ValueError, TypeError, KeyError) as error:
            raise ResultsError(
                f"{path}, line {number} is damaged: {error}; correct or remove the line"
            ) from error
        found[judgement.pair] = judgement
    return list(found.values())


def _check_types(judgement: Judgement) -> None:
    for name in ("pair", "left", "right", "time"):
        if not isinstance(getattr(judgement, name), str):
            raise TypeError(f"{name!r} is no text")
    seconds = judgement.seconds
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise TypeError(f"'seconds' is {seconds!r}")


def _lock(descriptor: int, path: Path) -> None:
    """Holds the file until it is closed: two processes would mix up their answers."""
    try:
        import fcntl
    except ImportError:
        return  # not on this system; there, one page an annotator is the user's to see to
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ResultsError(
            f"{path} is open in another `minpairs annotate`; use that page, or stop it first"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Without this a new file's name may be lost in a power cut, and every answer with it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

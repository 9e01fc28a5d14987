"""One annotator at work: which pair comes next, what was answered, and how to take it back."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from minpairs.annotation.journal import Choice, Journal, Judgement, annotator_path
from minpairs.annotation.study import Study, Trial, keep_study, trials
from minpairs.errors import ResultsError

_COLUMNS = ("annotator", "pair", "left", "right", "choice", "chosen", "seconds", "time")


class Session:
    """The pairs of a study in one annotator's order, and the journal of the answers.

    Safe to call from several threads, as a page with several tabs does.

    Attributes:
        annotator: the annotator's name.
        trials: all pairs, in order.
    """

    def __init__(
        self,
        folder: Path,
        study: Study,
        annotator: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        path = annotator_path(folder, annotator)
        keep_study(folder, study)
        # The name as it is on disk: two spellings of one accent are one annotator.
        self.annotator = path.stem
        self.trials = trials(study, self.annotator)
        self._clock = clock
        self._lock = Lock()
        self._journal = Journal(path)
        self._next = len(self._journal.judgements)
        self._since = clock()
        try:
            _check_order(path, self.trials, self._journal.judgements)
        except ResultsError:
            self._journal.close()
            raise

    @property
    def current(self) -> Trial | None:
        """The pair that is to be judged, or None when all are."""
        return self.trials[self._next] if self._next < len(self.trials) else None

    @property
    def done(self) -> int:
        """How many pairs were answered or skipped."""
        return self._next

    @property
    def skipped(self) -> int:
        """How many pairs were skipped."""
        return sum(judgement.choice is Choice.skip for judgement in self._journal.judgements)

    def show(self) -> Trial | None:
        """The current pair, timed from now."""
        with self._lock:
            self._since = self._clock()
            return self.current

    def answer(self, pair: str, choice: Choice) -> bool:
        """Records an answer, on disk when this returns, and goes on to the next pair.

        Args:
            pair: the pair that the annotator saw.
            choice: the answer.

        Returns:
            False, with nothing recorded, where that pair is not the current one: a second press of
            a key, or another tab, must not answer for a pair that nobody has read.
        """
        with self._lock:
            trial = self.current
            if trial is None or trial.pair != pair:
                return False
            self._journal.add(
                Judgement(
                    pair=trial.pair,
                    left=trial.left,
                    right=trial.right,
                    choice=choice,
                    seconds=round(self._clock() - self._since, 2),
                    time=datetime.now(UTC).isoformat(timespec="seconds"),
                )
            )
            self._step(1)
            return True

    def undo(self) -> bool:
        """Takes the last answer back and returns to its pair; False where there is none."""
        with self._lock:
            if self._journal.undo() is None:
                return False
            self._step(-1)
            return True

    def export(self) -> str:
        """The judgements so far as CSV: what was shown and chosen, not whether it was right."""
        with self._lock:
            return judgements_csv({self.annotator: self._journal.judgements})

    def close(self) -> None:
        """Frees the annotator's file."""
        self._journal.close()

    def _step(self, by: int) -> None:
        self._next += by
        self._since = self._clock()


def judgements_csv(judgements: Mapping[str, Sequence[Judgement]]) -> str:
    """Judgements of annotators as CSV, one row a judgement."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for annotator, given in judgements.items():
        for one in given:
            values = {"annotator": annotator, "chosen": one.chosen or ""}
            writer.writerow(
                values[column] if column in values else getattr(one, column) for column in _COLUMNS
            )
    return buffer.getvalue()


def _check_order(path: Path, due: Sequence[Trial], given: Sequence[Judgement]) -> None:
    for position, judgement in enumerate(given):
        seen = Trial(judgement.pair, judgement.left, judgement.right)
        if position >= len(due) or seen != due[position]:
            raise ResultsError(
                f"{path}: judgement {position + 1} is of {seen.pair!r}, which is not what this "
                "study shows there; the file was written for another study or seed"
            )

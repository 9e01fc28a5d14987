"""What users write for suites: a benchmark, some of its configurations, or a file of pairs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from minpairs.benchmarks.suites import Suite, load_pairs, load_suites, parse_spec


def load_specs(
    specs: Iterable[str | Path],
    *,
    acceptable: str = "sentence_good",
    unacceptable: str = "sentence_bad",
    group: str | None = None,
) -> list[Suite]:
    """The suites that a command line or a call names.

    Args:
        specs: ``climp``, ``org/climp``, ``climp:classifier,ba_construction``, or files of pairs
            (CSV, TSV, JSON Lines, Parquet).
        acceptable: of files of pairs, the column of the acceptable sentence.
        unacceptable: likewise of the unacceptable one.
        group: likewise the column that names the paradigm, if there is one.

    Raises:
        SuiteError: one of them cannot be loaded.
    """
    loaded: list[Suite] = []
    for spec in specs:
        path = Path(spec)
        if path.is_file():
            loaded += load_pairs(
                path, acceptable=acceptable, unacceptable=unacceptable, group=group
            )
        else:
            loaded += load_suites(*parse_spec(str(spec)))
    return loaded

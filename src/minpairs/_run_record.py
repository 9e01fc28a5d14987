"""``run.json`` of a results folder: its fields, checked, and the suites that it names."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from minpairs.benchmarks.designs import Layout
from minpairs.benchmarks.schema import Design, Inequality
from minpairs.benchmarks.suites import Suite, from_table
from minpairs.errors import MinpairsError, ResultsError
from minpairs.parsing import first_fault, read_json, read_parquet


def _inside(file: str) -> str:
    path = PurePosixPath(file)
    if path.is_absolute() or ".." in path.parts or "\0" in file or "\\" in file:
        raise ValueError("leads out of the folder")
    return file


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class DesignRecord(_Strict):
    """A suite's design."""

    name: str
    chance: float = Field(gt=0, lt=1)
    cells: dict[str, Annotated[list[str | None], Field(min_length=2, max_length=2)]] = Field(
        min_length=1
    )
    predictions: dict[str, str] = Field(min_length=1)


class SuiteRecord(_Strict):
    """A suite that was scored, and the file of its items."""

    name: str
    benchmark: str
    config: str
    data_hash: str
    file: Annotated[str, AfterValidator(_inside)]
    design: DesignRecord


class RunRecord(_Strict):
    """What reading a run needs of ``run.json``; it holds more, for people."""

    model: str
    settings: dict[str, str]
    versions: dict[str, str]
    suites: list[SuiteRecord]


def read_record(path: Path) -> RunRecord:
    """Reads ``run.json``.

    Raises:
        ResultsError: it is damaged; names the field.
    """
    try:
        return RunRecord.model_validate(read_json(path, ResultsError))
    except ValidationError as error:
        raise ResultsError(f"{path} is damaged: {first_fault(error)}") from error


def read_suite(folder: Path, entry: SuiteRecord) -> Suite:
    """The items of a suite, as they were scored.

    Raises:
        ResultsError: its file is damaged, or holds other items.
    """
    path = folder / entry.file
    try:
        table = read_parquet(path, str(path), ResultsError)
        design = Design(
            entry.design.name,
            tuple(entry.design.cells),
            tuple(Inequality.parse(*named) for named in entry.design.predictions.items()),
            entry.design.chance,
        )
        columns = {
            cell: (context, str(continuation))
            for cell, (context, continuation) in entry.design.cells.items()
        }
        suite = from_table(entry.benchmark, entry.config, table, Layout(design, columns))
    except MinpairsError as error:
        raise ResultsError(f"{folder}: {entry.file}: {error}; score the suite again") from error
    if suite.data_hash != entry.data_hash:
        raise ResultsError(
            f"{path} holds other items than were scored (sha256 {suite.data_hash}, not "
            f"{entry.data_hash}); score the suite again"
        )
    return suite

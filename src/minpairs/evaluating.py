"""``minpairs.evaluate``: a model on suites in one call, with a result that shows its own tables."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minpairs.benchmarks.specs import load_specs
from minpairs.benchmarks.suites import Suite
from minpairs.errors import MeasureError, ModelError, SuiteError
from minpairs.evaluation import Evaluation
from minpairs.judgements import judge
from minpairs.precision import SAMPLE
from minpairs.progress import progress as progress_bars
from minpairs.progress import without_datasets_bars
from minpairs.report import Table, results_table, to_markdown, to_rich
from minpairs.report.notebook import to_html
from minpairs.results import read_runs

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from minpairs.scoring import Scorer


@dataclass(frozen=True, repr=False)
class Result:
    """What one model did on one or several benchmarks.

    A terminal and a notebook show its tables.

    Attributes:
        model: what the user calls the model.
        folder: where its scores are kept.
        evaluations: accuracies, intervals and ties, by benchmark.
        notes: what half precision did to the verdicts, if it was used.
    """

    model: str
    folder: Path
    evaluations: Mapping[str, Evaluation]
    notes: tuple[str, ...] = ()

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the only benchmark.

        Raises:
            MeasureError: there are several.
        """
        if len(self.evaluations) > 1:
            raise MeasureError(
                f"several benchmarks were scored: choose one, as in result.evaluations["
                f"{next(iter(self.evaluations))!r}] (there are {', '.join(self.evaluations)})"
            )
        return next(iter(self.evaluations.values()))

    @property
    def accuracy(self) -> float:
        """Overall accuracy of the only benchmark, in [0, 1]: the mean over paradigms or suites.

        Raises:
            MeasureError: there are several benchmarks.
        """
        return self.evaluation.macro.accuracy

    @property
    def tables(self) -> tuple[Table, ...]:
        """One table a benchmark."""
        tables = []
        for benchmark, evaluation in self.evaluations.items():
            unit = "paradigm" if evaluation.design == "minimal_pair" else "suite"
            table = results_table(evaluation, caption=f"{benchmark}: {self.model}", unit=unit)
            tables.append(replace(table, footnotes=(*table.footnotes, *self.notes)))
        return tuple(tables)

    def to_pandas(self) -> pd.DataFrame:
        """One row a paradigm or suite, phenomenon, macro and micro mean: the column ``level``.

        Shares are in [0, 1]; the columns are those of ``report.csv``.
        """
        import pandas as pd

        from minpairs.report.frame import accuracy_rows

        named = {name: {self.model: found} for name, found in self.evaluations.items()}
        return pd.DataFrame(accuracy_rows(named))

    def to_markdown(self) -> str:
        """The tables in GitHub's Markdown."""
        return "\n".join(map(to_markdown, self.tables))

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        return Group(*map(to_rich, self.tables))

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100, no_color=True, legacy_windows=False)
        console.print(self)
        file = console.file
        assert isinstance(file, io.StringIO)
        return file.getvalue().rstrip("\n")

    __repr__ = __str__  # so that an interactive session shows the table too

    def _repr_html_(self) -> str:
        return "".join(map(to_html, self.tables))


def evaluate(
    model: Any,
    suites: str | Path | Suite | Sequence[str | Path | Suite],
    *,
    limit: int | None = None,
    seed: int = 0,
    measure: str = "sum",
    ties: str = "strict",
    interval: str = "wilson",
    out: str | Path = "results",
    dtype: str | None = None,
    keep_tokens: bool = False,
    acceptable: str = "sentence_good",
    unacceptable: str = "sentence_bad",
    group: str | None = None,
    progress: bool = True,
    **loading: Any,
) -> Result:
    """Scores a model on suites and judges it: ``minpairs score`` as one call.

    Scores are kept in a folder of their own under ``out`` as they are found. The same call again,
    or the same command, goes on with a call that was stopped and scores nothing twice; another
    measure needs no new scores.

    Args:
        model: a Hub name, a local folder, a KenLM file, a transformers model object (with
            ``tokenizer=``), or a scorer that ``load_scorer`` gave.
        suites: one or several of: a benchmark (``climp``, ``org/climp``), some of its
            configurations (``let_alone:npi,scalar``), a file of pairs, a loaded suite.
        limit: score a random sample of so many items of each suite.
        seed: of that sample.
        measure: a key of ``measures.MEASURES``: ``sum``, ``mean``, ``slor`` …
        ties: ``strict`` (a tie is not right), ``half`` or ``paper``.
        interval: ``wilson`` or ``as_released``.
        out: folder for results.
        dtype: ``float32``, ``bfloat16``, ``float16`` or ``adaptive``; by default ``float32``, and
            a model object's or a scorer's own.
        keep_tokens: keep each token's log-probability too.
        acceptable: of files of pairs, the column of the acceptable sentence.
        unacceptable: likewise of the unacceptable one.
        group: likewise the column that names the paradigm.
        progress: show progress on standard error.
        **loading: more for ``load_scorer``: ``tokenizer``, ``kind``, ``device``, ``bos``, ``eos``,
            ``pll``, ``segmentation``, ``unigrams``, ``revision`` …

    Returns:
        The result, which prints its tables.

    Raises:
        ModelError: the model cannot be loaded, or not with these options.
        SuiteError: a suite cannot be loaded.
        TextError: a text cannot be scored.
        MeasureError: the measure needs what was not recorded.
    """
    from minpairs.running import score_suites
    from minpairs.scoring import Scorer, load_scorer

    if isinstance(model, str) and model.startswith("chat:"):
        raise ModelError(f"{model}: a chat model is asked with the command `minpairs chat`")
    ready = isinstance(model, Scorer)
    if ready and (loading or dtype):
        given = ", ".join([*loading, *(["dtype"] if dtype else [])])
        raise ModelError(f"a scorer is loaded already: give {given} to load_scorer")

    def load(precision: str) -> Scorer:
        return model if ready else load_scorer(model, dtype=precision, **loading)

    chosen = [
        suite.sample(limit, seed)
        for suite in _suites(suites, acceptable=acceptable, unacceptable=unacceptable, group=group)
    ]
    name = _name(model)
    with progress_bars(shown=progress) as bar:
        folder = score_suites(
            load,
            chosen,
            Path(out),
            model=name,
            dtype=dtype or _own_dtype(model),
            measure=measure,
            precision_sample=0 if ready else SAMPLE,  # a scorer cannot be had in float32 too
            seed=seed,
            keep_tokens=keep_tokens,
            options={"limit": limit, "seed": seed},
            progress=bar,
        )
    (run,) = read_runs(folder)
    # The folder may hold suites of earlier calls, or this one as a later call of others sampled it.
    run = replace(run, suites=tuple(chosen))
    evaluations = judge(run, measure_name=measure, ties=ties, interval=interval)
    return Result(name, folder, evaluations, tuple(map(str, run.precision)))


def _suites(
    given: str | Path | Suite | Sequence[str | Path | Suite], **columns: Any
) -> list[Suite]:
    listed = [given] if isinstance(given, str | Path | Suite) else given
    loaded: list[Suite] = []
    with without_datasets_bars():
        for one in listed:
            loaded += [one] if isinstance(one, Suite) else load_specs([one], **columns)
    if not loaded:
        raise SuiteError("no suite was named: give a benchmark, as in evaluate(model, 'climp')")
    return loaded


def _own_dtype(model: Any) -> str:
    if isinstance(model, str | Path):
        return "float32"
    return str(model.dtype).removeprefix("torch.")


def _name(model: Any) -> str:
    from minpairs.scoring import Scorer

    if isinstance(model, str | Path):
        return str(model)
    if isinstance(model, Scorer):
        return model.name
    return str(getattr(model.config, "_name_or_path", "") or type(model).__name__)

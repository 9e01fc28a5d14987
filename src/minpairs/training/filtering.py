"""Filtering a corpus: parts in several processes, resumable, into a dataset folder."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from minpairs._version import __version__
from minpairs.errors import ResultsError
from minpairs.files import write_durably
from minpairs.training._parallel import Progress, each
from minpairs.training._part import (
    WHOLE,
    BySource,
    Job,
    PartCount,
    ScenarioCount,
    Tally,
    candidates,
    filter_part,
    find,
)
from minpairs.training.corpus import Corpus, Part, open_corpus
from minpairs.training.errors import FilterError
from minpairs.training.filter_report import FilterReport, read_report, write_card
from minpairs.training.filters import Variant, load_filters
from minpairs.training.unigram_counts import (
    WORDS,
    TokenCounter,
    count_corpus,
    parquet_bytes,
    token_counter,
    unigram_table,
)

__all__ = ["count_folder", "filter_corpus"]

_COUNT = TypeAdapter(PartCount)


@dataclass(frozen=True, slots=True)
class _Survey:
    """What must be known of all parts before a control with a chance can be written."""

    targets: dict[str, int]
    candidates: dict[str, int]


_SURVEY = TypeAdapter(_Survey)


def filter_corpus(
    corpus: Corpus,
    out: Path,
    scenarios: Sequence[str] = (),
    *,
    variant: Variant | None = None,
    seed: int = 0,
    processes: int = 1,
    tokens: str | None = WORDS,
    progress: Progress | None = None,
) -> FilterReport:
    """Writes a corpus without the sentences that scenarios take out, one config a scenario.

    ``out`` becomes a dataset folder: ``load_dataset(out, "corpus.<scenario>", split="train")`` has
    the columns ``text`` and ``source``; ``unigrams.<scenario>`` has ``token`` and ``count``. What
    was taken out stands in ``report.json`` and on the card. A run that was stopped goes on when it
    is called again, and ends as if it had not been: with the same files, to the byte.

    Args:
        corpus: what to filter.
        out: the folder; a folder of another run is refused.
        scenarios: names of scenarios; default all of the variant.
        variant: rules and scenarios; default those of ``described``.
        seed: of random controls.
        processes: how many parts are worked on at a time.
        tokens: whose tokens are counted (see ``token_counter``); None for no counts.
        progress: told how many parts are done, and how many there are.

    Raises:
        FilterError: no such scenario; or sentences that should be gone are not.
        ResultsError: ``out`` is of another run, or of none.
        CorpusError: the corpus cannot be read.
    """
    variant = variant or load_filters()
    names = tuple(dict.fromkeys(scenarios or variant.scenarios))
    for name in names:
        variant.scenario(name)
    job = Job(corpus, variant, load_filters(), names, seed, Path(out), tokens)
    settings = _settings(job)
    work = job.out / ".work"
    if _is_done(job.out, work, settings):
        shutil.rmtree(work, ignore_errors=True)  # a run that was killed while it cleaned up
        return read_report(job.out)
    write_durably(work / "plan.json", _json(settings))
    quotas = _quotas(job, work, processes)
    each(partial(_run_part, job, quotas), corpus.parts, processes, progress)
    report = _finish(job, work, settings)
    (work / "plan.json").unlink()  # first: without it, a kill from here on leaves a finished run
    shutil.rmtree(work)
    return report


def count_folder(folder: Path, counter: TokenCounter) -> FilterReport:
    """Counts the tokens of every ``corpus.*`` config of a filtered folder anew.

    Its ``unigrams.*`` configs are written over, and its card and report say whose tokens they are.

    Raises:
        ResultsError: the folder is not one that ``filter_corpus`` wrote.
    """
    report = read_report(folder)
    for name in report.scenarios:
        corpus = open_corpus(f"{folder}:corpus.{name}")
        report.unigrams[name] = write_unigram_config(folder, name, count_corpus(corpus, counter))
    report.settings["tokens"] = counter.name
    write_durably(folder / "report.json", report.to_json())
    write_card(folder, report)
    return report


def _settings(job: Job) -> dict[str, Any]:
    corpus = job.corpus
    return {
        "corpus": dict(corpus.identity),
        "column": corpus.column,
        "unit": corpus.unit or "auto",
        "language": corpus.language,
        "parts": len(corpus.parts),
        "variant": job.variant.name,
        "rules": {
            name: {key: value for key, value in asdict(rule).items() if value}
            for name, rule in job.variant.needed(job.scenarios).items()
        },
        "scenarios": {name: asdict(job.variant.scenario(name)) for name in job.scenarios},
        "seed": job.seed,
        "tokens": job.tokens or "none",
        "minpairs": __version__,
    }


def _is_done(out: Path, work: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the folder holds the finished run; refuses a folder that is another's."""
    plain = json.loads(_json(settings))
    if (work / "plan.json").is_file():
        before = json.loads((work / "plan.json").read_text(encoding="utf-8"))
        done = False
    elif (out / "report.json").is_file():
        before = read_report(out).settings
        done = True
    elif out.is_dir() and any(path.name != ".work" for path in out.iterdir()):
        raise ResultsError(f"{out} is not empty and no corpus of ours; choose another folder")
    else:
        return False
    different = [key for key in plain if before.get(key) != plain[key]]
    if different:
        raise ResultsError(
            f"{out} holds a corpus filtered with other settings ({', '.join(different)}); "
            "choose another folder, or remove it"
        )
    return done


def _quotas(job: Job, work: Path, processes: int) -> dict[int, dict[str, int]]:
    """For each part, how many sentences each control with a chance may take out of it."""
    controls = [name for name in job.scenarios if job.variant.scenario(name).chance is not None]
    if not controls:
        return {part.number: {} for part in job.corpus.parts}
    each(partial(_survey_part, job), job.corpus.parts, processes, None)
    surveys = [
        _SURVEY.validate_json(_survey_path(work, part).read_bytes()) for part in job.corpus.parts
    ]
    left = {name: sum(survey.targets[name] for survey in surveys) for name in controls}
    quotas: dict[int, dict[str, int]] = {}
    for part, survey in zip(job.corpus.parts, surveys, strict=True):
        quotas[part.number] = dict(left)
        left = {name: max(0, left[name] - survey.candidates[name]) for name in controls}
    return quotas


def _survey_part(job: Job, part: Part) -> None:
    path = _survey_path(job.out / ".work", part)
    if path.is_file():
        return
    found = find(job.corpus.read(part), job.variant.needed(job.scenarios))
    survey = _Survey({}, {})
    for name in job.scenarios:
        scenario = job.variant.scenario(name)
        if scenario.chance is not None and scenario.control_of is not None:
            n = len(found.sentences.texts)
            survey.targets[name] = int(found.removed(job.variant, scenario.control_of).sum())
            chosen = candidates(job.variant, name, job.seed, part.number, n)
            survey.candidates[name] = len(chosen)
    write_durably(path, _SURVEY.dump_json(survey))


def _run_part(job: Job, quotas: Mapping[int, Mapping[str, int]], part: Part) -> None:
    work = job.out / ".work"
    kept = [_count_path(work, part), *([] if job.tokens is None else [_tokens_path(work, part)])]
    if all(path.is_file() for path in kept):
        return
    counter = None if job.tokens is None else _counter(job.tokens)
    count, tokens = filter_part(job, part, quotas[part.number], counter)
    if tokens is not None:
        write_durably(_tokens_path(work, part), parquet_bytes(tokens, dictionary=["scenario"]))
    write_durably(_count_path(work, part), _COUNT.dump_json(count))  # last: it says "done"


@lru_cache
def _counter(tokens: str) -> TokenCounter:
    return token_counter(tokens)  # once a process, not once a part


def _survey_path(work: Path, part: Part) -> Path:
    return work / f"survey-{part.number:05d}.json"


def _count_path(work: Path, part: Part) -> Path:
    return work / f"part-{part.number:05d}.json"


def _tokens_path(work: Path, part: Part) -> Path:
    return work / f"tokens-{part.number:05d}.parquet"


def _finish(job: Job, work: Path, settings: Mapping[str, Any]) -> FilterReport:
    counts = [_COUNT.validate_json(_count_path(work, p).read_bytes()) for p in job.corpus.parts]
    report = FilterReport(settings=json.loads(_json(settings)), whole={}, rules={}, scenarios={})
    for count in counts:
        _add(report.whole, count.whole)
        for rule, found in count.rules.items():
            _add(report.rules.setdefault(rule, {}), found)
    for name in job.scenarios:
        report.scenarios[name] = _joined([count.scenarios[name] for count in counts])
        if not report.scenarios[name].rows:
            raise FilterError(f"{job.out}: the scenario {name!r} takes out every sentence")
    if job.tokens is not None:
        for name, tokens in _token_counts(job, work):
            report.unigrams[name] = write_unigram_config(job.out, name, tokens)
    write_durably(job.out / "report.json", report.to_json())
    write_card(job.out, report)
    _sweep(job.out, (work / "plan.json").stat().st_mtime_ns)
    return report


def _joined(counts: Iterable[ScenarioCount]) -> ScenarioCount:
    joined = ScenarioCount()
    digest = hashlib.sha256()
    for count in counts:
        _add(joined.removed, count.removed)
        joined.rows += count.rows
        joined.size += count.size
        digest.update(count.sha256.encode())
        for mine, theirs in (
            (joined.remaining, count.remaining),
            (joined.described, count.described),
        ):
            for rule, n in theirs.items():
                mine[rule] = mine.get(rule, 0) + n
    joined.sha256 = digest.hexdigest()
    return joined


def _token_counts(job: Job, work: Path) -> Iterator[tuple[str, Counter[str]]]:
    """Each scenario's counts: those of the whole less those of what it took out."""
    totals = {name: Counter[str]() for name in (WHOLE, *job.scenarios)}
    for part in job.corpus.parts:
        table = pq.read_table(_tokens_path(work, part))
        columns = (table[name].to_pylist() for name in ("scenario", "token", "count"))
        for scenario, token, count in zip(*columns, strict=True):
            totals[scenario][token] += count
    for name in job.scenarios:
        kept = totals[WHOLE].copy()
        kept.subtract(totals[name])
        yield name, kept


def write_unigram_config(out: Path, scenario: str, counts: Mapping[str, int]) -> ScenarioCount:
    """Writes the config ``unigrams.<scenario>`` of a filtered folder; its card is not touched."""
    table: pa.Table = unigram_table(counts)
    data = parquet_bytes(table)
    path = out / "data" / f"unigrams.{scenario}" / "train-00000-of-00001.parquet"
    write_durably(path, data)
    return ScenarioCount(
        rows=table.num_rows, size=table.nbytes, sha256=hashlib.sha256(data).hexdigest()
    )


def _add(mine: BySource, theirs: BySource) -> None:
    for source, tally in theirs.items():
        mine.setdefault(source, Tally()).add(tally)


def _sweep(out: Path, begun: int) -> None:
    """Removes what a killed run had begun to write: what is older than the plan of this one."""
    for path in (*out.glob(".*.tmp"), *(out / "data").rglob(".*.tmp")):
        with suppress(FileNotFoundError):  # another process's, which has its name by now
            if path.stat().st_mtime_ns < begun:
                path.unlink()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"

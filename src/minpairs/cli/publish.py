"""``minpairs publish``: benchmarks, the metric and results to the Hub."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from minpairs.cli._shared import console
from minpairs.errors import HubError

if TYPE_CHECKING:
    from minpairs.hub.publishing import Plan


class What(StrEnum):
    """What is published."""

    climp = "climp"
    let_alone = "let-alone"
    metric = "metric"
    results = "results"


SOURCES = {
    What.climp: Path("climp"),
    What.let_alone: Path("let_alone"),
    What.metric: Path("metrics/minimal_pairs"),
    What.results: Path("results"),
}


def publish(
    what: Annotated[What, typer.Argument(help="What is published.")],
    source: Annotated[
        Path | None,
        typer.Argument(help="Its folder: climp, let_alone, metrics/minimal_pairs, or of a run."),
    ] = None,
    repo: Annotated[
        str,
        typer.Option(
            help="Where: a dataset, the metric's Space (…/minimal_pairs), or, for results, the "
            "model's own repository.",
            metavar="ORG/NAME",
        ),
    ] = "",
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="results: the benchmark on the Hub, as ORG/climp; or climp=ORG/NAME, where its "
            "folder here has another name.",
            metavar="ORG/NAME",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(help="results: sum, mean or slor; may come several times.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List every file and its size, and send nothing.")
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="A repository that is made now is private.")
    ] = False,
    revision: Annotated[
        str | None, typer.Option(help="Branch; made where there is none.", metavar="BRANCH")
    ] = None,
) -> None:
    """Sends a benchmark, the metric, or a model's results to the Hub, in one commit.

    Only files that belong there are sent, and data only if they are what their card says. Who you
    are is known from `hf auth login` or HF_TOKEN. Results need --dataset.
    """
    from minpairs.hub.publishing import check_repo, plan_dataset, plan_metric, push

    check_repo(repo)
    if what is not What.results and (dataset or measure):
        raise HubError("--dataset and --measure are of results")
    folder = source or SOURCES[what]
    with console.status(f"checking {folder}"):
        if what is What.metric:
            plan = plan_metric(folder, repo)
        elif what is What.results:
            plan = _plan_results(folder, repo, dataset or [], measure or ["sum"])
        else:
            plan = plan_dataset(folder, repo)
    for path, content in plan.files.items():
        print(f"{len(content):>12,}  {path}")
    print(f"{plan.size:>12,}  {len(plan.files)} files, {plan.kind} {repo}")
    for path in plan.left:
        console.print(f"not sent: {path}", markup=False, highlight=False, soft_wrap=True)
    if not dry_run:
        from huggingface_hub import HfApi

        print(push(plan, HfApi(), private=private, revision=revision))


def _plan_results(folder: Path, repo: str, datasets: list[str], measures: list[str]) -> Plan:
    from minpairs.hub.eval_results import Board, result_entries
    from minpairs.hub.publishing import check_repo, plan_results
    from minpairs.results import read_runs

    if not datasets:
        raise HubError("results need --dataset ORG/climp or ORG/let_alone: whose tasks they are of")
    boards = {}
    for dataset in datasets:
        name, _, address = dataset.rpartition("=")
        check_repo(address, "--dataset")
        name = name or address.rpartition("/")[2]
        boards[Path(name).name] = Board(address, Path(name))
    runs = read_runs(folder)
    if len(runs) > 1:
        names = ", ".join(run.folder.name for run in runs)
        raise HubError(f"{folder} holds several runs; choose one: {names}")
    return plan_results(result_entries(runs[0], boards, measures), repo)

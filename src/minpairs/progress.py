"""Progress bars on standard error, for commands and for calls from Python alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

console = Console(stderr=True)  # what is going on; answers go to standard output


@contextmanager
def progress(*, shown: bool = True) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Progress bars: from a bar's name to a function of what is done and of what there is in all.

    A bar's name that comes again starts that bar anew.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not shown) as bars:
        tasks: dict[str, TaskID] = {}

        def start(name: str) -> Callable[[int, int], None]:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=None)
            task = tasks[name]
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start


@contextmanager
def without_datasets_bars() -> Iterator[None]:
    """Keeps datasets from showing its bars for every configuration that is loaded."""
    import datasets

    shown = not datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            datasets.enable_progress_bars()

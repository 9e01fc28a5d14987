"""Progress bars on standard error, for commands and for calls from Python alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

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

# Texts come in bursts (they are tokenized many at a time), so that the time left is told by the
# speed of some minutes. rich keeps a thousand steps: more often than this they would not suffice.
_PERIOD, _EVERY = 300.0, 0.3  # seconds


def bars(**options: Any) -> Progress:
    """Bars with counts and the time left; ``options`` are those of rich."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, speed_estimate_period=_PERIOD, **options)


def advance(shown: Progress, task: TaskID) -> Callable[[int, int], None]:
    """A function that moves a bar to what is done, of what there is in all."""
    last: float | None = None

    def told(done: int, total: int) -> None:
        nonlocal last
        now = shown.get_time()
        if last is None or done >= total or now - last >= _EVERY:
            last = now
            shown.update(task, completed=done, total=total)

    return told


@contextmanager
def progress(*, shown: bool = True) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Progress bars: from a bar's name to a function of what is done and of what there is in all.

    A bar's name that comes again starts that bar anew.
    """
    with bars(console=console, disable=not shown) as running:
        tasks: dict[str, TaskID] = {}

        def start(name: str) -> Callable[[int, int], None]:
            if name not in tasks:
                tasks[name] = running.add_task(name, total=None)
            return advance(running, tasks[name])

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

"""The same work on many things, in several processes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing.connection import wait as wait_for
from typing import TypeVar

Progress = Callable[[int, int], None]
T = TypeVar("T")


def each(
    work: Callable[[T], None],
    things: Sequence[T],
    processes: int,
    progress: Progress | None,
    start: Callable[[], None] | None = None,
) -> None:
    """Does the work on each thing; in any order where there are several processes.

    Args:
        work: what to do; must be picklable for several processes.
        things: on what.
        processes: how many at a time; 1 works in this process.
        progress: told how many are done, and how many there are.
        start: what each of several processes does first; must be picklable.
    """
    tell = progress or (lambda _done, _total: None)
    tell(0, len(things))
    if processes <= 1 or len(things) == 1:
        for done, thing in enumerate(things, start=1):
            work(thing)
            tell(done, len(things))
        return
    context = multiprocessing.get_context("spawn")  # threads of pyarrow do not survive a fork
    with ProcessPoolExecutor(processes, context, _begin, (start,)) as pool:
        waiting: set[Future[None]] = set()
        done = 0
        try:
            for thing in things:
                waiting.add(pool.submit(work, thing))
                if len(waiting) > 2 * processes:
                    done += _collect(waiting)
                    tell(done, len(things))
            while waiting:
                done += _collect(waiting)
                tell(done, len(things))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _collect(waiting: set[Future[None]]) -> int:
    finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in finished:
        waiting.remove(future)
        future.result()
    return len(finished)


def _begin(start: Callable[[], None] | None) -> None:
    _end_with_parent()
    if start is not None:
        start()


def _end_with_parent() -> None:
    """Ends a worker whose parent was killed; else it would wait for ever."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # each worker has one core
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()


def _die_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)

"""Carrying out a study: cells in several processes, one GPU each; what is done is not redone."""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from minpairs.errors import MinpairsError
from minpairs.files import write_durably
from minpairs.studies.cell import Bars, Done, Work, read_done, record_path, run_cell
from minpairs.studies.errors import StudyError
from minpairs.studies.plan import Cell
from minpairs.training._parallel import Progress, each


def run_cells(
    work: Work, processes: int = 1, *, bars: Bars | None = None, progress: Progress | None = None
) -> dict[str, Done]:
    """Does the cells that are not done yet.

    A cell that fails does not stop the others. The same command may run on several machines that
    share the folder: none takes up a cell that another is at.

    Args:
        work: the study.
        processes: cells at a time; each process takes one of the GPUs that are visible.
        bars: progress bars of a cell, for a single process.
        progress: told how many cells are done, and how many there are.

    Returns:
        What came of each cell, by its name.

    Raises:
        StudyError: some cells failed, or are still another process's.
    """
    left = [cell for cell in work.plan.cells if read_done(work, cell) is None]
    if processes == 1 or len(left) == 1:
        each(partial(_try_cell, work, bars=bars), left, 1, progress)
    else:
        turns: Any = multiprocessing.get_context("spawn").Queue()
        for turn in range(processes):
            turns.put(turn)
        start = partial(take_device, turns, visible_gpus(), processes)
        each(partial(_try_cell, work), left, processes, progress, start)
    done = {cell.name: read_done(work, cell) for cell in work.plan.cells}
    missing = [cell for cell in work.plan.cells if done[cell.name] is None]
    if missing:
        raise StudyError("\n".join(_why(work, cell) for cell in missing))
    return {name: one for name, one in done.items() if one is not None}


def visible_gpus() -> list[str]:
    """The GPUs this process may use, as ``CUDA_VISIBLE_DEVICES`` names them."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is not None:
        return [name for name in named.split(",") if name]
    import torch

    return [str(number) for number in range(torch.cuda.device_count())]


def gpu_processes() -> int:
    """A process for each GPU; one where there is none."""
    return max(1, len(visible_gpus()))


def take_device(turns: Any, gpus: Sequence[str], processes: int) -> None:
    """Makes a new process see one GPU only, or its share of the cores."""
    turn = turns.get()
    if gpus:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpus[turn % len(gpus)]
    threads = max(1, (os.cpu_count() or 1) // processes)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)


def _try_cell(work: Work, cell: Cell, bars: Bars | None = None) -> None:
    fault = _fault_path(work, cell)
    fault.parent.mkdir(parents=True, exist_ok=True)
    with suppress(Timeout), FileLock(record_path(work.out, cell).with_suffix(".lock"), timeout=0):
        fault.unlink(missing_ok=True)
        if read_done(work, cell) is not None:
            return
        try:
            run_cell(work, cell, bars)
        except MinpairsError as error:
            write_durably(fault, f"{error}\n".encode())
        except Exception as error:  # out of memory, say; the other cells may still be done
            said = f"{type(error).__name__}: {error} (see {fault})\n\n{traceback.format_exc()}"
            write_durably(fault, said.encode())


def _fault_path(work: Work, cell: Cell) -> Path:
    return record_path(work.out, cell).with_suffix(".error")


def _why(work: Work, cell: Cell) -> str:
    fault = _fault_path(work, cell)
    if fault.is_file():
        return f"{cell.name}: {fault.read_text(encoding='utf-8').splitlines()[0]}"
    return f"{cell.name}: another process is at it; give the same command again when it is done"

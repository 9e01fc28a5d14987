"""Sharing work among processes: `accelerate launch` on GPUs and nodes, `torchrun` on CPUs."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minpairs.errors import MinpairsError, ModelError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes of this run.

    Attributes:
        rank: which one this is, from 0.
        size: how many there are.
    """

    rank: int = 0
    size: int = 1

    @property
    def main(self) -> bool:
        """Whether this one writes reports."""
        return self.rank == 0

    def share(self, costs: Sequence[float]) -> list[int]:
        """Which of some tasks are this process's: the costliest first, each to the least laden.

        Every process comes to the same division without asking the others.
        """
        loads = [0.0] * self.size
        mine = []
        for task in sorted(range(len(costs)), key=lambda task: (-costs[task], task)):
            least = min(range(self.size), key=lambda rank: (loads[rank], rank))
            loads[least] += costs[task]
            if least == self.rank:
                mine.append(task)
        return sorted(mine)

    def gather(self, value: Any) -> list[Any]:
        """Every process's value, in order of rank, in every process."""
        if self.size == 1:
            return [value]
        from accelerate.utils import gather_object

        gathered: list[Any] = gather_object([value])
        return gathered

    def agree(self, error: MinpairsError | None) -> None:
        """Raises in every process what any of them met, so that none waits for one that failed.

        Raises:
            MinpairsError: some process passed an error.
        """
        for rank, met in enumerate(self.gather(error)):
            if met is not None:
                raise met if rank == self.rank else type(met)(f"process {rank}: {met}")


def current_processes() -> Processes:
    """The processes that a launcher has started, or the one that there is."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        if "ACCELERATE_USE_CPU" in os.environ and "MASTER_PORT" in os.environ:
            logger.warning(
                "`accelerate launch --cpu` started one process, whatever --num_processes said; "
                "for several on CPU use: torchrun --nproc_per_node N -m minpairs score …"
            )
        return Processes()
    state = _state()
    if state.num_processes != int(os.environ["WORLD_SIZE"]):
        raise ModelError(
            f"the launcher promised {os.environ['WORLD_SIZE']} processes, "
            f"but {state.num_processes} found each other"
        )
    return Processes(state.process_index, state.num_processes)


def local_device() -> Any | None:
    """The device that the launcher gave this process, or ``None`` where there is no launcher."""
    return _state().device if int(os.environ.get("WORLD_SIZE", "1")) > 1 else None


def _state() -> Any:
    import torch
    from accelerate import PartialState

    return PartialState(cpu=not torch.cuda.is_available())

"""Memory: how much a batch may take, and what happens to what it frees."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
from typing import Any

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's mallopt
_LARGE = 1 << 30
_CYCLES = (200_000, 50, 1000)  # of gc.set_threshold
_SHARE = 4  # a batch takes at most one in so many of the free bytes
_LOGITS = 1 << 27  # and at most so many logits, on any device
_PREFERRED = {"cuda": 16_384, "cpu": 1024}  # of float32: more positions are not faster
_FEWEST = 64
_GAVE_OUT = ("can't allocate memory", "out of memory")  # of torch on processors, and on MPS


def default_batch_tokens(model: Any, kind: str = "causal") -> int:
    """Positions in one forward pass, by the memory that is free on the model's device.

    Too many only costs time: a batch that does not fit is halved.

    Args:
        model: a transformers model.
        kind: ``causal`` or ``masked``.
    """
    config = model.config.get_text_config()
    vocabulary = int(getattr(config, "vocab_size", 32_000))
    hidden = int(getattr(config, "hidden_size", 1024))
    # Logits in the model's precision and a float32 copy of some; a layer's inner states.
    each = (vocabulary + 24 * hidden) * (model.dtype.itemsize + 4)
    # Half precision needs twice as many positions to keep all processor cores busy.
    most = _PREFERRED.get(model.device.type, 1024) * 4 // int(model.dtype.itemsize)
    if kind == "masked" and model.device.type == "cpu" and model.dtype.itemsize == 4:
        most //= 2  # as fast, in less memory
    most = min(most, _LOGITS // vocabulary)
    free = free_bytes(model.device)
    if free is not None:
        most = min(most, free // _SHARE // each)
    return max(_FEWEST, most)


def free_bytes(device: torch.device) -> int | None:
    """Memory that is free on a device, or ``None`` where it cannot be asked."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "cpu" and "SC_AVPHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def gave_out(error: BaseException) -> bool:
    """Whether an error says that memory did not suffice: only CUDA has a type for it."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(part in str(error) for part in _GAVE_OUT)


def give_back_memory() -> None:
    """Returns freed memory to the machine: what comes next could not use its holes."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory() -> bool:
    """Lets the process keep freed memory for its next batch, where the C library is glibc.

    Giving it back between batches costs time in page faults. This holds for the whole process, so
    that commands do it and the library does not. A batch's buffers are as large as those before,
    so that peak memory stays what it was. For the same reason Python looks for cycles less often:
    scores make none, and looking through hundreds of thousands of them took half the time of an
    n-gram run.

    Returns:
        Whether it was done.
    """
    gc.set_threshold(*_CYCLES)
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_MMAP_THRESHOLD, _LARGE) and mallopt(_TRIM_THRESHOLD, _LARGE))

"""The one place where a device is chosen."""

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from numbers import Integral

import torch

from graphsieve.errors import InputError
from graphsieve.options import DEVICES


def choose_device(name: str = "auto") -> torch.device:
    """`auto` takes a GPU when there is one; `cuda` insists on it. A GPU that was given but is not found is an error."""
    if name not in DEVICES:
        raise InputError(f"device '{name}' is unknown: choose one of {', '.join(DEVICES)}")
    if name == "cpu":
        return torch.device("cpu")
    if torch.cuda.is_available():
        return torch.device("cuda")
    if name == "cuda":
        raise InputError(
            "device 'cuda' was asked for but torch finds no GPU: set `device: cpu`,"
            " or run on a GPU node with a CUDA build of torch"
        )
    if promise := promised_gpu():
        raise InputError(
            f"this job was given a GPU ({promise}) but torch finds none:"
            " install a CUDA build of torch, or set `device: cpu`"
        )
    return torch.device("cpu")


def prepare_device(name: str, threads: int) -> torch.device:
    """What a program does once, before its first tensor: set up memory and threads, and choose the device."""
    tune_memory()
    limit_threads(threads)
    return choose_device(name)


def promised_gpu() -> str | None:
    """What in the environment says that this job has a GPU, as the scheduler or the user set it."""
    for variable in ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "CUDA_VISIBLE_DEVICES"):
        value = os.environ.get(variable, "")
        if value not in ("", "-1", "NoDevFiles"):
            return f"{variable}={value}"
    return None


def tune_memory() -> None:
    """Let the process keep the memory it frees, and ask for large pages. Call it before the first tensor is made.

    Large tensors come and go every epoch, and having the system clear their pages anew takes a third of the time of a
    training on PubMed: a setting of glibc's malloc; other systems have their own ways. Large pages save about a tenth
    more, a fifth where few features are left; torch asks for them if this variable is set.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    mmap_max, trim_threshold = -4, -1  # M_MMAP_MAX and M_TRIM_THRESHOLD of malloc.h
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(mmap_max, 0)
        libc.mallopt(trim_threshold, 2**31 - 1)


def limit_threads(threads: int) -> None:
    """Same thread count, same sums, same bytes: results are reproducible for a fixed number of threads."""
    torch.set_num_threads(threads)
    if torch.cuda.is_available():  # on CPU nothing of ours is random, and the check slows every allocation down
        torch.use_deterministic_algorithms(True, warn_only=True)


@contextlib.contextmanager
def thread_count(n_jobs: int | None) -> Iterator[None]:
    """So many threads inside, -1 for all cores, None for as many as are set; the caller's setting comes back."""
    if n_jobs is None:
        yield
        return
    if not isinstance(n_jobs, Integral) or (n_jobs < 1 and n_jobs != -1):
        raise InputError(f"n_jobs is {n_jobs!r}: give a number of threads, -1 for all cores, or None")
    before = torch.get_num_threads()
    torch.set_num_threads(available_cores() if n_jobs == -1 else n_jobs)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def available_cores() -> int:
    """Those that this process may run on, which on a shared node are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

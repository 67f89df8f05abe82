import subprocess
import sys
from pathlib import Path

import pytest
import torch

from graphsieve.device import choose_device
from graphsieve.errors import InputError

FAULTS = """
import resource, sys
import numpy as np
from graphsieve.device import tune_memory
if sys.argv[1] == "keep":
    tune_memory()
np.ones(10_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(10_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_an_unknown_device_is_refused():
    with pytest.raises(InputError, match="device 'tpu' is unknown: choose one of auto, cpu, cuda"):
        choose_device("tpu")


GPU_VARIABLES = ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "CUDA_VISIBLE_DEVICES")


@pytest.fixture(params=[False, True], ids=["no GPU", "GPU"])
def gpu(request, monkeypatch) -> bool:
    """Whether torch finds a GPU; nothing in the environment speaks of one."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param)
    for variable in GPU_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return request.param


def test_auto_takes_a_gpu_where_there_is_one(gpu):
    assert choose_device("auto").type == ("cuda" if gpu else "cpu")
    assert choose_device("cpu").type == "cpu"


def test_a_gpu_that_was_asked_for_is_not_replaced_silently(gpu):
    if gpu:
        assert choose_device("cuda").type == "cuda"
    else:
        with pytest.raises(InputError, match="device 'cuda' was asked for but torch finds no GPU: set `device: cpu`"):
            choose_device("cuda")


@pytest.mark.parametrize("variable", GPU_VARIABLES)
def test_a_gpu_that_the_scheduler_gave_is_not_left_unused_silently(variable, gpu, monkeypatch):
    monkeypatch.setenv(variable, "0")
    if gpu:
        assert choose_device("auto").type == "cuda"
    else:
        with pytest.raises(InputError, match=rf"was given a GPU \({variable}=0\) but torch finds none"):
            choose_device("auto")
    assert choose_device("cpu").type == "cpu"


@pytest.mark.parametrize("value", ["", "-1", "NoDevFiles"])
def test_a_gpu_that_was_taken_away_is_not_missed(value, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert choose_device("auto").type == "cpu"


HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

LARGE_PAGES = """
import torch
from graphsieve.device import tune_memory
tune_memory()
tensor = torch.ones(100_000_000)
lines = open("/proc/self/smaps_rollup").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("AnonHugePages")))
"""


def run_python(code: str, *arguments: str) -> int:
    """The number that this code prints in a process of its own."""
    command = [sys.executable, "-c", code, *arguments]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not HUGE_PAGES.exists() or "[madvise]" not in HUGE_PAGES.read_text(), reason="no pages on request")
def test_large_tensors_lie_in_large_pages(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "scripts"))
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    assert run_python(LARGE_PAGES) > 300_000  # kB, of 400,000


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of glibc")
def test_kept_memory_is_not_cleared_by_the_system_again(monkeypatch):
    """Page faults of arrays that come and go, with and without."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "scripts"))
    faults = {mode: run_python(FAULTS, mode) for mode in ("keep", "return")}
    assert faults["keep"] < 0.1 * faults["return"]

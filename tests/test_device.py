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
from graphsieve.device import keep_freed_memory
if sys.argv[1] == "keep":
    keep_freed_memory()
np.ones(10_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(10_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_an_unknown_device_is_refused():
    with pytest.raises(InputError, match="device 'tpu' is unknown: choose one of auto, cpu, cuda"):
        choose_device("tpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_not_replaced_silently():
    with pytest.raises(InputError, match="torch finds no GPU"):
        choose_device("cuda")
    assert choose_device("auto").type == "cpu"


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of glibc")
def test_kept_memory_is_not_cleared_by_the_system_again(monkeypatch):
    """Page faults of arrays that come and go, with and without."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "scripts"))
    faults = {
        mode: int(
            subprocess.run([sys.executable, "-c", FAULTS, mode], capture_output=True, text=True, check=True).stdout
        )
        for mode in ("keep", "return")
    }
    assert faults["keep"] < 0.1 * faults["return"]

"""The measurement of memory runs, on a small graph."""

import sys

import loader_memory
import pytest


def test_it_scores_on_batches_and_tells_the_peak(monkeypatch, capsys):
    monkeypatch.setattr(loader_memory, "ARXIV_SIZE", {"nodes": 60, "edges": 90, "features": 5, "classes": 3})
    monkeypatch.setattr(sys, "argv", ["loader_memory.py", "--columns", "2"])
    loader_memory.main()
    found, peak = capsys.readouterr().out.splitlines()
    assert found.startswith("PermutationImportance(2 features x 1 repeats, cross_entropy")
    assert "engine batched" in found
    assert float(peak.removeprefix("peak memory: ").removesuffix(" GiB")) == pytest.approx(
        loader_memory.resident_mebibytes("VmHWM") / 1024, abs=0.1
    )

"""One cluster for all tests of a session."""

import tempfile
from pathlib import Path

import pytest
from cluster import Cluster, missing_programs


@pytest.fixture(scope="session")
def cluster():
    """A folder of its own, because munged must reach it and pytest's folders are closed to others."""
    if missing := missing_programs():
        pytest.skip(f"no {', '.join(missing)} here: apt-get install slurmctld slurmd slurm-client munge")
    with tempfile.TemporaryDirectory(prefix="graphsieve_slurm_") as folder:
        Path(folder).chmod(0o755)
        with Cluster(Path(folder) / "cluster") as running:
            yield running

"""The same tables come out, whichever way the workflow is run."""

from pathlib import Path

import pytest

from deployments import WAYS, Deployment
from workflow_runs import run_snakemake


def finished(way: str, folder: Path) -> Deployment:
    deployment = WAYS[way](folder)
    result = run_snakemake(deployment.folder, "--cores", "2", *deployment.arguments, **deployment.variables)
    assert result.returncode == 0, result.stdout + result.stderr
    return deployment


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, bytes]:
    return finished("a clone", tmp_path_factory.mktemp("clone")).tables()


@pytest.mark.long
def test_it_works_in_another_directory(expected, tmp_path):
    deployment = finished("another directory", tmp_path)
    assert deployment.tables() == expected
    assert sorted(path.name for path in (tmp_path / "there").iterdir() if path.name != ".snakemake") == ["results"]


@pytest.mark.long
def test_it_works_as_a_module_with_a_prefix(expected, tmp_path):
    deployment = finished("a module", tmp_path)
    assert deployment.tables() == expected
    assert (deployment.results / "index.html").exists()


@pytest.mark.long
def test_it_works_deployed_from_a_git_tag(expected, tmp_path):
    assert finished("a git tag", tmp_path).tables() == expected

"""Four ways to run the workflow, with the same tables as result: in a clone, with --directory elsewhere, as a module of
another workflow, and deployed from a git tag."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from workflow_runs import PROJECT, make_project, run_snakemake

NONE = {"datasets": []}
STUDY = {
    "run": "small",
    "training": {"hidden": 8},
    "datasets": {"digits": {"epochs": 3}},
    "one_shot": {"datasets": ["digits"], "scorers": ["npt", "mi"], "seeds": 1},
    "perturbations": {"datasets": ["digits"], "seeds": 1},
    "motivation": {"seeds": 0},
    "fairness": {"seeds": 0},
    "stand_ins": {"graphs": 0},
    "tutorial": {"nodes": 0},
    **dict.fromkeys(("synthetic", "adaptive", "ablation", "correlations", "theory"), NONE),
}
TABLES = ("table1_perturbations", "table2_feature_selection", "table5_datasets")
# As the Snakemake workflow catalogue and snakedeploy write it: the user's copy of the config, and our rules.
USING = """
configfile: "config/config.yaml"

module graphsieve:
    snakefile: {snakefile}
    config: config
    {prefix}

use rule * from graphsieve{names}

rule everything:
    default_target: True
    input:
        rules.{alias}all.input,
"""


def finish(folder: Path, *arguments: object, **variables: str) -> None:
    result = run_snakemake(folder, "--cores", "2", *arguments, **variables)
    assert result.returncode == 0, result.stdout + result.stderr


def tables_of(results: Path) -> dict[str, bytes]:
    return {name: (results / f"tables/{name}.csv").read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("configs") / "study.yaml"
    path.write_text(yaml.safe_dump(STUDY))
    return path


@pytest.fixture(scope="module")
def cloned(tmp_path_factory, study) -> dict[str, bytes]:
    """The tables of a run in a clone."""
    project = make_project(tmp_path_factory.mktemp("clone"))
    finish(project, "--configfile", study)
    return tables_of(project / "results/small")


def merged(base: dict, more: dict) -> dict:
    both = {name: merged(base[name], value) if isinstance(value, dict) and name in base else value
            for name, value in more.items()}  # fmt: skip
    return {**base, **both}


def write_user(folder: Path, snakefile: str, prefix: str = "", alias: str = "") -> None:
    """Somebody's own workflow that uses ours, with their copies of config and profiles, as snakedeploy makes them."""
    for name in ("config", "profiles"):
        shutil.copytree(PROJECT / name, folder / name)
    config = yaml.safe_load((folder / "config/config.yaml").read_text())
    (folder / "config/config.yaml").write_text(yaml.safe_dump(merged(config, STUDY)))
    (folder / "workflow").mkdir()
    names = f" as {alias}*" if alias else ""
    text = USING.format(snakefile=snakefile, prefix=prefix, names=names, alias=alias)
    (folder / "workflow/Snakefile").write_text(text)


@pytest.mark.long
def test_it_works_in_another_directory(cloned, study, tmp_path):
    finish(
        tmp_path,
        "--snakefile",
        PROJECT / "workflow/Snakefile",
        "--directory",
        tmp_path / "there",
        "--configfile",
        study,
    )
    assert tables_of(tmp_path / "there/results/small") == cloned
    assert sorted(path.name for path in (tmp_path / "there").iterdir() if path.name != ".snakemake") == ["results"]


@pytest.mark.long
def test_it_works_as_a_module_with_a_prefix(cloned, tmp_path):
    write_user(tmp_path, repr(str(PROJECT / "workflow/Snakefile")), 'prefix: "sieve"', "sieve_")
    finish(tmp_path)
    assert tables_of(tmp_path / "sieve/results/small") == cloned
    assert (tmp_path / "sieve/results/small/index.html").exists()


@pytest.fixture(scope="module")
def tagged(tmp_path_factory) -> Path:
    """A git repository that holds the project as it is now, under the tag v9."""
    repository = tmp_path_factory.mktemp("origin")
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=PROJECT,
                            capture_output=True, text=True, check=True).stdout.split("\0")  # fmt: skip
    for name in filter(None, listed):
        if not name.startswith(("results/", "tests/")) and (PROJECT / name).is_file():
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, repository / name)
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "All"], ["tag", "v9"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    return repository


@pytest.mark.long
def test_it_works_deployed_from_a_git_tag(cloned, tagged, tmp_path):
    """As from GitHub, which git finds here."""
    folder = tmp_path / "study"
    folder.mkdir()
    write_user(folder, 'github("graphsieve/graphsieve", path="workflow/Snakefile", tag="v9")')
    finish(
        folder,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"url.file://{tagged}.insteadOf",
        GIT_CONFIG_VALUE_0="https://github.com/graphsieve/graphsieve",
    )
    assert tables_of(folder / "results/small") == cloned

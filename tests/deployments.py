"""Four ways to run the workflow: in a clone, elsewhere with --directory, as a module of another workflow, and deployed
from a git tag."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from workflow_runs import PROJECT, make_project

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


@dataclass(frozen=True)
class Deployment:
    """Where Snakemake is called, with what, and where its results go."""

    folder: Path
    results: Path
    arguments: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    def tables(self) -> dict[str, bytes]:
        return {name: (self.results / f"tables/{name}.csv").read_bytes() for name in TABLES}


def in_clone(folder: Path) -> Deployment:
    project = make_project(folder / "clone")
    return Deployment(project, project / "results/small", ("--configfile", write_study(folder)))


def in_another_directory(folder: Path) -> Deployment:
    there = folder / "there"
    where = ("--snakefile", str(PROJECT / "workflow/Snakefile"), "--directory", str(there))
    return Deployment(folder, there / "results/small", (*where, "--configfile", write_study(folder)))


def as_module(folder: Path) -> Deployment:
    write_user(folder, repr(str(PROJECT / "workflow/Snakefile")), 'prefix: "sieve"', "sieve_")
    return Deployment(folder, folder / "sieve/results/small")


def from_git_tag(folder: Path) -> Deployment:
    """As from GitHub, which git finds here."""
    study = folder / "study"
    study.mkdir()
    write_user(study, 'github("graphsieve/graphsieve", path="workflow/Snakefile", tag="v9")')
    variables = {
        "XDG_CACHE_HOME": str(folder / "cache"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tag_project(folder / 'origin')}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/graphsieve/graphsieve",
    }
    return Deployment(study, study / "results/small", variables=variables)


WAYS: dict[str, Callable[[Path], Deployment]] = {
    "a clone": in_clone,
    "another directory": in_another_directory,
    "a module": as_module,
    "a git tag": from_git_tag,
}


def write_study(folder: Path) -> str:
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(STUDY))
    return str(path)


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


def merged(base: dict, more: dict) -> dict:
    both = {name: merged(base[name], value) if isinstance(value, dict) and name in base else value
            for name, value in more.items()}  # fmt: skip
    return {**base, **both}


def tag_project(repository: Path) -> Path:
    """A git repository that holds the project as it is now, under the tag v9."""
    repository.mkdir()
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

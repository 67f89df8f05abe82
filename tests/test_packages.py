"""What is installed: every package that the project imports is pinned, and the lock has everything they need."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[1]
PACKAGE = PROJECT / "scripts/graphsieve"
# Snakemake's language is not Python: there an import is a line of its own.
IMPORT_LINE = re.compile(r"^\s*(?:import|from) (\w+)", re.M)


def pins(*files: str) -> dict[str, str]:
    """Version by distribution."""
    lines = [line for file in files for line in (PROJECT / "envs" / file).read_text().splitlines()]
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def modules_of_python(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


def modules_of_notebook(text: str) -> Iterator[str]:
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            yield from modules_of_python("".join(cell["source"]))


def imported_modules(*folders: Path) -> set[str]:
    """Third-party modules that files of these folders import, at the top or inside functions."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    readers = {".py": modules_of_python, ".ipynb": modules_of_notebook, ".smk": IMPORT_LINE.findall}
    known = [(path, readers.get(path.suffix)) for path in files]
    known += [(path, IMPORT_LINE.findall) for path in files if path.name == "Snakefile"]
    modules = {module for path, read in known if read for module in read(path.read_text())}
    our_own = {path.stem for path in files if path.suffix == ".py"} | {"graphsieve", "graphsieve_command"}
    return modules - set(sys.stdlib_module_names) - our_own


def distributions_of(modules: set[str]) -> dict[str, set[str]]:
    """Which distributions would provide each module; a module that is not installed goes by its own name."""
    installed = packages_distributions()
    return {module: {canonicalize_name(name) for name in installed.get(module, [module])} for module in modules}


def missing(modules: set[str], known: set[str]) -> list[str]:
    return sorted(module for module, names in distributions_of(modules).items() if not names & known)


def test_every_module_that_the_project_imports_is_pinned():
    modules = imported_modules(*(PROJECT / folder for folder in ("scripts", "workflow", "notebooks", "tests")))
    assert {"torch", "yaml", "snakemake", "IPython", "pytest"} <= modules  # each from another kind of file
    assert missing(modules, pins("requirements.txt", "requirements-bench.txt").keys()) == []


def test_an_import_that_is_not_pinned_is_found(tmp_path):
    (tmp_path / "rule.smk").write_text("from unheard_of.parts import a\n\nrule a:\n    shell: 'true'\n")
    cell = {"cell_type": "code", "source": ["import json\n", "import surprising as s\n"]}
    (tmp_path / "page.ipynb").write_text(json.dumps({"cells": [cell]}))
    (tmp_path / "program.py").write_text("def f():\n    import numpy, hidden.inside\n")
    modules = imported_modules(tmp_path)
    assert missing(modules, {"numpy"}) == ["hidden", "surprising", "unheard_of"]


def test_the_package_names_what_it_imports():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    dependencies = {canonicalize_name(name) for name in project["dependencies"]}
    extras = {canonicalize_name(name) for names in project["optional-dependencies"].values() for name in names}
    assert missing(imported_modules(PACKAGE), dependencies | extras) == []
    assert dependencies <= pins("requirements.txt").keys()
    assert extras <= pins("requirements.txt", "requirements-bench.txt").keys()


def test_the_lock_holds_every_pin():
    assert pins("requirements.txt").items() <= pins("requirements.lock").items()


def test_the_lock_holds_what_each_of_its_packages_needs():
    """But for torch, which is installed before the lock, with what its build needs."""
    locked = pins("requirements.lock")
    for name in locked.keys() - {"torch"}:
        for need in map(Requirement, distribution(name).requires or []):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                version = locked.get(canonicalize_name(need.name), "none")
                assert need.specifier.contains(version), f"{name} needs {need}, the lock has {version}"

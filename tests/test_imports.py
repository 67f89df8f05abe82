"""Imports are cheap and change nothing: what only moves tables, and what the workflow reads before any job, does
without torch.

That the rooms of the package import one another in one direction only is checked by `lint-imports` (pyproject.toml).
"""

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SCRIPTS = PROJECT / "scripts"
WHOLE_ROOMS = ("files", "jobs", "study")
# Read by scripts that train, never before a job.
TRAINS = {
    *("graphsieve.jobs.training", "graphsieve.jobs.retraining", "graphsieve.jobs.regimes"),
    *("graphsieve.study.suspects.cells", "graphsieve.study.suspects.files"),
    *("graphsieve.study.tasks.examples", "graphsieve.study.tasks.measure"),
}
SINGLE_MODULES = ("graphsieve", "graphsieve.options", "graphsieve.randomness", "graphsieve.data.datasets")


def modules_of_room(room: str) -> list[str]:
    files = (SCRIPTS / "graphsieve" / room).rglob("*.py")
    return [".".join(path.relative_to(SCRIPTS).with_suffix("").parts).removesuffix(".__init__") for path in files]


def modules_of_rules() -> set[str]:
    """Whatever the workflow's own files import from the package."""
    files = [PROJECT / "workflow/Snakefile", *(PROJECT / "workflow/rules").glob("*.smk")]
    return {name for file in files for name in re.findall(r"^from (graphsieve[\w.]*) import", file.read_text(), re.M)}


def imported_with(modules: list[str]) -> str:
    """Which of the slow packages a fresh process has after importing these modules."""
    code = f"import {', '.join(modules)}, sys; print({{'torch', 'torch_geometric', 'ogb'}} & set(sys.modules) or '')"
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_runs_before_any_job_does_not_import_torch():
    rules = modules_of_rules()
    assert "graphsieve.errors" in rules
    rooms = [module for room in WHOLE_ROOMS for module in modules_of_room(room) if module not in TRAINS]
    assert len(rooms) > 10
    assert imported_with([*SINGLE_MODULES, *sorted(rules), *rooms]) == ""


def test_an_import_of_torch_is_noticed():
    assert imported_with(["graphsieve.device"]) == "{'torch'}"


def test_importing_any_module_changes_nothing(tmp_path):
    """Nothing is printed or written, and no setting of the process or of matplotlib is another one afterwards."""
    modules = modules_of_room(".")
    assert len(modules) > 50
    code = f"""
import os, sys, warnings
sys.path.insert(0, {str(SCRIPTS)!r})
import IPython.display, matplotlib.pyplot, numpy, pandas, scipy.stats, seaborn, sklearn, torch, torch_geometric

def settings():
    return dict(
        folder=os.getcwd(), environment=dict(os.environ), warnings=list(warnings.filters),
        style=dict(matplotlib.rcParams), threads=torch.get_num_threads(), seed=torch.initial_seed(),
        numpy=numpy.random.get_state()[1].tolist(),
    )

before = settings()
import {", ".join(modules)}
after = settings()
sys.exit([name for name in before if before[name] != after[name]] or None)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []

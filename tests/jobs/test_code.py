"""What makes a job run again: the code that its script imports, and nothing else."""

import json
from pathlib import Path

import pytest

from graphsieve.jobs import code


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """A package of three modules: used imports helper, unrelated stands apart."""
    files = {
        "__init__": "",
        "room/__init__": "",
        "room/used": '"""Doc."""\nfrom graphsieve.room.helper import add\n\ndef twice(x):\n    return add(x, x)\n',
        "room/helper": "def add(a, b):\n    return a + b\n",
        "room/unrelated": "VALUE = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / "graphsieve" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(code, "PACKAGE", tmp_path / "graphsieve")
    (tmp_path / "script.py").write_text("from graphsieve.room import used\nprint(used.twice(1))\n")
    return tmp_path


def fingerprint(package: Path, name: str = "script.py") -> str:
    code.fingerprint.cache_clear()
    code._read_module.cache_clear()
    return code.fingerprint(str(package / name))


def edit(package: Path, module: str, old: str, new: str) -> None:
    path = package / "graphsieve/room" / f"{module}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("module", "old", "new", "counts"),
    [
        ("helper", "a + b", "a - b", True),  # imported by what the script imports
        ("used", "add(x, x)", "add(x, 2)", True),
        ("used", '"""Doc."""', '"""Another."""', False),
        ("helper", "return a + b", "return a + b  # why", False),
        ("unrelated", "VALUE = 1", "VALUE = 2", False),
    ],
)
def test_only_code_that_the_script_depends_on_counts(package, module, old, new, counts):
    before = fingerprint(package)
    edit(package, module, old, new)
    assert (fingerprint(package) != before) == counts


def test_the_script_itself_counts_but_not_its_comments(package):
    before, script = fingerprint(package), package / "script.py"
    script.write_text("# why\n" + script.read_text())
    assert fingerprint(package) == before
    script.write_text(script.read_text().replace("twice(1)", "twice(2)"))
    assert fingerprint(package) != before


def test_an_import_inside_a_function_and_in_a_notebook_counts(package):
    source = ["def f():\n", "    from graphsieve.room.helper import add\n", "    return add\n"]
    cells = [{"cell_type": "code", "source": source}, {"cell_type": "markdown", "source": ["from nowhere"]}]
    (package / "page.ipynb").write_text(json.dumps({"cells": cells}))
    before = fingerprint(package, "page.ipynb")
    edit(package, "helper", "a + b", "b + a")
    assert fingerprint(package, "page.ipynb") != before

"""The examples in the package's docstrings give what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
WITH_EXAMPLES = [path for path in sorted((SCRIPTS / "graphsieve").rglob("*.py")) if ">>> " in path.read_text()]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_docstrings(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = ".".join(path.relative_to(SCRIPTS).with_suffix("").parts).removesuffix(".__init__")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert failed == 0, "the examples that failed are printed above"

"""Which of our code a job depends on, as one short text: when it changes, Snakemake runs the job again.

Snakemake notices that a script was edited, but not that a module it imports was. So every rule has the fingerprint of
its script or notebook and of the modules that it imports, directly or through others, among its params. Comments,
docstrings and layout do not count.
"""

import ast
import functools
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import graphsieve

PACKAGE = Path(graphsieve.__file__).parent


@functools.cache
def fingerprint(path: str) -> str:
    """Of this script (.py) or notebook (.ipynb) and all modules of the package that it depends on."""
    tree = ast.parse(_source(Path(path)))
    waiting = list(_imports(tree))
    seen = {"": _text(tree)}
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen[module], imports = _read_module(module)
            waiting += imports
    return hashlib.sha256(json.dumps(sorted(seen.items())).encode()).hexdigest()[:16]


@functools.cache
def _read_module(module: str) -> tuple[str, tuple[str, ...]]:
    """A module's code as text without what does not count, and the modules it imports."""
    tree = ast.parse(_module_file(module).read_text(encoding="utf-8"))
    return _text(tree), tuple(_imports(tree))


def _text(tree: ast.Module) -> str:
    """Without comments, docstrings and layout."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
    return ast.dump(tree)


def _imports(tree: ast.Module) -> Iterator[str]:
    """The package's modules that this code imports anywhere, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "graphsieve":
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from {name if _module_file(name).exists() else node.module for name in names}


def _module_file(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _source(path: Path) -> str:
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")

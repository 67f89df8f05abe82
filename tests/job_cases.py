"""What a script gets from Snakemake, made by hand."""

from pathlib import Path
from types import SimpleNamespace


class Named(dict):
    """Snakemake's named lists: by name, as attributes, and by position."""

    __getattr__ = dict.__getitem__

    def __getitem__(self, key):
        return list(self.values())[key] if isinstance(key, int) else super().__getitem__(key)


def make_job(folder: Path, rule: str = "test", threads: int = 1, **parts: dict) -> SimpleNamespace:
    """A job that logs to `folder`; `parts` are its input, output, params and wildcards."""
    named = {name: Named(parts.get(name, {})) for name in ("input", "output", "params", "wildcards")}
    return SimpleNamespace(
        rule=rule, threads=threads, log=[str(folder / f"{rule}.log")], config={"run": "test"}, **named
    )


def one_result(wildcards: dict, **settings: object) -> dict:
    """The params of a job that makes one result."""
    return {"results": [(wildcards, settings)], "device": "cpu", "code": "today's", "strict": True}

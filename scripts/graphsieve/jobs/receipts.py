"""What each result was made from, written down beside it.

Snakemake starts a job of several results when one of them is missing or was made in another way. The receipts then tell
which: only those are made, the others stay as they are.
"""

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from graphsieve.files.writing import write_text
from graphsieve.jobs.bundles import single_rule
from graphsieve.jobs.usage import Meter

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "torch", "torch_geometric")


@dataclass(frozen=True)
class Result:
    """One result of a job.

    wildcards : that tell it from all others.
    outputs : its files.
    inputs : the files that it is made from.
    settings : everything else that it depends on, code included.
    strict : whether a result that was made with other settings is out of date; if not, other inputs alone count.
    """

    wildcards: dict[str, str]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    settings: dict
    strict: bool = True

    @property
    def receipt(self) -> Path:
        return receipt_of(self.outputs[0])

    def origin(self) -> dict:
        """What changes when the result would."""
        settings = json.dumps([self.settings, _versions()], sort_keys=True, default=str)
        inputs = [_checksum(path) for path in self.inputs]
        return {"inputs": inputs, "settings": hashlib.sha256(settings.encode()).hexdigest()}

    def earlier_usage(self) -> dict | None:
        """What it took to make it, if it is there and as it would be made today."""
        if not all(Path(path).is_file() for path in (*self.outputs, self.receipt)):
            return None
        try:
            written = json.loads(self.receipt.read_text(encoding="utf-8"))
            today = {**self.origin(), "files": self._files()}
            compared = today if self.strict else ("inputs", "files")
            return written["used"] if all(written[name] == today[name] for name in compared) else None
        except (ValueError, KeyError, TypeError):  # not one of ours, or damaged
            return None

    def write_receipt(self, used: dict) -> None:
        text = json.dumps({**self.origin(), "files": self._files(), "used": used}, indent=1)
        write_text(text + "\n", self.receipt)

    def _files(self) -> list[str]:
        return [_content_hash(Path(path)) for path in self.outputs]


def receipt_of(output: str | Path) -> Path:
    """Where the receipt of the result that begins with this file lies."""
    path = Path(output)
    return path.with_name(f".{path.stem}.json")


def make_results(rule: str, results: Sequence[Result], make: Callable[[Result], None]) -> list[dict]:
    """Call `make` for the results that are missing or out of date; return what each of all results took.

    The rows name the rule of single results, whatever rule bundles them. Libraries must have been imported before, so
    that starting can be told from work.
    """
    meter, rows = Meter(), []
    for result in results:
        used = result.earlier_usage()
        name = " ".join(result.wildcards.values())
        if used:
            print(f"{name}: made before, and kept", flush=True)
        else:
            print(f"{name}:", flush=True)
            result.receipt.unlink(missing_ok=True)
            make(result)
            used = meter.read(single_rule(rule), result.wildcards)
            result.write_receipt(used)
        rows.append(used)
    return rows


@functools.cache
def _versions() -> list[str]:
    return [version(name) for name in LIBRARIES]


def _content_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(path: str) -> str:
    """Of an input, which the results of a job may share."""
    file = Path(path).resolve()
    return _checksum_then(file, file.stat().st_mtime_ns)


@functools.cache
def _checksum_then(path: Path, _: int) -> str:
    return _content_hash(path)

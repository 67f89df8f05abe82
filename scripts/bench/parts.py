"""Configurations that are measured, each in a file of its own until the tables are written from all of them."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from graphsieve.errors import InputError
from graphsieve.files.writing import write_text

CONDITIONS = "conditions"
LOAD = "load_at_start"  # may differ between two calls, and is kept of the first


class Parts:
    """What is measured already is not measured again; what is refused stops nothing else.

    conditions: under which it is measured, machine and code among them. All parts have to be of the same.
    """

    def __init__(self, folder: Path, conditions: dict[str, object]):
        self.folder, self.refused = folder, []
        if not self._path(CONDITIONS).exists():
            self._write(CONDITIONS, conditions)
        elif self.read(CONDITIONS) | {LOAD: None} != conditions | {LOAD: None}:
            raise InputError(f"{folder} was measured with other code or on another machine: remove that folder")

    def measure(self, name: str, call: Callable[[], dict]) -> None:
        if self._path(name).exists():
            print(f"{name}: measured already", flush=True)
            return
        try:
            row = call()
        except InputError as error:
            self.refused.append(str(error))
            print(f"refused: {error}", flush=True)
            return
        self._write(name, row)
        shown = {key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}
        print(f"{name}: {shown}", flush=True)

    def complain(self) -> None:
        """Of what was refused in this call, at its end."""
        if self.refused:
            others = f" ({len(self.refused)} were refused)" if len(self.refused) > 1 else ""
            raise InputError(f"{self.refused[0]}{others}; the others are kept, run again for the rest")

    def missing(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if not self._path(name).exists()]

    def read(self, name: str) -> dict:
        return json.loads(self._path(name).read_text(encoding="utf-8"))

    def remove(self) -> None:
        shutil.rmtree(self.folder)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _write(self, name: str, row: dict) -> None:
        write_text(json.dumps(row, default=float), self._path(name))

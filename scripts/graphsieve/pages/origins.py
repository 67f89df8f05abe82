"""What every table of records came from: commit, versions, processor, threads and raw files.

A session is one start of the workflow in a run's folder; it notes what it was started with. A record belongs to the
session in which its file was written. Beside each table lies a file that names the sessions of its records, those of an
earlier run included that this one started from.
"""

import calendar
import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from graphsieve.errors import InputError
from graphsieve.files.writing import write_text
from graphsieve.pages import provenance

SESSIONS = "records/sessions.json"  # in the folder of a run
UNKNOWN = {"commit": "unknown"}  # of records that were made before this was written down
SLACK = 2.0  # seconds that the clock of a file system may be behind


def start_session(run_folder: Path, threads: Mapping[str, int]) -> None:
    """Note what this start of the workflow is made with; `threads` is how many a job of each dataset has."""
    path = run_folder / SESSIONS
    facts = {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": provenance.commit() or "unknown",
        "versions": provenance.versions(),
        "cpu": provenance.cpu(),
        "threads": dict(threads),
    }
    write_text(json.dumps([*read_sessions(path), facts], indent=1) + "\n", path)


def read_sessions(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def session_of(path: Path, sessions: Sequence[dict]) -> dict:
    """The last session that had started when the file was written."""
    written = path.stat().st_mtime + SLACK
    before = [one for one in sessions if _seconds(one["started"]) <= written]
    return before[-1] if before else UNKNOWN


def _seconds(started: str) -> int:
    return calendar.timegm(time.strptime(started, "%Y-%m-%dT%H:%M:%SZ"))


def origins_of(files: Iterable[Path], sessions: Sequence[dict], raw_files: Mapping[str, str]) -> list[dict]:
    """The sessions in which these files were written, each with how many of them, and the raw files they rest on."""
    counted: dict[str, dict] = {}
    for path in files:
        session = session_of(path, sessions)
        known = counted.setdefault(json.dumps(session), {**session, "files": 0, "raw_files": dict(raw_files)})
        known["files"] += 1
    return list(counted.values())


def earlier_origins(tables: Sequence[Path], notes: Sequence[Path]) -> list[dict]:
    """Of the same table of the run that this one started from; unknown where it has the table but no word on it."""
    if notes:
        return [origin for path in notes for origin in json.loads(Path(path).read_text(encoding="utf-8"))["origins"]]
    return [UNKNOWN for _ in tables]


def describe_table(table: Path, rows: int, origins: Sequence[dict]) -> str:
    """What lies beside a table of records, as JSON."""
    checksum = hashlib.sha256(table.read_bytes()).hexdigest()
    return (
        json.dumps({"table": table.name, "rows": rows, "sha256": checksum, "origins": list(origins)}, indent=1) + "\n"
    )


def check_publishable(records: Path) -> list[str]:
    """Refuse records of modified code, which nobody could make again, and tables that are not those described.

    Returns the tables some of whose records do not say what they came from.
    """
    notes = sorted(records.glob("*.csv*.json"))
    if not notes:
        raise InputError(f"{records} does not say where its tables come from: run the workflow of today, then publish")
    unknown = []
    for path in notes:
        said = json.loads(path.read_text(encoding="utf-8"))
        table = path.with_suffix("")
        if hashlib.sha256(table.read_bytes()).hexdigest() != said["sha256"]:
            raise InputError(f"{table} is not the table that {path.name} describes: collect it again")
        commits = {origin["commit"] for origin in said["origins"]}
        modified = [commit for commit in commits if commit.endswith(provenance.MODIFIED)]
        if modified:
            raise InputError(f"{table} has records of '{modified[0]}': commit the code, make them again, then publish")
        unknown += [table.name] * (UNKNOWN["commit"] in commits)
    return unknown

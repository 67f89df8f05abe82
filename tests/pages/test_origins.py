"""What tables of records came from: the session in which each file was written, and what must not be published."""

import hashlib
import json
import os
import time

import pandas as pd
import pytest

import build_index
import collect as script
from graphsieve.errors import InputError
from graphsieve.pages import origins, provenance
from job_cases import make_job

FIRST = {"started": "2026-01-01T00:00:00Z", "commit": "aaa"}
SECOND = {"started": "2026-01-02T00:00:00Z", "commit": "bbb, modified"}
BETWEEN = 1767225600 + 3600  # an hour after the first of them


def record(path, written, **columns):
    pd.DataFrame([{"dataset": "cora", "seed": 0, **columns}]).to_csv(path, index=False)
    os.utime(path, (written, written))
    return path


def test_a_session_notes_what_it_was_started_with(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "commit", lambda: "abc")
    for threads in (1, 2):
        origins.start_session(tmp_path, {"cora": threads})
    first, second = origins.read_sessions(tmp_path / origins.SESSIONS)
    assert (first["commit"], first["threads"], second["threads"]) == ("abc", {"cora": 1}, {"cora": 2})
    assert first["versions"] == provenance.versions()
    assert first["cpu"] == provenance.cpu() != ""
    now = record(tmp_path / "now.csv", time.time())
    assert origins.session_of(now, [first, second]) == second


def test_a_file_belongs_to_the_last_session_that_had_started(tmp_path):
    early = record(tmp_path / "early.csv", BETWEEN)
    late = record(tmp_path / "late.csv", BETWEEN + 10 * 86400)
    older = record(tmp_path / "older.csv", BETWEEN - 86400)
    raw = {"cora": "123"}
    found = origins.origins_of([early, late, older, early], [FIRST, SECOND], raw)
    assert found == [
        {**FIRST, "files": 2, "raw_files": raw},
        {**SECOND, "files": 1, "raw_files": raw},
        {"commit": "unknown", "files": 1, "raw_files": raw},
    ]


@pytest.fixture
def collected(tmp_path):
    """A run that starts from another: one record of its own, and one that the other had."""
    run, before = tmp_path / "run", tmp_path / "before"
    (run / "records").mkdir(parents=True)
    before.mkdir()
    (run / origins.SESSIONS).write_text(json.dumps([FIRST]))
    own = record(run / "own.csv", BETWEEN, score=0.123456789, feature=1)
    earlier = record(before / "scores.csv", BETWEEN, score=0.987654321, feature=1, seed=1)
    (before / "scores.csv.json").write_text(origins.describe_table(earlier, 1, [{"commit": "zzz", "files": 1}]))
    output = {"table": run / "records/scores.csv", "origins": run / "records/scores.csv.json"}
    inputs = {"records": [str(own)], "earlier": [earlier], "earlier_origins": [before / "scores.csv.json"]}
    params = {"sizes": [1], "assign": [{}], "columns": None, "without": [], "run_folder": run}
    params["raw_files"] = {"cora": "123", "texas": "456"}
    script.main(make_job(tmp_path, input=inputs, output={k: str(v) for k, v in output.items()}, params=params))
    return output


def test_beside_a_table_lies_what_it_came_from(collected):
    said = json.loads(collected["origins"].read_text())
    assert said["origins"] == [{**FIRST, "files": 1, "raw_files": {"cora": "123"}}, {"commit": "zzz", "files": 1}]
    assert said["sha256"] == hashlib.sha256(collected["table"].read_bytes()).hexdigest()
    table = pd.read_csv(collected["table"])
    assert table["score"].tolist() == [0.123457, 0.987654]  # with the digits that scores need
    assert said["rows"] == len(table) == 2


def test_only_what_others_can_make_again_is_published(collected):
    records = collected["table"].parent
    assert origins.check_publishable(records) == []
    said = collected["origins"].read_text()
    collected["origins"].write_text(said.replace('"zzz"', '"unknown"'))
    assert origins.check_publishable(records) == ["scores.csv"]
    collected["origins"].write_text(said.replace('"zzz"', '"zzz, modified"'))
    with pytest.raises(InputError, match="records of 'zzz, modified': commit the code"):
        origins.check_publishable(records)
    collected["origins"].write_text(said)
    collected["table"].write_text("another table")
    with pytest.raises(InputError, match="is not the table that"):
        origins.check_publishable(records)
    collected["origins"].unlink()
    with pytest.raises(InputError, match="does not say where its tables come from"):
        origins.check_publishable(records)


def test_a_table_whose_earlier_records_say_nothing_is_of_unknown_origin(tmp_path):
    table = record(tmp_path / "scores.csv", BETWEEN)
    assert origins.earlier_origins([table], []) == [origins.UNKNOWN]
    assert origins.earlier_origins([], []) == []


def test_a_page_of_modified_code_says_so():
    assert build_index.modified_notice("abc") == ""
    assert "not for publication" in build_index.modified_notice("abc, modified")

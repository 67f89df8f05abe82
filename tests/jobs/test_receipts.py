"""A job that is started again makes what is missing or would come out differently, and nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from graphsieve.jobs.receipts import Result, make_results, receipt_of


@pytest.fixture
def results(tmp_path) -> list[Result]:
    """Three results of two files each, all made from one file."""
    (tmp_path / "graph").write_text("nodes")
    return [
        Result(
            {"seed": "0", "scorer": name},
            (str(tmp_path / f"{name}.csv"), str(tmp_path / f"{name}.more")),
            (str(tmp_path / "graph"),),
            {"n_repeats": 10, "code": "a"},
        )
        for name in ("npt", "mi", "tfi")
    ]


def made(results: list[Result], rule: str = "score_bundle") -> list[str]:
    """The scorers whose results a job makes when it is started."""
    names = []

    def make(result: Result) -> None:
        names.append(result.wildcards["scorer"])
        for path in result.outputs:
            Path(path).write_text(f"scores of {result.wildcards['scorer']}")

    rows = make_results(rule, results, make)
    assert [row["scorer"] for row in rows] == [result.wildcards["scorer"] for result in results]
    assert {row["rule"] for row in rows} == {"score"}
    return names


def test_everything_is_made_once(results):
    assert made(results) == ["npt", "mi", "tfi"]
    assert made(results) == []


def test_what_it_took_is_told_again_by_a_job_that_keeps_it(results):
    first = make_results("score", results, lambda result: [Path(path).touch() for path in result.outputs])
    assert [row["start_seconds"] > 0 for row in first] == [True, False, False]
    assert make_results("score", results, pytest.fail) == first


def test_a_lost_file_is_made_again_alone(results):
    made(results)
    Path(results[1].outputs[1]).unlink()
    assert made(results) == ["mi"]
    receipt_of(results[2].outputs[0]).unlink()
    assert made(results) == ["tfi"]


def test_another_setting_makes_only_what_it_concerns(results):
    made(results)
    changed = [replace(results[0], settings={"n_repeats": 20, "code": "a"}), *results[1:]]
    assert made(changed) == ["npt"]
    assert made([replace(one, settings={**one.settings, "code": "b"}) for one in results]) == ["npt", "mi", "tfi"]


def test_other_settings_do_not_count_where_only_files_do(results):
    made(results)
    changed = [replace(one, settings={}, strict=False) for one in results]
    assert made(changed) == []
    Path(results[0].inputs[0]).write_text("other nodes")
    assert made(changed) == ["npt", "mi", "tfi"]


def test_another_input_counts_by_its_content_not_its_time(results):
    made(results)
    graph = Path(results[0].inputs[0])
    graph.touch()
    assert made(results) == []
    graph.write_text("other nodes")
    assert made(results) == ["npt", "mi", "tfi"]


def test_a_file_that_is_not_the_one_that_was_made_is_made_again(results):
    """Snakemake puts the old file back when a job fails, beside the receipt of the new one."""
    made(results)
    Path(results[0].outputs[0]).write_text("the one before")
    assert made(results) == ["npt"]


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"inputs": "?"})])
def test_a_damaged_receipt_vouches_for_nothing(results, text):
    made(results)
    results[0].receipt.write_text(text)
    assert made(results) == ["npt"]


def test_a_job_that_fails_leaves_no_receipt_for_what_it_did_not_make(results):
    made(results)
    changed = [replace(results[0], settings={"code": "b"}), *results[1:]]

    def fail(result: Result) -> None:
        raise RuntimeError(result.wildcards["scorer"])

    with pytest.raises(RuntimeError, match="npt"):
        make_results("score", changed, fail)
    assert made(results) == ["npt"]

import contextlib
import errno
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphsieve.errors import InputError
from graphsieve.files.reading import collect, read_csv, read_npz
from graphsieve.files.writing import atomic_path, check_folder, write_csv, write_npz, write_record, write_together
from small_disk import mounted


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with contextlib.suppress(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("accident", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_files_that_belong_together_are_all_written_or_none(tmp_path, monkeypatch, accident):
    files = {tmp_path / name: name.encode() for name in ("a.csv", "b/c.html", "d.csv")}
    (tmp_path / "a.csv").write_text("old")
    write = Path.write_bytes

    def interrupted(path: Path, content: bytes) -> int:
        if content == b"d.csv":
            write(path, content[:2])
            raise accident
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises((InputError, KeyboardInterrupt)):
        write_together(files)
    monkeypatch.undo()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"
    write_together(files)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_what_is_in_the_way_of_a_file_is_named(tmp_path):
    write_csv(pd.DataFrame({"a": [1]}), tmp_path / "file")
    (tmp_path / "folder").mkdir()
    for path in ("file/out.csv", "file/deeper/out.csv", "folder"):
        with pytest.raises(InputError, match=f"cannot write {tmp_path / path} .*: move what has that name"):
            write_csv(pd.DataFrame({"a": [1]}), tmp_path / path)
    assert {path.name for path in tmp_path.rglob("*")} == {"file", "folder"}


def test_a_folder_is_checked_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    check_folder(tmp_path / "new/deeper")
    assert not (tmp_path / "new").exists()
    for folder in ("file", "file/deeper"):
        with pytest.raises(InputError, match=f"cannot write to {tmp_path / folder}: {tmp_path}/file is no folder"):
            check_folder(tmp_path / folder)
    with mounted(tmp_path / "small", "ro"), pytest.raises(InputError, match="small writable, or choose another place"):
        check_folder(tmp_path / "small/out")


def test_arrays_come_back_and_the_same_arrays_give_the_same_bytes(tmp_path):
    arrays = {"a": np.arange(6).reshape(2, 3), "text": np.array("hello")}
    for name in ("one", "two"):
        write_npz(arrays, tmp_path / f"{name}.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    back = read_npz(tmp_path / "one.npz")
    assert np.array_equal(back["a"], arrays["a"])
    assert str(back["text"]) == "hello"


def test_objects_are_never_pickled(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"):
        write_npz({"objects": np.array([{}])}, tmp_path / "bad.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("bytes_kept", [0, 10, 200])
def test_a_truncated_archive_is_refused_with_its_name(tmp_path, bytes_kept):
    path = tmp_path / "whole.npz"
    write_npz({"a": np.random.default_rng(0).random(500)}, path)
    path.write_bytes(path.read_bytes()[:bytes_kept])
    with pytest.raises(InputError, match="whole.npz"):
        read_npz(path)


def test_an_empty_table_is_refused_with_its_name(tmp_path):
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match="empty.csv"):
        read_csv(tmp_path / "empty.csv")


def test_records_are_stacked_in_order_and_floats_survive(tmp_path):
    for seed in (1, 0):
        write_record({"seed": seed, "accuracy": 1 / 3 + seed}, tmp_path / f"{seed}.csv")
    table = collect([tmp_path / "1.csv", tmp_path / "0.csv"])
    assert table["seed"].tolist() == [1, 0]
    assert table["accuracy"].tolist() == [1 / 3 + 1, 1 / 3]
    write_csv(table, tmp_path / "all.csv")
    pd.testing.assert_frame_equal(read_csv(tmp_path / "all.csv"), table)


def test_a_compressed_table_reads_back_and_has_the_same_bytes_under_any_name(tmp_path):
    table = pd.DataFrame({"seed": [0, 1], "accuracy": [0.1, 1 / 3]})
    for name in ("one.csv.gz", "other.csv.gz"):
        write_csv(table, tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "other.csv.gz").read_bytes()
    assert (tmp_path / "one.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    pd.testing.assert_frame_equal(read_csv(tmp_path / "one.csv.gz"), table)


def test_a_summary_may_have_gaps_and_a_record_may_not(tmp_path):
    gap = pd.DataFrame({"dataset": ["digits", "cora"], "scorer": ["npt", None]})
    write_csv(gap, tmp_path / "summary.csv")
    assert len(read_csv(tmp_path / "summary.csv")) == 2
    write_csv(gap.assign(seed=0), tmp_path / "records.csv")
    with pytest.raises(InputError, match=r"records.csv is not as it was written \(row 2 has no scorer\)"):
        read_csv(tmp_path / "records.csv")


def test_rows_of_several_runs_are_counted_run_by_run(tmp_path):
    epochs = pd.DataFrame({"epoch": [1, 2, 1, 2], "train_loss": 0.5, "dataset": "digits", "seed": [0, 0, 1, 1]})
    write_csv(epochs, tmp_path / "whole.csv")
    assert len(read_csv(tmp_path / "whole.csv")) == 4
    write_csv(epochs.drop(index=2), tmp_path / "lost.csv")
    with pytest.raises(InputError, match="row 3 has epoch 2 instead of 1"):
        read_csv(tmp_path / "lost.csv")


@pytest.mark.parametrize("size", [0, 8, 40])
def test_a_truncated_compressed_table_is_refused_with_its_name(tmp_path, size):
    path = tmp_path / "short.csv.gz"
    write_csv(pd.DataFrame({"value": np.random.default_rng(0).random(50)}), path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match="short.csv.gz"):
        read_csv(path)


def test_an_archive_without_an_array_is_refused(tmp_path):
    write_npz({"x": np.zeros(2)}, tmp_path / "graph.npz")
    with pytest.raises(InputError, match=r"graph.npz is not as it was written \(it has no array y\)"):
        read_npz(tmp_path / "graph.npz", ["x", "y"])

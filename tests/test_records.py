import contextlib

import numpy as np
import pandas as pd
import pytest

from graphsieve.errors import InputError
from graphsieve.records import atomic_path, collect, read_csv, read_npz, write_csv, write_npz, write_record


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with contextlib.suppress(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


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

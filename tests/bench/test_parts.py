"""Configurations that are kept until all are measured."""

import pytest
from parts import Parts

from graphsieve.errors import InputError

CONDITIONS = {"cpu": "a", "load_at_start": 0.1}


def refuse():
    raise InputError("cora: too busy")


def test_what_is_refused_stops_nothing_and_is_all_that_a_second_call_measures(tmp_path):
    first = Parts(tmp_path / "parts", CONDITIONS)
    first.measure("cora", refuse)
    first.measure("photo", lambda: {"ratio": 2.5})
    with pytest.raises(InputError, match=r"^cora: too busy; the others are kept"):
        first.complain()
    second = Parts(tmp_path / "parts", CONDITIONS | {"load_at_start": 3.0})
    assert second.missing(["cora", "photo"]) == ["cora"]
    second.measure("cora", lambda: {"ratio": 7.0})
    second.measure("photo", refuse)  # would be noticed
    second.complain()
    assert [second.read(name) for name in ("cora", "photo")] == [{"ratio": 7.0}, {"ratio": 2.5}]
    second.remove()
    assert not (tmp_path / "parts").exists()


def test_parts_of_another_machine_or_code_are_refused(tmp_path):
    Parts(tmp_path / "parts", CONDITIONS)
    with pytest.raises(InputError, match="remove that folder"):
        Parts(tmp_path / "parts", CONDITIONS | {"cpu": "b"})

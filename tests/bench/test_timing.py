"""The benchmark's clock, on calls that take as long as they are told."""

import numpy as np
import pytest
import timing

from graphsieve.errors import InputError


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when a way says so."""

    class Clock:
        now = 0.0
        called = []

        def way(self, name, durations):
            durations = iter(durations)

            def call():
                self.called.append(name)
                self.now += next(durations)

            return call

    clock = Clock()
    clock.called = []
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock.now)
    return clock


def test_ways_take_turns(clock):
    ways = {"ours": clock.way("ours", [1, 1, 1.2, 1, 1.1]), "plain": clock.way("plain", [5, 5, 6, 5, 5])}
    seconds = timing.take_turns("case", ways)
    assert clock.called == ["ours", "plain"] * timing.ROUNDS
    np.testing.assert_allclose(seconds["ours"], [1, 1, 1.2, 1, 1.1])
    found = timing.summary(seconds["plain"], "full", scale=10)
    assert {key: round(value, 9) for key, value in found.items()} == {"full_s": 50, "full_low": 50, "full_high": 60}


def test_a_busy_machine_gets_another_chance_and_is_then_refused(clock, monkeypatch):
    monkeypatch.setattr(timing, "PATIENCE", 4 * timing.ROUNDS)
    calm, busy = [1.0] * timing.ROUNDS, [1.0] * (timing.ROUNDS - 1) + [1.6]
    np.testing.assert_allclose(timing.take_turns("case", {"ours": clock.way("ours", [*busy, *calm])})["ours"], calm)
    with pytest.raises(InputError, match=r"cora: ours took 1 to 1.6 s in 5 rounds, 4 times tried .* idle machine"):
        timing.take_turns("cora", {"ours": clock.way("ours", busy * 4)})
    with pytest.raises(InputError, match=rf"in 5 rounds, {timing.ATTEMPTS} times tried"):
        timing.take_turns("cora", {"ours": clock.way("ours", [100 * one for one in busy] * timing.ATTEMPTS)})


def test_what_extrapolation_blows_up_is_refused():
    """Rounds of 10 to 11 s that begin with 9 to 10 s: the rest, ten times over, is anything from 0 to 20 s."""
    start, whole = np.array([9.0, 10.0]), np.array([11.0, 10.0])
    timing.check_extrapolated("arxiv", "ours", start)
    with pytest.raises(InputError, match="arxiv: for all features and repeats ours would take 10 to 29 s"):
        timing.check_extrapolated("arxiv", "ours", start + (whole - start) * 10)
    with pytest.raises(InputError, match="would take -1 to 9 s"):
        timing.check_extrapolated("arxiv", "ours", start + np.array([-10.0, -1.0]))


def test_the_machine_is_described():
    assert {"cpu", "cores", "threads", "rounds"} <= set(timing.machine())

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from graphsieve.inference.p_values import SIGNIFICANCE, adjust_benjamini_hochberg
from graphsieve.inference.sequential import EACH_BY_ITSELF, FAR, Aim, Course, Looks, permute_in_rounds


def test_looks_grow_to_the_limit():
    assert Looks(20, 199).totals == [20, 30, 45, 68, 102, 153, 199]
    assert Looks(20, 20).totals == [20]
    assert Looks(1, 5).totals == [1, 2, 3, 5]


def test_p_value_of_a_single_look_is_the_share():
    looks, hits = Looks(39, 39), np.arange(40)
    np.testing.assert_allclose(looks.p_values(looks.shares(np.zeros(40, int), hits)), (hits + 1) / 40)


def chances_by_enumeration(looks: Looks, share: Fraction, far: Fraction) -> Fraction:
    """Over all orders in which permutations may do as well or not; h of t have the chance h! (t - h)! / (t + 1)!."""
    total, found = looks.totals[-1], Fraction(0)
    factorial = [1]
    for number in range(1, total + 2):
        factorial.append(factorial[-1] * number)
    for order in product((0, 1), repeat=total):
        for look, made in enumerate(looks.totals):
            seen = Fraction(sum(order[:made]) + 1, made + 1)
            if seen <= share and (look == 0 or seen <= far):
                hits = sum(order)
                found += Fraction(factorial[hits] * factorial[total - hits], factorial[total + 1])
                break
    return found


@pytest.mark.parametrize(("first", "limit"), [(3, 9), (1, 8), (2, 12)])
def test_p_values_are_those_of_an_enumeration(first, limit, monkeypatch):
    monkeypatch.setattr("graphsieve.inference.sequential.FAR", 0.35)
    looks = Looks(first, limit)
    for made in looks.totals:
        for hits in range(made + 1):
            share = Fraction(hits + 1, made + 1)
            if made == first or share <= Fraction(35, 100):
                expected = chances_by_enumeration(looks, share, Fraction(35, 100))
                assert looks.p_values(np.array([float(share)]))[0] == pytest.approx(float(expected))


def simulated(shares: np.ndarray, seed: int):
    """Draws of items whose permutations do as well with this chance, (sides, items); and how many were asked for."""
    rng, asked = np.random.default_rng(seed), np.zeros(shares.shape, dtype=int)

    def draw(side, items, look, count):
        asked[side, items] += count
        return np.where(rng.random((len(items), count)) < shares[side, items, None], -1.0, 1.0)

    items = np.arange(shares.shape[1])
    first = np.stack([draw(side, items, 0, 20) for side in range(len(shares))])
    return draw, first, asked


@pytest.mark.parametrize("sides", [1, 2])
def test_chance_is_found_no_oftener_than_the_level(sides):
    """Among items that matter, so that others stop early and late; the null's chance to do as well is uniform."""
    p_values = []
    for seed in range(60):
        shares = np.random.default_rng([seed, 1]).random((sides, 100))
        shares[:, :10] = 0.0
        draw, first, _ = simulated(shares, seed)
        p_values.append(permute_in_rounds(draw, first, 1999).p_values()[10:])
    p_values = np.concatenate(p_values)
    for level in (0.01, 0.05, 0.2):
        assert (p_values <= level).sum() <= binom.ppf(0.999, p_values.size, level)
    assert (p_values <= SIGNIFICANCE).sum() >= binom.ppf(0.001, p_values.size, 0.03)  # not useless either


def test_whoever_stops_at_the_best_moment_is_still_right():
    """The smallest p-value that any look ever had: what makes it valid to stop for any reason."""
    rng, looks = np.random.default_rng(0), Looks(20, 499)
    share, hits, made = rng.random(40_000), np.zeros(40_000, dtype=int), 0
    smallest = np.full(40_000, np.inf)
    for look, total in enumerate(looks.totals):
        hits, made = hits + rng.binomial(total - made, share), total
        smallest = np.minimum(smallest, looks.shares(np.full(40_000, look), hits))
    p_values = looks.p_values(smallest)
    for level in (0.005, 0.02, 0.05, 0.3):
        reachable = p_values[p_values <= level].max()  # exact there
        low, high = binom.interval(0.999, 40_000, reachable)
        assert low <= (p_values <= level).sum() <= high


def test_strong_items_stop_once_they_are_found_and_hopeless_ones_at_once():
    shares = np.full((2, 60), 0.5)
    shares[:, :10] = 0.0
    draw, first, asked = simulated(shares, 0)
    course = permute_in_rounds(draw, first, 1999)
    adjusted = adjust_benjamini_hochberg(course.p_values())
    assert (adjusted[:10] <= SIGNIFICANCE).all()
    assert (asked[:, 10:] == 20).all()
    assert (asked[0, :10] == asked[0, 0]).all()
    assert (asked[1, :10] == 20).all()  # one side has said enough
    np.testing.assert_array_equal(course.made, asked)
    # Found as soon as ten zeros among so many permutations could be: 2 p 60 / 10 <= 0.05
    before = course.looks.totals[course.look[0, 0] - 1]
    too_early = course.looks.p_values(np.array([1 / (before + 1)]))[0]
    assert 2 * too_early * 6 > SIGNIFICANCE
    assert asked[0, 0] < 500


def test_a_single_strong_item_is_found_at_the_limit():
    shares = np.full((2, 60), 0.5)
    shares[:, 7] = 0.0
    draw, first, asked = simulated(shares, 0)
    p_values = permute_in_rounds(draw, first, 2399).p_values()
    assert p_values[7] == pytest.approx(2 / 2400)
    assert asked[:, 7].tolist() == [2399, 20]
    # With fewer it cannot be found, however it goes on, and is followed only until it is significant by itself.
    draw, first, asked = simulated(shares, 0)
    assert permute_in_rounds(draw, first, 1999).p_values()[7] <= SIGNIFICANCE
    assert asked[:, 7].max() < 199


def test_an_item_without_luck_on_one_side_goes_on_on_the_other():
    shares = np.array([[0.5] * 20, [0.0] * 20])
    draw, first, asked = simulated(shares, 0)
    course = permute_in_rounds(draw, first, 799)
    assert (adjust_benjamini_hochberg(course.p_values()) <= SIGNIFICANCE).all()
    assert (asked[0] == 20).all()


def test_time_ends_a_test_and_its_p_value_is_that_of_the_last_look():
    shares = np.zeros((2, 60))
    shares[:, 3:] = 0.5
    draw, first, asked = simulated(shares, 0)
    allowed = iter([True, True, False])
    course = permute_in_rounds(draw, first, 1999, goes_on=lambda permutations, open_items: next(allowed))
    looks = course.looks
    assert asked[0, :3].tolist() == [looks.totals[2]] * 3
    expected = 2 * looks.p_values(np.array([1 / (looks.totals[2] + 1)]))[0]
    np.testing.assert_allclose(course.p_values()[:3], expected)


def test_ties_count_against_the_item():
    assert Course(np.zeros((2, 3, 20)), 199).p_values().tolist() == [1, 1, 1]


def test_shares_that_are_far_off_count_at_the_first_look_only():
    looks = Looks(20, 199)
    assert looks.shares(np.array([0, 1]), np.array([4, 4])).tolist() == [5 / 21, np.inf]
    assert FAR < 5 / 31


def test_who_is_judged_by_itself_stops_once_its_own_p_value_is_clear():
    shares = np.full((2, 60), 0.5)
    shares[:, 7] = 0.0
    draw, first, asked = simulated(shares, 0)
    course = permute_in_rounds(draw, first, 1999, aim=EACH_BY_ITSELF)
    assert course.p_values()[7] <= SIGNIFICANCE
    before = course.looks.totals[course.look[0, 7] - 1]
    assert 2 * course.looks.p_values(np.array([1 / (before + 1)]))[0] > SIGNIFICANCE  # not a look later than needed
    assert asked[1, 7] == 20


def test_a_wider_aim_finds_more_at_its_level():
    shares = np.full((1, 40), 0.5)
    shares[0, :4] = 0.006
    found = {}
    for level in (0.05, 0.2):
        draw, first, _ = simulated(shares, 3)
        aim = Aim(level)
        found[level] = aim.is_reached(permute_in_rounds(draw, first, 1999, aim=aim).p_values())
    assert found[0.2][:4].all()
    assert found[0.2].sum() >= found[0.05].sum()

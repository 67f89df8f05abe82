"""How many permutations p-values take, what they find, and how often they raise false alarms.

Permutations are simulated: an item that says nothing ranks anywhere among its permutations, one that matters does so
by a normal statistic that is shifted. Besag and Clifford's sequential p-values (Biometrika, 1991) are what the tests in
rounds are measured against: each side stops at the tenth permutation that does as well, or at the limit. Permutations
of either are counted whole rounds at a time, as they are made.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from graphsieve.files.writing import write_csv
from graphsieve.inference.p_values import SIGNIFICANCE, adjust_benjamini_hochberg, smaller_multiplied
from graphsieve.inference.sequential import permute_in_rounds

FIRST, ITEMS, SIDES = 20, 60, 2
ENOUGH = 10  # Besag and Clifford's count
SHIFTS: dict[str, tuple[int, Callable]] = {  # how many items matter, and by how many deviations
    "none": (0, lambda rng, number: np.zeros(number)),
    "1 strong": (1, lambda rng, number: np.full(number, 8.0)),
    "3 strong": (3, lambda rng, number: np.full(number, 8.0)),
    "10 strong": (10, lambda rng, number: np.full(number, 8.0)),
    "3 of all strengths": (3, lambda rng, number: rng.uniform(1, 5, number)),
    "10 of all strengths": (10, lambda rng, number: rng.uniform(1, 5, number)),
    "20 of all strengths": (20, lambda rng, number: rng.uniform(1, 5, number)),
    "10 weak": (10, lambda rng, number: np.full(number, 2.5)),
}


def besag_clifford(shares: np.ndarray, limit: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """p-values of the items, and the permutations made for them: rounds that double, as they were."""
    running = (rng.random((*shares.shape, limit), dtype=np.float32) < shares[..., None]).cumsum(axis=2, dtype=np.int32)
    done = running[..., -1] >= ENOUGH
    stopped = np.where(done, (running >= ENOUGH).argmax(axis=2) + 1, limit)
    p_values = np.where(done, ENOUGH / stopped, (running[..., -1] + 1) / (limit + 1))
    rounds = [FIRST]
    while rounds[-1] < limit:
        rounds.append(min(2 * rounds[-1], limit))
    return smaller_multiplied(p_values), int(np.array(rounds)[np.searchsorted(rounds, stopped)].sum())


def in_rounds(shares: np.ndarray, limit: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    def draw(side: int, items: np.ndarray, look: int, count: int) -> np.ndarray:
        return np.where(rng.random((len(items), count)) < shares[side, items, None], -1.0, 1.0)

    first = np.stack([draw(side, np.arange(shares.shape[1]), 0, FIRST) for side in range(len(shares))])
    course = permute_in_rounds(draw, first, limit)
    return course.p_values(), int(course.made.sum())


WAYS = {"besag_clifford": besag_clifford, "in_rounds": in_rounds}


def measure(relevant: int, shifts: Callable, repeats: int, limit: int, seed: int) -> pd.DataFrame:
    """One row per way: means over simulated graphs, the same for both."""
    rows = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        shift = np.zeros(ITEMS)
        shift[:relevant] = shifts(rng, relevant)
        shares = norm.sf(rng.standard_normal((SIDES, ITEMS)) + shift)
        for way, make in WAYS.items():
            p_values, permutations = make(shares, limit, rng)
            found = adjust_benjamini_hochberg(p_values) <= SIGNIFICANCE
            small = p_values <= SIGNIFICANCE
            row = {"way": way, "permutations": permutations, "false_alarms": small[relevant:].mean()}
            row |= {"false_discoveries": found[relevant:].sum() / max(1, found.sum())}
            if relevant:
                row |= {"found": found[:relevant].mean(), "found_alone": small[:relevant].mean()}
            rows.append(row)
    return pd.DataFrame(rows).groupby("way", sort=False).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--graphs", type=int, default=1000, help="of each kind")
    parser.add_argument("--limit", type=int, default=1999, help="most permutations for a p-value")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results/bench/sequential.csv"))
    given = parser.parse_args()
    tables = []
    for name, (relevant, shifts) in SHIFTS.items():
        table = measure(relevant, shifts, given.graphs, given.limit, given.seed)
        table["times_fewer"] = table["permutations"].iloc[0] / table["permutations"]
        tables.append(table.assign(relevant=name).reset_index())
    table = pd.concat(tables)
    table = table[["relevant", *table.columns.drop("relevant")]]
    print(table.round(4).to_string(index=False))
    write_csv(table, given.out)


if __name__ == "__main__":
    main()

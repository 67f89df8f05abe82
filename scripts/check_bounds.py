"""Put the paper's bounds to the test: random cases, permuted features, a search for violations, Proposition 1."""

import argparse

import numpy as np
from tqdm import tqdm

from command import run
from graphsieve.files.writing import write_csv
from graphsieve.randomness import generator
from graphsieve.theory import checks, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300, help="random cases for every network")
    parser.add_argument("--permuted-cases", type=int, default=60, help="cases whose features are permuted")
    parser.add_argument("--search-steps", type=int, default=100, help="changes tried in each climb of a search")
    parser.add_argument("--seed", type=int, default=0)
    for name in ("cases", "permutations", "searches", "proposition"):
        parser.add_argument(f"--out-{name}", required=True)
    arguments = parser.parse_args()

    rng = generator(arguments.seed, "graph")
    steps = {
        arguments.out_cases: lambda: checks.check_theorems(arguments.cases, rng),
        arguments.out_permutations: lambda: checks.check_permutations(arguments.permuted_cases, rng),
        arguments.out_searches: lambda: report.tabulate_searches(report.search_all(rng, arguments.search_steps)),
        arguments.out_proposition: lambda: checks.check_proposition(columns(rng), (1, 2, 5, 10), rng),
    }
    for path, step in tqdm(steps.items(), desc="checks"):
        write_csv(step(), path)


def columns(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Features to permute: few values and many, rare and common ones."""
    return {
        "two signs": np.array([-1.0, 1.0]),
        "fifty signs": np.repeat([-1.0, 1.0], 25),
        "rare word": (np.arange(200) < 5).astype(float),
        "normal": rng.standard_normal(200),
    }


if __name__ == "__main__":
    run(main)

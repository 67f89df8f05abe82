"""Put the paper's bounds to the test: random cases, permuted features, a search for violations, Proposition 1."""

import numpy as np
from tqdm import tqdm

from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.options import BoundOptions
from graphsieve.randomness import generator
from graphsieve.theory import checks, report

SEED = 0


def main(job) -> None:
    options, rng = BoundOptions(**job.params.bounds), generator(SEED, "graph")
    steps = {
        job.output.cases: lambda: checks.check_theorems(options.cases, rng),
        job.output.permutations: lambda: checks.check_permutations(options.permuted_cases, rng),
        job.output.searches: lambda: report.tabulate_searches(report.search_all(rng, options.search_steps)),
        job.output.proposition: lambda: checks.check_proposition(columns(rng), (1, 2, 5, 10), rng),
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
    run_job(snakemake, main)

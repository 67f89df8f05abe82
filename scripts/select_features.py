"""Keep the best features of a score file: an exact number, ties broken on purpose."""

import numpy as np

from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.selection.top import count_to_keep, keep_top


def main(job) -> None:
    table = read_csv(job.input.scores, ["feature", "score", "loss"])
    losses = None if table["loss"].isna().all() else table["loss"].to_numpy()
    count = count_to_keep(len(table), job.params.keep)
    seed = int(job.wildcards.seed)
    selection = keep_top(table["score"].to_numpy(), count, losses=losses, ties=job.params.ties, seed=seed)

    table["rank"] = np.argsort(selection.ranking) + 1
    table["kept"] = table["feature"].isin(selection.kept)
    table["ties"] = selection.ties
    write_csv(table, job.output.selection)


if __name__ == "__main__":
    run_job(snakemake, main)

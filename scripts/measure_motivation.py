"""Train a GCN and an MLP on generated graphs of every kind that Figure 1 shows."""

import argparse

import pandas as pd
from tqdm import tqdm

from command import add_hyper_parameters, prepare_device, run, training_options
from graphsieve.files.writing import write_csv
from graphsieve.study.motivation import KINDS, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seeds", type=int, required=True, help="how many graphs of each kind, with seeds 0, 1, 2, ..."
    )
    add_hyper_parameters(parser)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    options, device = training_options(arguments), prepare_device(arguments)
    trials = [(kind, seed) for kind in KINDS for seed in range(arguments.seeds)]
    progress = tqdm(trials, desc="graphs", mininterval=2)
    records = [record for kind, seed in progress for record in measure(kind, seed, options, device)]
    write_csv(pd.DataFrame(records), arguments.out)


if __name__ == "__main__":
    run(main)

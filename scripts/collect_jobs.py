"""One table of what every job of a run took: the page on cost is made from it."""

import argparse

from command import add_earlier_argument, run
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv
from graphsieve.jobs.usage import read_benchmarks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmarks", help="the run's folder of benchmark files")
    add_earlier_argument(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    write_csv(with_earlier(read_benchmarks(arguments.benchmarks), arguments.earlier), arguments.out)


if __name__ == "__main__":
    run(main)

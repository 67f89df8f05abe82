"""Stack the records of many runs into one tidy table."""

import argparse

from command import run
from graphsieve.records import collect, write_csv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    write_csv(collect(arguments.records), arguments.out)


if __name__ == "__main__":
    run(main)

"""Stack the records of many runs into one tidy table."""

import argparse

from command import add_earlier_argument, run
from graphsieve.files.reading import collect
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="*")
    add_earlier_argument(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    write_csv(with_earlier(collect(arguments.records), arguments.earlier), arguments.out)


if __name__ == "__main__":
    run(main)

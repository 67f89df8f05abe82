"""Write what a run's results depend on beside its records; a later run that starts from them must have the same."""

import argparse
import json

from command import run
from graphsieve.files.writing import write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=json.loads, required=True, help="as JSON")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    write_text(json.dumps(arguments.settings, indent=1) + "\n", arguments.out)


if __name__ == "__main__":
    run(main)

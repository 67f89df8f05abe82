"""Rank the features of a graph of your own: the command `graphsieve rank`, where the package is not installed."""

import sys

from graphsieve_command.main import main

if __name__ == "__main__":
    sys.argv.insert(1, "rank")
    main()

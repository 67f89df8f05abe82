"""Draw the rules of the default run for the README; the pages, which are many and alike, become one box.

Needs Graphviz (`dot` and `tred`).
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from graphsieve.errors import InputError, run_program
from graphsieve.files.writing import write_text
from graphsieve.jobs.bundles import single_rule

INDEX = "build_index"
LEFT_OUT = ("all", "record_settings")
STYLE = 'rankdir=LR; node [shape=box, style="rounded,filled", fillcolor="#eef4fa", color="#0072b2", fontname=sans]'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results/pictures/rulegraph.svg"))
    arguments = parser.parse_args()
    if not shutil.which("dot"):
        raise InputError("the program dot is missing: install Graphviz")
    whole = run([sys.executable, "-m", "snakemake", "--quiet", "all", "--rulegraph", "dot"])
    reduced = run(["tred"], with_pages_together(*read_graph(whole)))  # without edges that longer ways imply
    write_text(run(["dot", "-Tsvg"], reduced), arguments.out)


def run(command: list[str], given: str = "") -> str:
    return subprocess.run(command, input=given, text=True, capture_output=True, check=True).stdout


def read_graph(dot: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Names of the rules by their numbers, bundles as the rules that they belong to; the edges between numbers."""
    names = {number: single_rule(name) for number, name in re.findall(r"(\d+)\[label = \"(\w+)", dot)}
    return names, re.findall(r"(\d+) -> (\d+)", dot)


def with_pages_together(names: dict[str, str], edges: list[tuple[str, str]]) -> str:
    drawn = {number: name for number, name in names.items() if name not in LEFT_OUT}
    pages = {start for start, end in edges if names[end] == INDEX and not names[start].startswith("collect")}
    box = f"execute_notebook\\n{len(pages)} pages"
    titles = {number: box if number in pages else name for number, name in drawn.items()}
    lines = {f'"{titles[start]}" -> "{titles[end]}"' for start, end in edges if start in drawn and end in drawn}
    return "digraph rules {\n" + "\n".join([STYLE, *sorted(lines)]) + "\n}\n"


if __name__ == "__main__":
    run_program(main)

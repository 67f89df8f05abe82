"""Copy what the project publishes of a finished run to another folder, or say in one sentence why it is not to be.

Refused are records of modified code, a working tree that is modified now, and too much of it all.
"""

import argparse
import shutil
from pathlib import Path

from graphsieve.errors import InputError, run_program
from graphsieve.pages import provenance
from graphsieve.pages.origins import check_publishable

PUBLISHED = ("index.html", "notebooks/*.html", "tables/*", "figures/*", "records/*")  # the rest stays with its maker
LARGEST_MIB = 40  # of all results together


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="folder of a finished run, such as results/final")
    parser.add_argument("--to", type=Path, default=Path("results/paper"))
    arguments = parser.parse_args()
    print(f"{publish(arguments.run, arguments.to)} files are in {arguments.to}")


def publish(run: Path, target: Path, commit: str | None = None) -> int:
    """Copy the files, and remove those of an earlier publication that this run has not got; returns how many."""
    commit = provenance.commit() if commit is None else commit
    if not (run / "index.html").is_file():
        raise InputError(f"{run} has no index.html: give the folder of a finished run")
    if commit.endswith(provenance.MODIFIED):
        raise InputError("the code was modified since its last commit: commit it, make the run again, then publish")
    for table in check_publishable(run / "records"):
        print(f"{table} has records that do not say what they came from: they are marked as unknown")
    files = [path for pattern in PUBLISHED for path in sorted(run.glob(pattern)) if not path.name.startswith(".")]
    check_size(files, target)
    shutil.rmtree(target, ignore_errors=True)
    for path in files:
        copy = target / path.relative_to(run)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return len(files)


def check_size(files: list[Path], target: Path) -> None:
    """These files and all that is published beside the target must stay small; runs that git ignores do not count."""
    tracked = provenance.ask("git", "-C", target.parent, "ls-files").splitlines() if target.parent.is_dir() else []
    others = [target.parent / name for name in tracked if Path(name).parts[0] != target.name]
    size = sum(path.stat().st_size for path in (*files, *others) if path.is_file()) / 2**20
    if size >= LARGEST_MIB:
        raise InputError(f"results would have {size:.1f} MiB, and {LARGEST_MIB} is the limit: publish fewer records")


if __name__ == "__main__":
    run_program(main)

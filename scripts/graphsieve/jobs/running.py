"""How a script runs as a job of the workflow: its log, its mistakes in one sentence, and what it used in the end.

A script gets from Snakemake an object with `input`, `output`, `params`, `wildcards`, `threads`, `log`, `rule` and
`config`; nothing here needs Snakemake itself.
"""

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from graphsieve.errors import InputError
from graphsieve.files.writing import write_text
from graphsieve.jobs.usage import usage_line

RUN_CONFIG = "config.yaml"  # in the folder of a run: its whole config, with which any of its jobs can be repeated


def run_job(job: SimpleNamespace, main: Callable[[SimpleNamespace], None]) -> None:
    """Call `main(job)` with everything it prints in the job's log.

    The log begins with the command that repeats the job and ends with what the job used. A user's mistake ends in one
    sentence and exit code 1 instead of a traceback.
    """
    started = time.perf_counter()
    _print_to(Path(job.log[0]))
    print(f"To repeat this job: {repeat_command(job)}", flush=True)
    try:
        main(job)
    except InputError as error:
        sys.exit(f"error: {error}")
    print(usage_line(job.rule, dict(job.wildcards.items()), time.perf_counter() - started), flush=True)


def repeat_command(job: SimpleNamespace) -> str:
    """What to type, in the folder where Snakemake was started, to make this job's output again."""
    words = ["snakemake", "--cores", str(job.threads), "--force"]
    config = Path("results", job.config["run"], RUN_CONFIG)
    if config.exists():
        words += ["--configfile", str(config)]
    return shlex.join([*words, "--", str(job.output[0])])


def write_run_config(config_text: str, run_folder: Path) -> None:
    write_text(config_text, run_folder / RUN_CONFIG)


def _print_to(log: Path) -> None:
    """Send all output to the log: our own, that of libraries written in C, and that of processes we start."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())


def run_columns(job: SimpleNamespace) -> dict:
    """What tells one run's record from another's."""
    names = ("dataset", "model", "split", "seed")
    return {name: int(job.wildcards[name]) if name == "seed" else job.wildcards[name] for name in names}

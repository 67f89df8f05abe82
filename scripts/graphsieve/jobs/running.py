"""How a script runs as a job of the workflow: its log, its mistakes in one sentence, and what it used in the end.

A script gets from Snakemake an object with `input`, `output`, `params`, `wildcards`, `threads`, `log`, `rule` and
`config`; nothing here needs Snakemake itself.
"""

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

from graphsieve.errors import InputError
from graphsieve.files.writing import write_text
from graphsieve.jobs.bundles import RUN
from graphsieve.jobs.receipts import Result
from graphsieve.jobs.usage import Meter, usage_line

RUN_CONFIG = "config.yaml"  # in the folder of a run: its whole config, with which any of its jobs can be repeated


def run_job(job: SimpleNamespace, main: Callable[[SimpleNamespace], list[dict] | None]) -> None:
    """Call `main(job)` with everything it prints in the job's log.

    The log begins with the command that repeats the job and ends with what the job used, or with what `main` returns:
    a row of measures for each of its results. A user's mistake ends in one sentence and exit code 1 instead of a
    traceback.
    """
    meter = Meter()
    _print_to(Path(job.log[0]))
    print(f"To repeat this job: {repeat_command(job)}", flush=True)
    try:
        used = main(job)
    except InputError as error:
        sys.exit(f"error: {error}")
    for row in used or [meter.read(job.rule, dict(job.wildcards.items()))]:
        print(usage_line(row), flush=True)


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


def run_columns(job: SimpleNamespace | Result) -> dict:
    """What tells one run's record from another's."""
    return {name: int(job.wildcards[name]) if name == "seed" else job.wildcards[name] for name in RUN}


def results_of(job: SimpleNamespace, inputs: Callable[[dict], Sequence[str]]) -> list[Result]:
    """The results of a job that may make several.

    `job.params.results` has the wildcards and the settings of each, every name of `job.output` one file of each;
    `inputs` names the files that a result with these wildcards is made from.
    """
    files = zip(*(listed(some) for _, some in job.output.items()), strict=True)
    found = []
    for (wildcards, settings), outputs in zip(job.params.results, files, strict=True):
        everything = {**settings, "device": job.params.device, "code": job.params.code}
        found.append(Result(wildcards, outputs, tuple(map(str, inputs(wildcards))), everything, job.params.strict))
    return found


def listed(files: str | Sequence[str]) -> list[str]:
    """Snakemake hands on one file as a text."""
    return [files] if isinstance(files, (str, os.PathLike)) else list(files)

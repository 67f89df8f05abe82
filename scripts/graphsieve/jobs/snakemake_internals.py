"""What we need of Snakemake and it offers no supported way to: all of it here, so that a new version is checked once.

A logger plugin would be the supported way to shorten messages only where it is installed beside Snakemake, and it could
not add to what Snakemake prints itself. A supported way to take back the lock of a run that was killed is to type
`snakemake --unlock`, which nobody should have to know. No option lifts the limit of job starts.
"""

import logging
from pathlib import Path

LOCKS = Path(".snakemake/locks")
SCREEN_HANDLER = "ColorizingTextHandler"
NOTHING_TO_RESTORE = "Cannot restore "  # begins a warning for every file that a failed job made for the first time


def event_of(record: logging.LogRecord) -> str:
    """The name of Snakemake's event, empty for an ordinary message."""
    return getattr(getattr(record, "event", None), "name", "")


def screen_of(logger: logging.Logger) -> logging.StreamHandler | None:
    """Snakemake's own handler for the screen; None where a logger plugin has its place."""
    return next((one for one in logger.handlers if type(one).__name__ == SCREEN_HANDLER), None)


def lock_files(run_folder: str, locks: Path = LOCKS) -> list[Path]:
    """Snakemake's locks on files of this run; another run in the same folder has its own."""
    return [path for path in locks.glob("*.lock") if f"{run_folder}/" in path.read_text()]


def lift_rate_limit(workflow) -> None:
    """Let a local run start jobs as they come.

    Snakemake allows 100 starts a second, and to keep to it looks at all jobs again every second, once for every job
    that has finished: after some hundred jobs that takes half a core.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def forced_jobs(workflow) -> list:
    """The jobs that run because the user said so (--force, --forcerun, --forceall)."""
    return [job for job in workflow.dag.needrun_jobs() if workflow.dag.reason(job).forced]

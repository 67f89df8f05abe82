"""Going on after a Snakemake that was killed outright and so could not take back its lock; no rules."""

import socket
from pathlib import Path

RUNNER = Path(".snakemake/runners", config["run"])  # names the machine and process that make this run


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, but running
    return True


def lock_files():
    """Snakemake's locks on files of this run; another run in the same folder has its own."""
    return [path for path in Path(".snakemake/locks").glob("*.lock") if f"results/{config['run']}/" in path.read_text()]


def release_dead_lock():
    """Remove a lock whose Snakemake is surely gone; of any other say whose it is, and let Snakemake refuse."""
    if not RUNNER.exists() or not lock_files():
        return
    host, process = RUNNER.read_text().split()
    if host != socket.gethostname():
        tell(
            f"Process {process} on {host} started this run: if it has ended there, type `snakemake --unlock` with the"
            " same --configfile, then start again."
        )
    elif is_running(int(process)):
        tell(f"Process {process} is making this run in this folder: wait until it has ended, or stop it.")
    else:
        try:
            claimed = RUNNER.rename(RUNNER.with_suffix(f".{os.getpid()}"))
        except FileNotFoundError:
            return  # another one that started at the same moment does it
        for path in lock_files():
            path.unlink()
        claimed.unlink()
        tell(
            f"The last run was killed (process {process} is gone): its lock is removed, its unfinished jobs run again."
            + " Jobs that it left on the cluster must have ended first: see squeue --me." * (not workflow.local_exec)
        )


def tell(message):
    print(message, file=sys.stderr)


if workflow.is_main_process:
    release_dead_lock()


def remember_runner():
    """Called when a run starts: Snakemake has one `onstart` only, and it is in the Snakefile."""
    RUNNER.parent.mkdir(parents=True, exist_ok=True)
    unfinished = RUNNER.with_suffix(f".{os.getpid()}")
    unfinished.write_text(f"{socket.gethostname()} {os.getpid()}")
    unfinished.rename(RUNNER)

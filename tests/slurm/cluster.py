"""A real SLURM of one node in a folder: no systemd, no root, no accounting; stopped by pid.

    python tests/slurm/cluster.py /some/folder      # up until Ctrl-C; prints what to export

The node pretends to have eight cores and one GPU that exists only in SLURM's books, so that jobs are scheduled against
it for real on any machine.
"""

import argparse
import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol")
DAEMON_FOLDERS = "/usr/sbin:/sbin"
CORES = 8
MEMORY_MB = 8000

SLURM_CONF = """
ClusterName=graphsieve
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge/socket
PlugStackConfig=/dev/null
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
MinJobAge=3600
KillWait=5
SlurmdTimeout=30
ReturnToService=2
MpiDefault=none
EnforcePartLimits=ALL
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} Gres=gpu:1
PartitionName=cpu Nodes={host} Default=YES MaxTime=120
PartitionName=gpu Nodes={host} MaxTime=120
"""

# Job steps lose SLURM_CONF on their way. sacct has no accounting to ask, and a poll that falls back on it while the
# controller is away would wait for ever: it gets squeue's answer; other questions get none.
WRAPPERS = {
    "srun": 'export SLURM_CONF={folder}/slurm.conf\nexec {srun} "$@"\n',
    "sacct": "case \"$*\" in *JobIdRaw*) exec squeue --states=all --noheader --format='%i|%T' ;; esac\n",
}


def missing_programs() -> list[str]:
    """What a cluster needs and this machine lacks."""
    path = f"{os.environ['PATH']}:{DAEMON_FOLDERS}"
    return [program for program in PROGRAMS if shutil.which(program, path=path) is None]


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Use as a context: up on entry, down on exit. `environment` is what a program needs to reach it."""

    def __init__(self, folder: Path):
        self.folder = Path(folder).resolve()
        search = f"{self.folder}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}:{DAEMON_FOLDERS}"
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf", "PATH": search}

    def __enter__(self) -> "Cluster":
        try:
            self.write_files()
            self.start_munged()
            self.start_slurmctld()
            self.start_slurmd()
            self.wait_for_node("idle")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def write_files(self) -> None:
        for name in ("munge", "state", "spool", "bin"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)  # munged wants everybody to reach its socket, through every parent folder too
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        controller_port, node_port = free_ports(2)
        settings = {
            "folder": self.folder,
            "host": socket.gethostname().split(".")[0],
            "user": getpass.getuser(),
            "controller_port": controller_port,
            "node_port": node_port,
            "cores": CORES,
            "memory": MEMORY_MB,
        }
        (self.folder / "slurm.conf").write_text(SLURM_CONF.format(**settings))
        (self.folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
        for name, text in WRAPPERS.items():
            wrapper = self.folder / "bin" / name
            wrapper.write_text("#!/bin/sh\n" + text.format(folder=self.folder, srun=shutil.which("srun")))
            wrapper.chmod(0o755)

    def start_munged(self) -> None:
        place = self.folder / "munge"
        names = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        self.run("munged", *(f"--{option}={place / name}" for option, name in names.items()))

    def start_slurmctld(self, clean: bool = True) -> None:
        """A clean start forgets the jobs of an earlier one."""
        self.run("slurmctld", *(["-c"] if clean else []))

    def start_slurmd(self) -> None:
        self.run("slurmd")

    def run(self, *command: object, check: bool = True, timeout: float = 60) -> subprocess.CompletedProcess:
        """A program that talks to this cluster."""
        words = [str(word) for word in command]
        result = subprocess.run(
            words, env=self.environment, text=True, capture_output=True, check=False, timeout=timeout
        )
        if check and result.returncode:
            raise RuntimeError(f"{' '.join(words)} failed: {result.stdout}{result.stderr}")
        return result

    def pid(self, daemon: str) -> int | None:
        path = self.folder / ("munge/pid" if daemon == "munged" else f"{daemon}.pid")
        return int(path.read_text()) if path.exists() else None

    def kill(self, daemon: str, how: signal.Signals = signal.SIGTERM, seconds: float = 10) -> None:
        """End one daemon and wait until it is gone."""
        pid = self.pid(daemon)
        if pid is None:
            return
        end = time.monotonic() + seconds
        try:
            os.kill(pid, how)
            while time.monotonic() < end:
                os.kill(pid, 0)
                time.sleep(0.05)
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def lose_node(self) -> None:
        """What a power cut leaves: neither the node's daemon nor anything that it started."""
        self.kill("slurmd", signal.SIGKILL)
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # gone meanwhile
                if self.is_of_job(process):
                    os.kill(int(process.name), signal.SIGKILL)

    def is_of_job(self, process: Path) -> bool:
        """Whether it watches over a job of this cluster, or is part of one."""
        variables = (process / "environ").read_bytes().split(b"\0")
        ours = any(os.fsencode(self.folder) in variable for variable in variables)
        watches = (process / "comm").read_text().startswith("slurmstepd")
        return ours and (watches or any(variable.startswith(b"SLURM_JOB_ID=") for variable in variables))

    def wait_for_node(self, state: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = self.run("sinfo", "-h", "-o", "%T", check=False).stdout.split()
            if answer and all(found.startswith(state) for found in answer):
                return
            time.sleep(0.1)
        logs = "\n".join(log.read_text()[-2000:] for log in self.folder.glob("*.log"))
        raise RuntimeError(f"the node was not {state} after {seconds:.0f} s\n{logs}")

    def stop(self) -> None:
        if self.pid("slurmctld"):
            self.run("scancel", "--user", getpass.getuser(), check=False)
        for daemon in ("slurmd", "slurmctld", "munged"):
            self.kill(daemon)

    def jobs(self) -> list[dict[str, str]]:
        """What `scontrol show job` says of every job, the newest last."""
        blocks = self.run("scontrol", "--oneliner", "show", "job").stdout.splitlines()
        return [dict(word.split("=", 1) for word in block.split() if "=" in word) for block in blocks if "=" in block]


def main() -> None:
    parser = argparse.ArgumentParser(description="Bring a one-node SLURM up until Ctrl-C.")
    parser.add_argument("folder", type=Path, help="a new folder for its files")
    folder = parser.parse_args().folder
    if missing := missing_programs():
        sys.exit(f"missing {', '.join(missing)}: apt-get install slurmctld slurmd slurm-client munge")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Cluster(folder) as cluster, contextlib.suppress(KeyboardInterrupt):
        print(f"export SLURM_CONF={cluster.folder}/slurm.conf PATH={cluster.folder}/bin:$PATH", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()

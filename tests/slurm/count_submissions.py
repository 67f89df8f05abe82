"""What a run would submit to a cluster, and what that costs; nothing is run, no data is needed.

python tests/slurm/count_submissions.py config/paper.yaml
python tests/slurm/count_submissions.py config/paper.yaml --device cuda --out submissions.csv
"""

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd
from snakemake import cli
from snakemake.resources import GroupResources
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.workflow import Workflow

sys.path.insert(0, "scripts")

from graphsieve.jobs.bundles import single_rule
from graphsieve.jobs.resources import TIME_BASE, TIME_MARGIN, Measured, read_measured

PROFILE = "profiles/slurm"
SECONDS_OF_OVERHEAD = 6  # measured, for one submission


@dataclass(frozen=True)
class Submission:
    """What is asked of the cluster at once, on the first attempt, and the work in it."""

    name: str
    jobs: int
    rules: str
    datasets: str
    cores: int
    mem_mb: int
    minutes: int
    gpus: int
    work_seconds: float


def read_workflow(configs: list[str], device: str) -> Workflow:
    """The jobs of a run as Snakemake would hand them to the cluster, caught where it begins to schedule them."""
    caught = []

    def catch(scheduler: JobScheduler) -> bool:
        caught.append(scheduler.workflow)
        return True

    JobScheduler.schedule = catch
    words = ["--profile", PROFILE, "--dry-run", "--quiet", "all", "--configfile", *configs, "--config"]
    parser, arguments = cli.parse_args([*words, f"device={device}"])
    if not cli.args_to_api(arguments, parser) or not caught:
        sys.exit("the dry run failed: see above")
    return caught[0]


def work_of(job: object, measured: dict[tuple[str, str], Measured]) -> float:
    """Seconds of CPU: measured, or what the request for this job expects, as for one that bundles results."""
    known = measured.get((job.rule.name, job.wildcards_dict.get("dataset", "")))
    return known.cpu_seconds if known else max(0, job.resources.runtime - TIME_BASE) / TIME_MARGIN * 60


def submissions(configs: list[str], device: str) -> tuple[list[Submission], int]:
    """Everything that is submitted, and how many jobs run beside Snakemake."""
    workflow = read_workflow(configs, device)
    measured = read_measured(pd.read_csv("workflow/measured.csv", keep_default_na=False))
    groups = workflow.dag._group
    alone = [job for job in workflow.dag.needrun_jobs() if job not in groups]
    local = [job for job in alone if job.rule.name in workflow._localrules]
    found = []
    for levels in [
        *(group.toposorted for group in {id(group): group for group in groups.values()}.values()),
        *([[job]] for job in alone if job not in local),
    ]:
        asked = GroupResources.basic_layered(levels, workflow.global_resources, run_local=False)
        members = [job for level in levels for job in level]
        found.append(
            Submission(
                name=members[0].group or single_rule(members[0].rule.name),
                jobs=len(members),
                rules=" ".join(sorted({single_rule(job.rule.name) for job in members})),
                datasets=" ".join(sorted({job.wildcards_dict.get("dataset", "") for job in members})),
                cores=asked["_cores"],
                mem_mb=asked["mem_mb"],
                minutes=asked["runtime"],
                gpus=asked.get("gpu", 0),
                work_seconds=round(sum(work_of(job, measured) for job in members), 1),
            )
        )
    return found, len(local)


def describe(table: pd.DataFrame, local: int) -> str:
    """Jobs, submissions and overhead, of the run and of each kind of submission."""
    kinds = table.groupby("name").agg(
        submissions=("jobs", "size"),
        jobs=("jobs", "sum"),
        median_work_s=("work_seconds", "median"),
        most_cores=("cores", "max"),
        most_mem_mb=("mem_mb", "max"),
        most_minutes=("minutes", "max"),
    )
    submitted = table["jobs"].sum()
    return "\n".join(
        [
            f"{submitted + local} jobs: {local} run beside Snakemake, {submitted} in {len(table)} submissions",
            f"median work of a submission: {table['work_seconds'].median():.0f} s of CPU",
            f"overhead at {SECONDS_OF_OVERHEAD} s a submission: {SECONDS_OF_OVERHEAD * len(table)} s;"
            f" one submission a job would cost {SECONDS_OF_OVERHEAD * (submitted + local)} s",
            kinds.round().astype(int).to_string(),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="+", help="as for --configfile, from the project's folder")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--out", type=Path, help="a table of all submissions")
    arguments = parser.parse_args()
    found, local = submissions(arguments.configs, arguments.device)
    table = pd.DataFrame([asdict(each) for each in found])
    if arguments.out:
        table.to_csv(arguments.out, index=False)
    print(describe(table, local))


if __name__ == "__main__":
    main()

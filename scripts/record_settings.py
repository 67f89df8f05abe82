"""Write what a run's results depend on beside its records; a later run that starts from them must have the same."""

import json

from graphsieve.files.writing import write_text
from graphsieve.jobs.running import run_job


def main(job) -> None:
    write_text(json.dumps(job.params.settings, indent=1) + "\n", job.output.settings)


if __name__ == "__main__":
    run_job(snakemake, main)

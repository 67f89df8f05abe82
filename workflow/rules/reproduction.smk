rule judge_claims:
    """The paper's claims as tests with intervals, and every cell against the published."""
    input:
        template="notebooks/claims.ipynb",
        one_shot="<results>/records/one_shot.csv",
        perturbations="<results>/records/perturbations.csv",
        checkpoints="<results>/records/adaptive_checkpoints.csv.gz",
        scores="<results>/records/adaptive_scores.csv.gz",
        correlated="<results>/records/correlated_scores.csv.gz",
        ablation="<results>/records/ablation_history.csv.gz",
        published=expand("config/published/{table}.csv", table=ACCURACY_TABLES),
    output:
        notebook="<results>/notebooks/claims.ipynb",
        best=report(
            "<results>/tables/claims_best_one_shot.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "best one-shot method"},
        ),
        best_adaptive=report(
            "<results>/tables/claims_best_adaptive.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "best adaptive method"},
        ),
        early=report(
            "<results>/tables/claims_early.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "how early importance is known"},
        ),
        correlation=report(
            "<results>/tables/claims_correlation.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "correlation of scores"},
        ),
        repeats=report(
            "<results>/tables/claims_repeats.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "number of permutations"},
        ),
        fair=report(
            "<results>/tables/claims_fair.csv",
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "training labels for everybody"},
        ),
        agreement=report(
            expand("<results>/tables/claims_agreement_table{number}.csv", number=[1, 2, 3]),
            category="Tables",
            caption="../report/claims.rst",
            labels={"product": "Claims", "shows": "agreement with the published"},
        ),
    log:
        "<results>/logs/judge_claims.log",
    benchmark:
        "<results>/benchmarks/judge_claims.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        table=claims_stem,
        repeats=config["scoring"]["repeats"],
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r one_shot {input.one_shot} -r perturbations {input.perturbations} -r checkpoints {input.checkpoints}"
        " -r scores {input.scores} -r correlated {input.correlated} -r ablation {input.ablation}"
        " -r published config/published -p reference {params.repeats} -r table {params.table} > {log} 2>&1"


rule account_cost:
    """Core-hours of every study, what the plain way would have taken, and what was requested against what was used."""
    input:
        template="notebooks/cost.ipynb",
        jobs="<results>/records/jobs.csv",
        timings=adaptive_timings,
        measured="workflow/measured.csv",
        sizes="config/published/table5_datasets.csv",
        speedups=measured_speedups,
    output:
        notebook="<results>/notebooks/cost.ipynb",
        table=report(
            "<results>/tables/cost.csv",
            category="Tables",
            caption="../report/cost.rst",
            labels={"product": "Cost", "shows": "core-hours by study"},
        ),
        requests=report(
            "<results>/tables/cost_requests.csv",
            category="Tables",
            caption="../report/cost.rst",
            labels={"product": "Cost", "shows": "requested and used"},
        ),
    log:
        "<results>/logs/account_cost.log",
    benchmark:
        "<results>/benchmarks/account_cost.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        epochs=epochs_by_dataset,
        table=table_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r jobs {input.jobs} -r timings '{input.timings}' -r speedups '{input.speedups}'"
        " -r measured {input.measured} -r sizes {input.sizes} -y '{{epochs: {params.epochs}}}'"
        " -r table {params.table} > {log} 2>&1"

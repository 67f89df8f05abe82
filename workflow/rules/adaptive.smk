rule adaptive:
    """Train one model and prune its features on the way (Algorithm 1)."""
    input:
        graph=graph_of_job,
    output:
        history="<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/history.csv",
        checkpoints="<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/checkpoints.csv",
        scores="<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/scores.csv",
        features="<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/features.csv",
        timings="<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/timings.csv",
    log:
        "<results>/logs/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}.tsv"
    wildcard_constraints:
        scorer=one_of(["full", *SCORERS]),
    group:
        shared("adaptive")
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("adaptive"),
        runtime=minutes_for("adaptive"),
        gpu=job_gpus,
    params:
        training=training_flags,
        scoring=scoring_flags,
        pruning=pruning_flags,
        device=config["device"],
    shell:
        "python scripts/adapt.py {input.graph} --scorer {wildcards.scorer} --prune {wildcards.prune}"
        " --model {wildcards.model} {params.training} {params.scoring} {params.pruning}"
        " --split {wildcards.split} --seed {wildcards.seed} --device {params.device} --threads {threads}"
        " --out-history {output.history} --out-checkpoints {output.checkpoints} --out-scores {output.scores}"
        " --out-features {output.features} --out-timings {output.timings} > {log} 2>&1"


rule collect_adaptive:
    """One table of all runs of an adaptive study."""
    input:
        records=adaptive_runs,
        earlier=earlier_adaptive,
    output:
        records="<results>/records/{study}_{part}.csv.gz",
    log:
        "<results>/logs/collect_adaptive/{study}_{part}.log",
    benchmark:
        "<results>/benchmarks/collect_adaptive/{study}_{part}.tsv"
    wildcard_constraints:
        study=one_of(ADAPTIVE_STUDIES),
        part="history|checkpoints|scores|features|timings",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.records} --earlier {input.earlier} --out {output.records} > {log} 2>&1"


rule collect_correlated_scores:
    """Scores of every method of Table 4, by dataset and seed."""
    input:
        scores=correlated_scores,
        earlier=earlier.records("correlated_scores.csv.gz"),
    output:
        scores="<results>/records/correlated_scores.csv.gz",
    log:
        "<results>/logs/collect_correlated_scores.log",
    benchmark:
        "<results>/benchmarks/collect_correlated_scores.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.scores} --earlier {input.earlier} --out {output.scores} > {log} 2>&1"

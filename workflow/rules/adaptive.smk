rule adaptive:
    """Train one model and prune its features on the way (Algorithm 1)."""
    input:
        graph=graph_of_job,
    output:
        history="<results>/adaptive/<adaptive_run>/history.csv",
        checkpoints="<results>/adaptive/<adaptive_run>/checkpoints.csv",
        scores="<results>/adaptive/<adaptive_run>/scores.csv",
        features="<results>/adaptive/<adaptive_run>/features.csv",
        timings="<results>/adaptive/<adaptive_run>/timings.csv",
    log:
        "<results>/logs/adaptive/<adaptive_run>.log",
    benchmark:
        "<results>/benchmarks/adaptive/<adaptive_run>.tsv"
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
        training=training_options,
        scoring=adaptive_scoring_options,
        pruning=pruning_options,
        device=config["device"],
        code=code_of("adaptive.py"),
    script:
        "../../scripts/adaptive.py"

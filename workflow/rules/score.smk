rule score:
    """Score every feature with one scorer."""
    input:
        graph=graph_of_job,
        weights=weights_for_scorer,
    output:
        scores="<results>/scores/<run>/{scorer}.csv",
    log:
        "<results>/logs/score/<run>/{scorer}.log",
    benchmark:
        "<results>/benchmarks/score/<run>/{scorer}.tsv"
    group:
        shared("one_shot")
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("score"),
        runtime=minutes_for("score"),
        gpu=job_gpus,
    params:
        scoring=scoring_options,
        training=training_of_scorer,
        device=config["device"],
        code=code_of("score.py"),
    script:
        "../../scripts/score.py"

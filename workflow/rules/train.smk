rule train:
    """Train one model on all features; one training serves all scorers of its seed."""
    input:
        graph=graph_of_job,
    output:
        weights="<results>/train/<run>/weights.npz",
        history="<results>/train/<run>/history.csv",
        record="<results>/train/<run>/record.csv",
    log:
        "<results>/logs/train/<run>.log",
    benchmark:
        "<results>/benchmarks/train/<run>.tsv"
    group:
        shared("train")
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("train"),
        runtime=minutes_for("train"),
        gpu=job_gpus,
    params:
        training=training_options,
        device=config["device"],
        code=code_of("train.py"),
    script:
        "../../scripts/train.py"

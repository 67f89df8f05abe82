rule perturb:
    """Train on a graph whose features or edges were replaced (Table 1)."""
    input:
        graph=graph_of_job,
    output:
        record="<results>/perturb/<run>/{setting}.csv",
    log:
        "<results>/logs/perturb/<run>/{setting}.log",
    benchmark:
        "<results>/benchmarks/perturb/<run>/{setting}.tsv"
    group:
        shared("train")
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("perturb"),
        runtime=minutes_for("perturb"),
        gpu=job_gpus,
    params:
        training=training_options,
        perturbation=perturbation_options(),
        device=config["device"],
        code=code_of("perturb.py"),
    script:
        "../../scripts/perturb.py"

rule select_features:
    """Keep the best features of one scorer: an exact number, ties broken on purpose."""
    input:
        scores=rules.score.output.scores,
    output:
        selection="<results>/selection/<run>/{scorer}.csv",
    log:
        "<results>/logs/select_features/<run>/{scorer}.log",
    group:
        one_shot_group
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=2,
    params:
        keep=dataset_option("keep"),
        ties=config["scoring"]["ties"],
        code=code_of("select_features.py"),
    script:
        "../../scripts/select_features.py"


rule retrain:
    """Train on the kept features alone: a new model, or the trained one that goes on."""
    input:
        graph=graph_of_job,
        selection=rules.select_features.output.selection,
        weights=weights_to_continue,
    output:
        record="<results>/retrain/<run>/{scorer}.csv",
    log:
        "<results>/logs/retrain/<run>/{scorer}.log",
    benchmark:
        "<results>/benchmarks/retrain/<run>/{scorer}.tsv"
    group:
        one_shot_group
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("retrain"),
        runtime=minutes_for("retrain"),
        gpu=job_gpus,
    params:
        training=training_options,
        selection=config["selection"],
        scored_model=config["scoring"]["scored_model"],
        device=config["device"],
        code=code_of("retrain.py"),
    script:
        "../../scripts/retrain.py"

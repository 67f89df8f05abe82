rule select_features:
    """Keep an exact number of the best features."""
    input:
        scores="<results>/scores/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv",
    output:
        selection="<results>/selection/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv",
    log:
        "<results>/logs/select_features/{dataset}/{model}/{split}/seed{seed}/{scorer}.log",
    benchmark:
        "<results>/benchmarks/select_features/{dataset}/{model}/{split}/seed{seed}/{scorer}.tsv"
    group:
        one_shot_group
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=2,
    params:
        keep=fraction_to_keep,
        ties=config["scoring"]["ties"],
    shell:
        "python scripts/choose_features.py {input.scores} --keep {params.keep} --ties {params.ties}"
        " --seed {wildcards.seed} --out {output.selection} > {log} 2>&1"


rule retrain:
    """Train a new model on the kept features alone."""
    input:
        graph=graph_of_job,
        selection="<results>/selection/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv",
    output:
        record="<results>/retrain/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv",
    log:
        "<results>/logs/retrain/{dataset}/{model}/{split}/seed{seed}/{scorer}.log",
    benchmark:
        "<results>/benchmarks/retrain/{dataset}/{model}/{split}/seed{seed}/{scorer}.tsv"
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
        training=training_flags,
        device=config["device"],
    shell:
        "python scripts/retrain.py {input.graph} --selection {input.selection} --scorer {wildcards.scorer}"
        " --model {wildcards.model} {params.training}"
        " --split {wildcards.split} --seed {wildcards.seed} --device {params.device} --threads {threads}"
        " --out {output.record} > {log} 2>&1"

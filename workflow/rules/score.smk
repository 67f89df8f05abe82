rule score:
    """Score every feature with one scorer."""
    input:
        graph=graph_of_job,
        weights=weights_for_scorer,
    output:
        scores="<results>/scores/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv",
    log:
        "<results>/logs/score/{dataset}/{model}/{split}/seed{seed}/{scorer}.log",
    benchmark:
        "<results>/benchmarks/score/{dataset}/{model}/{split}/seed{seed}/{scorer}.tsv"
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
        weights=weights_flags,
        scoring=scoring_flags,
        device=config["device"],
    shell:
        "python scripts/score.py {input.graph} --model {wildcards.model} --scorer {wildcards.scorer}"
        " {params.weights} {params.scoring}"
        " --split {wildcards.split} --seed {wildcards.seed} --device {params.device} --threads {threads}"
        " --out {output.scores} > {log} 2>&1"

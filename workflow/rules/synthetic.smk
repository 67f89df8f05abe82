rule score_regime:
    """Train on one synthetic graph and score its features with every scorer of the synthetic study."""
    input:
        graph="<results>/graphs/{dataset}/seed{seed}.npz",
    output:
        scores="<results>/synthetic/{dataset}/{model}/{split}/seed{seed}.csv",
    log:
        "<results>/logs/score_regime/{dataset}/{model}/{split}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/score_regime/{dataset}/{model}/{split}/seed{seed}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=job_memory,
        runtime=job_minutes,
        gpu=job_gpus,
    params:
        scorers=config["synthetic"]["scorers"],
        training=training_flags,
        scoring=scoring_flags,
        device=config["device"],
    shell:
        "python scripts/score_regime.py {input.graph} --scorers {params.scorers} --model {wildcards.model}"
        " {params.training} {params.scoring} --split {wildcards.split} --seed {wildcards.seed}"
        " --device {params.device} --threads {threads} --out {output.scores} > {log} 2>&1"

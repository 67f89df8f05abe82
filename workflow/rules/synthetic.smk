rule score_regime:
    """Draw the graphs of one regime, train on each and score its features with every scorer of the synthetic study."""
    output:
        scores="<results>/synthetic/{dataset}/{model}/{split}.csv",
    log:
        "<results>/logs/score_regime/{dataset}/{model}/{split}.log",
    benchmark:
        "<results>/benchmarks/score_regime/{dataset}/{model}/{split}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("score_regime"),
        runtime=regime_minutes,
        gpu=job_gpus,
    params:
        scorers=config["synthetic"]["scorers"],
        seeds=regime_trials,
        normalise=normalisation,
        moment=config["scoring"]["scored_model"],
        training=training_flags,
        scoring=scoring_flags,
        device=config["device"],
    shell:
        "python scripts/score_regime.py {wildcards.dataset} --scorers {params.scorers} --seeds {params.seeds}"
        " --normalise {params.normalise} --moment {params.moment} --model {wildcards.model}"
        " {params.training} {params.scoring} --split {wildcards.split}"
        " --device {params.device} --threads {threads} --out {output.scores} > {log} 2>&1"


rule measure_motivation:
    """Train a GCN and an MLP on graphs of the kinds that Figure 1 shows."""
    output:
        records="<results>/records/motivation.csv",
    log:
        "<results>/logs/measure_motivation.log",
    benchmark:
        "<results>/benchmarks/measure_motivation.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=job_gpus,
    params:
        seeds=config["motivation"]["seeds"],
        training=motivation_flags,
        device=config["device"],
    shell:
        "python scripts/measure_motivation.py --seeds {params.seeds} {params.training}"
        " --device {params.device} --threads {threads} --out {output.records} > {log} 2>&1"

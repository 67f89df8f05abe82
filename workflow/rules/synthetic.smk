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
        scorers=new_regime_scorers,
        seeds=regime_trials,
        normalise=dataset_option("normalise"),
        training=training_options,
        scoring=scoring_options,
        device=config["device"],
        code=code_of("score_regime.py"),
    script:
        "../../scripts/score_regime.py"


rule test_regime:
    """Draw the graphs of one regime and give each feature a p-value by every test of the synthetic study."""
    output:
        p_values="<results>/synthetic_tests/{dataset}/{model}/{split}.csv",
    log:
        "<results>/logs/test_regime/{dataset}/{model}/{split}.log",
    benchmark:
        "<results>/benchmarks/test_regime/{dataset}/{model}/{split}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("score_regime"),
        runtime=regime_minutes,
        gpu=job_gpus,
    params:
        tests=new_tests,
        seeds=tested_trials,
        normalise=dataset_option("normalise"),
        training=training_options,
        scoring=scoring_options,
        device=config["device"],
        code=code_of("test_regime.py"),
    script:
        "../../scripts/test_regime.py"


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
        training={**config["training"], "epochs": config["motivation"]["epochs"]},
        device=config["device"],
        code=code_of("measure_motivation.py"),
    script:
        "../../scripts/measure_motivation.py"


rule measure_fairness:
    """Prune features of graphs of two groups by accuracy, by its gap between the groups, and by both."""
    output:
        records="<results>/records/fairness.csv",
    log:
        "<results>/logs/measure_fairness.log",
    benchmark:
        "<results>/benchmarks/measure_fairness.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=job_gpus,
    params:
        seeds=config["fairness"]["seeds"],
        training={**config["training"], **{name: config["fairness"][name] for name in ("hidden", "epochs")}},
        device=config["device"],
        code=code_of("measure_fairness.py"),
    script:
        "../../scripts/measure_fairness.py"


rule measure_stand_ins:
    """Marginal and conditional importance on graphs with copies of relevant columns and columns smooth on the graph."""
    output:
        records="<results>/records/stand_ins.csv",
    log:
        "<results>/logs/measure_stand_ins.log",
    benchmark:
        "<results>/benchmarks/measure_stand_ins.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
        gpu=job_gpus,
    params:
        graphs=config["stand_ins"]["graphs"],
        device=config["device"],
        code=code_of("measure_stand_ins.py"),
    script:
        "../../scripts/measure_stand_ins.py"

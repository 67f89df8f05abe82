# Graphs scaled in other ways than their dataset says.
use rule prepare_graph as scale_graph with:
    output:
        graph="<results>/suspects/graphs/{normalise}/{dataset}.npz",
        description="<results>/suspects/graphs/{normalise}/{dataset}.csv",
    log:
        "<results>/logs/scale_graph/{normalise}/{dataset}.log",
    benchmark:
        "<results>/benchmarks/scale_graph/{normalise}/{dataset}.tsv"
    localrule: True
    params:
        path=dataset_option("path"),
        normalise=lambda wildcards: wildcards.normalise,
        code=code_of("prepare_graph.py"),


rule train_suspect:
    """Train on all features under a hypothesis about how."""
    input:
        graph=graph_of_suspect,
    output:
        weights="<results>/suspects/train/{hypothesis}/<run>/weights.npz",
        history="<results>/suspects/train/{hypothesis}/<run>/history.csv",
        record="<results>/suspects/train/{hypothesis}/<run>/record.csv",
    log:
        "<results>/logs/train_suspect/{hypothesis}/<run>.log",
    benchmark:
        "<results>/benchmarks/train_suspect/{hypothesis}/<run>.tsv"
    group:
        shared("train")
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("train"),
        runtime=minutes_for("train"),
        gpu=job_gpus,
    params:
        results=results_with(BUNDLES["train"], suspect_train_settings),
        strict=settings_count,
        device=config["device"],
        code=code_of("train.py"),
    script:
        "../../scripts/train.py"


rule suspect:
    """The cells of Tables 1 and 2 under one hypothesis; those that it does not change come from the one before it."""
    input:
        unpack(files_for_suspect),
        graph=graph_of_suspect,
    output:
        record="<results>/suspects/cells/{hypothesis}/<run>/cells.csv",
        scores="<results>/suspects/cells/{hypothesis}/<run>/scores.npz",
    log:
        "<results>/logs/suspect/{hypothesis}/<run>.log",
    benchmark:
        "<results>/benchmarks/suspect/{hypothesis}/<run>.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("suspect"),
        runtime=suspect_minutes,
        gpu=job_gpus,
    params:
        protocol=suspect_protocol,
        before=protocol_before,
        device=config["device"],
        code=code_of("suspect.py"),
    script:
        "../../scripts/suspect.py"

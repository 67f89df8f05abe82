rule train:
    """Train one model on all features; one training serves all scorers of its seed."""
    input:
        graph=graph_of_job,
    output:
        weights="<results>/train/{dataset}/{model}/{split}/seed{seed}/weights.npz",
        history="<results>/train/{dataset}/{model}/{split}/seed{seed}/history.csv",
        record="<results>/train/{dataset}/{model}/{split}/seed{seed}/record.csv",
    log:
        "<results>/logs/train/{dataset}/{model}/{split}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/train/{dataset}/{model}/{split}/seed{seed}.tsv"
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
        training=training_flags,
        device=config["device"],
    shell:
        "python scripts/train.py {input.graph} --model {wildcards.model} {params.training}"
        " --split {wildcards.split} --seed {wildcards.seed} --device {params.device} --threads {threads}"
        " --out-weights {output.weights} --out-history {output.history} --out-record {output.record} > {log} 2>&1"

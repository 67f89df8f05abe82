rule perturb:
    """Train on a graph whose features or edges were replaced (Table 1)."""
    input:
        graph=graph_of_job,
    output:
        record="<results>/perturb/{dataset}/{model}/{split}/seed{seed}/{setting}.csv",
    log:
        "<results>/logs/perturb/{dataset}/{model}/{split}/seed{seed}/{setting}.log",
    benchmark:
        "<results>/benchmarks/perturb/{dataset}/{model}/{split}/seed{seed}/{setting}.tsv"
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
        training=training_flags,
        device=config["device"],
    shell:
        "python scripts/perturb.py {input.graph} --setting {wildcards.setting} --model {wildcards.model}"
        " {params.training} --split {wildcards.split} --seed {wildcards.seed}"
        " --device {params.device} --threads {threads} --out {output.record} > {log} 2>&1"

rule prepare_graph:
    """Load a dataset by its name, or a graph of the user's own from its path; check it, normalise it."""
    input:
        files=own_files,
    output:
        graph="<results>/graphs/{dataset}.npz",
    log:
        "<results>/logs/prepare_graph/{dataset}.log",
    benchmark:
        "<results>/benchmarks/prepare_graph/{dataset}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("prepare_graph"),
        runtime=30,
    params:
        path=path_flags,
        normalise=normalisation,
    shell:
        "python scripts/prepare.py {wildcards.dataset} {params.path} --normalise {params.normalise}"
        " --out {output.graph} > {log} 2>&1"


rule generate_graph:
    """Draw a synthetic graph for this seed."""
    output:
        graph="<results>/graphs/{dataset}/seed{seed}.npz",
    log:
        "<results>/logs/generate_graph/{dataset}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/generate_graph/{dataset}/seed{seed}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("generate_graph"),
        runtime=10,
    params:
        normalise=normalisation,
    shell:
        "python scripts/prepare.py {wildcards.dataset} --normalise {params.normalise} --seed {wildcards.seed}"
        " --out {output.graph} > {log} 2>&1"

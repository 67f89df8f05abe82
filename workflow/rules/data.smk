# Graphs are prepared where Snakemake runs, because nodes seldom reach the internet.
rule prepare_graph:
    """Load a dataset by its name, or a graph of the user's own from its path; check it, count it, normalise it."""
    input:
        files=own_files,
    output:
        graph="<results>/graphs/{dataset}.npz",
        description="<results>/graphs/{dataset}.csv",
    log:
        "<results>/logs/prepare_graph/{dataset}.log",
    benchmark:
        "<results>/benchmarks/prepare_graph/{dataset}.tsv"
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("prepare_graph"),
        runtime=30,
    params:
        path=dataset_option("path"),
        normalise=dataset_option("normalise"),
        code=code_of("prepare_graph.py"),
    script:
        "../../scripts/prepare_graph.py"


use rule prepare_graph as generate_graph with:
    input:
        files=[],
    output:
        graph="<results>/graphs/{dataset}/seed{seed}.npz",
        description="<results>/graphs/{dataset}/seed{seed}.csv",
    log:
        "<results>/logs/generate_graph/{dataset}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/generate_graph/{dataset}/seed{seed}.tsv"
    localrule: True
    resources:
        mem_mb=memory_for("generate_graph"),
        runtime=10,


rule describe_features:
    """How many nodes have each feature, before it is normalised: frequent words may matter whatever a model learns."""
    input:
        graph=lambda wildcards: first_graph(wildcards.dataset),
    output:
        features="<results>/graphs/{dataset}_features.csv",
    log:
        "<results>/logs/describe_features/{dataset}.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=memory_for("describe_features"),
        runtime=30,
    params:
        path=dataset_option("path"),
        code=code_of("describe_features.py"),
    script:
        "../../scripts/describe_features.py"

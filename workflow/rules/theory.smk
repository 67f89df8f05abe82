rule check_bounds:
    """Put the bounds to the test on random cases, and search for cases that break them."""
    output:
        cases="<results>/theory/cases.csv",
        permutations="<results>/theory/permutations.csv",
        searches="<results>/theory/searches.csv",
        proposition="<results>/theory/proposition.csv",
    log:
        "<results>/logs/check_bounds.log",
    benchmark:
        "<results>/benchmarks/check_bounds.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        bounds=bound_options(),
        code=code_of("check_bounds.py"),
    script:
        "../../scripts/check_bounds.py"


rule apply_bounds:
    """The bounds on one graph: which term dominates, and whether they rank features as the scorers do."""
    input:
        graph=rules.prepare_graph.output.graph,
        scores=scores_beside_bounds,
    output:
        terms="<results>/theory/{dataset}_terms.csv",
        ranks="<results>/theory/{dataset}_ranks.csv",
    log:
        "<results>/logs/apply_bounds/{dataset}.log",
    benchmark:
        "<results>/benchmarks/apply_bounds/{dataset}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: job_threads
    resources:
        mem_mb=memory_for("apply_bounds"),
        runtime=minutes_for("apply_bounds"),
    params:
        code=code_of("apply_bounds.py"),
    script:
        "../../scripts/apply_bounds.py"

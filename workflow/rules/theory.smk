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
        cases=bound_flags,
    shell:
        "python scripts/check_bounds.py {params.cases} --out-cases {output.cases}"
        " --out-permutations {output.permutations} --out-searches {output.searches}"
        " --out-proposition {output.proposition} > {log} 2>&1"


rule apply_bounds:
    """The bounds on one graph: which term dominates, and whether they rank features as the scorers do."""
    input:
        graph="<results>/graphs/{dataset}.npz",
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
    shell:
        "python scripts/apply_bounds.py {input.graph} --scores {input.scores} --threads {threads}"
        " --out-terms {output.terms} --out-ranks {output.ranks} > {log} 2>&1"


rule collect_bounds:
    """What the bounds say about every graph, in one table."""
    input:
        records=bounds_of_graphs,
        earlier=earlier_bounds,
    output:
        records="<results>/records/bound_{part}.csv",
    log:
        "<results>/logs/collect_bounds/{part}.log",
    benchmark:
        "<results>/benchmarks/collect_bounds/{part}.tsv"
    wildcard_constraints:
        part="terms|ranks",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.records} --earlier {input.earlier} --out {output.records} > {log} 2>&1"

# Pages to look around in. They are made by scripts, not by notebooks, but are pages of the index all the same.
PAGES["explore_scores"] = bool(config["correlations"]["datasets"])
PAGES["explore_curves"] = bool(config["adaptive"]["datasets"])


rule explore_scores:
    """The score of every feature by one method against that by another, with a choice of graph and method."""
    input:
        scores=records("correlated_scores.csv.gz"),
    output:
        page=page_outputs("explore_scores")["page"],
        manifest=page_outputs("explore_scores")["manifest"],
    log:
        "<results>/logs/explore_scores.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        code=code_of("explore_scores.py"),
    script:
        "../../scripts/explore_scores.py"


rule explore_curves:
    """Accuracy while features are pruned, with a choice of graph."""
    input:
        history=records("adaptive_history.csv.gz"),
    output:
        page=page_outputs("explore_curves")["page"],
        manifest=page_outputs("explore_curves")["manifest"],
    log:
        "<results>/logs/explore_curves.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        code=code_of("explore_curves.py"),
    script:
        "../../scripts/explore_curves.py"

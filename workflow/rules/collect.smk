import json


rule collect_one_shot:
    """The runs of Table 2, one row each."""
    input:
        records=one_shot_records,
        earlier=earlier.records("one_shot.csv"),
    output:
        records="<results>/records/one_shot.csv",
    log:
        "<results>/logs/collect_one_shot.log",
    benchmark:
        "<results>/benchmarks/collect_one_shot.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.records} --earlier {input.earlier} --out {output.records} > {log} 2>&1"


rule collect_perturbations:
    """The runs of Table 1, one row each."""
    input:
        original=original_records,
        mlp=mlp_records,
        perturbed=perturbed_records,
        earlier=earlier.records("perturbations.csv"),
    output:
        records="<results>/records/perturbations.csv",
    log:
        "<results>/logs/collect_perturbations.log",
    benchmark:
        "<results>/benchmarks/collect_perturbations.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect_perturbations.py --original {input.original} --mlp {input.mlp}"
        " --perturbed {input.perturbed} --earlier {input.earlier} --out {output.records} > {log} 2>&1"


rule collect_pixel_scores:
    """Scores of the digits' pixels, by scorer and seed."""
    input:
        scores=pixel_scores,
        earlier=earlier.records("scores_digits.csv"),
    output:
        scores="<results>/records/scores_digits.csv",
    log:
        "<results>/logs/collect_pixel_scores.log",
    benchmark:
        "<results>/benchmarks/collect_pixel_scores.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.scores} --earlier {input.earlier} --out {output.scores} > {log} 2>&1"


rule collect_regime_scores:
    """Scores on synthetic graphs, by regime, scorer and seed."""
    input:
        scores=regime_scores,
    output:
        scores="<results>/records/scores_synthetic.csv.gz",
    log:
        "<results>/logs/collect_regime_scores.log",
    benchmark:
        "<results>/benchmarks/collect_regime_scores.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python scripts/collect.py {input.scores} --out {output.scores} > {log} 2>&1"


rule describe_graphs:
    """Nodes, edges, features and classes of every dataset (Table 5)."""
    input:
        graphs=graphs_to_describe,
        earlier=earlier.records("datasets.csv"),
    output:
        records="<results>/records/datasets.csv",
    log:
        "<results>/logs/describe_graphs.log",
    benchmark:
        "<results>/benchmarks/describe_graphs.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    shell:
        "python scripts/describe_graphs.py {input.graphs} --earlier {input.earlier} --out {output.records} > {log} 2>&1"


rule collect_jobs:
    """What every costly job took."""
    input:
        jobs=finished_jobs,
        earlier=earlier.records("jobs.csv"),
    output:
        jobs="<results>/records/jobs.csv",
    log:
        "<results>/logs/collect_jobs.log",
    benchmark:
        "<results>/benchmarks/collect_jobs.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        benchmarks=benchmark_folder,
    shell:
        "python scripts/collect_jobs.py {params.benchmarks} --earlier {input.earlier} --out {output.jobs} > {log} 2>&1"


rule record_settings:
    """What the results depend on, for a later run that starts from them."""
    output:
        settings="<results>/records/settings.json",
    log:
        "<results>/logs/record_settings.log",
    benchmark:
        "<results>/benchmarks/record_settings.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        settings=json.dumps(settings_of(config)),
    shell:
        "python scripts/record_settings.py --settings {params.settings:q} --out {output.settings} > {log} 2>&1"

use rule execute_notebook as judge_claims with:
    input:
        template=template("claims"),
        one_shot=records("one_shot.csv"),
        checkpoints=records("adaptive_checkpoints.csv.gz"),
        scores=records("adaptive_scores.csv.gz"),
        correlated=records("correlated_scores.csv.gz"),
        ablation=records("ablation_history.csv.gz"),
        features=records("features.csv.gz"),
        published_table3=published("table3_adaptive_selection"),
    output:
        **page("claims", all(config[study]["datasets"] for study in CLAIMED_STUDIES) and WATCHED),
        best=plain_table("claims_best_one_shot", "claims"),
        best_adaptive=plain_table("claims_best_adaptive", "claims"),
        early=plain_table("claims_early", "claims"),
        correlation=plain_table("claims_correlation", "claims"),
        repeats=plain_table("claims_repeats", "claims"),
        fair=plain_table("claims_fair", "claims"),
    log:
        log_of("claims"),
    localrule: True
    params:
        settings={
            "reference": config["scoring"]["n_repeats"],
            "magnitude": config["correlations"]["magnitude"],
        },


use rule execute_notebook as judge_suspects with:
    input:
        template=template("suspects"),
        records=records("suspects.csv"),
        published_table1=published("table1_perturbations"),
        published_table2=published("table2_feature_selection"),
    output:
        **page("suspects", config["suspects"]["datasets"]),
        table=table("suspects"),
        cells_table=plain_table("suspects_cells", "suspects"),
        figure=figure("suspects"),
        others_figure=figure("suspects_elsewhere", "suspects"),
    log:
        log_of("suspects"),
    localrule: True
    params:
        settings={name: config["suspects"][name] for name in ("hypotheses", "chosen_on", "screening")},


use rule execute_notebook as account_cost with:
    input:
        template=template("cost"),
        jobs=rules.collect_jobs.output.table,
        timings=adaptive_timings(),
        speedups=measured_speedups(),
        measured=MEASURED_FILE,
        sizes=published("table5_datasets"),
    output:
        **page("cost", config["adaptive"]["datasets"]),
        table=plain_table("cost", "cost"),
        requests=plain_table("cost_requests", "cost"),
    log:
        log_of("cost"),
    localrule: True
    params:
        settings={"epochs": {name: settings["epochs"] for name, settings in config["datasets"].items()}},


rule build_index:
    """One page to send on: the findings in words, every figure, table and notebook, and where they come from."""
    input:
        manifests=page_files("manifest"),
        pages=page_files("page"),
        jobs=rules.collect_jobs.output.table,
        one_shot=records("one_shot.csv") if config["one_shot"]["datasets"] else [],
        published=[published(name) for name in PUBLISHED_TABLES],
    output:
        page="<results>/index.html",
        findings="<results>/findings.txt",
    log:
        "<results>/logs/build_index.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        title=f"graphsieve: {config['run']}",
        config=config,
        code=code_of("build_index.py"),
    script:
        "../../scripts/build_index.py"

# The first page of the index, though it reads the tables of the others.
use rule execute_notebook as compare_with_published with:
    input:
        template=template("agreement"),
        tables=compared_tables,
        published=[published(name) for name in COMPARED_TABLES],
    output:
        **page("agreement", published_studies()),
        figure=figure("agreement"),
        table=plain_table("agreement", "agreement"),
    log:
        log_of("agreement"),
    localrule: True


use rule execute_notebook as tabulate_perturbations with:
    input:
        template=template("accuracy_table"),
        records=records("perturbations.csv"),
        published=published("table1_perturbations"),
    output:
        **page("table1_perturbations", config["perturbations"]["datasets"]),
        table=table("table1_perturbations"),
    log:
        log_of("table1_perturbations"),
    localrule: True
    params:
        settings={
            "row": "setting",
            "reference": "",
            "title": f"Table 1: {measure('perturbations')} when graph, features and labels are torn apart",
            "summary": f"Test {measure('perturbations')} (%) on the graph as it is, without the graph, and with features "
            "or edges replaced.",
        },


use rule execute_notebook as tabulate_selection with:
    input:
        template=template("accuracy_table"),
        records=records("one_shot.csv"),
        published=published("table2_feature_selection"),
    output:
        **page("table2_feature_selection", config["one_shot"]["datasets"]),
        table=table("table2_feature_selection"),
    log:
        log_of("table2_feature_selection"),
    localrule: True
    params:
        settings={
            "row": "scorer",
            "reference": "all",
            "title": f"Table 2: {measure('one_shot')} with the selected features alone",
            "summary": f"Test {measure('one_shot')} (%) of models retrained on the few features that each scorer ranks "
            "highest.",
        },


use rule execute_notebook as tabulate_adaptive with:
    input:
        template=template("adaptive_table"),
        records=records("adaptive_checkpoints.csv.gz"),
        published=published("table3_adaptive_selection"),
    output:
        **page("table3_adaptive_selection", config["adaptive"]["datasets"]),
        table=table("table3_adaptive_selection"),
    log:
        log_of("table3_adaptive_selection"),
    localrule: True
    params:
        settings={
            "title": f"Table 3: {measure('adaptive')} with adaptive selection",
            "summary": f"Test {measure('adaptive')} (%) when few features remain: the model is trained on while they are "
            "pruned.",
        },


use rule execute_notebook as tabulate_correlations with:
    input:
        template=template("score_correlation"),
        scores=records("correlated_scores.csv.gz"),
        published=published("table4_score_correlation"),
    output:
        **page("table4_score_correlation", config["correlations"]["datasets"]),
        table=table("table4_score_correlation"),
        spearman_table=table("table4_score_correlation_spearman", "table4_score_correlation"),
        figure=figure("fig11_score_correlation", "table4_score_correlation"),
    log:
        log_of("table4_score_correlation"),
    localrule: True
    params:
        settings={"magnitude": config["correlations"]["magnitude"]},


use rule execute_notebook as tabulate_datasets with:
    input:
        template=template("datasets_table"),
        records=records("datasets.csv"),
        published=published("table5_datasets"),
    output:
        **page("table5_datasets", any(config[study]["datasets"] for study in STUDIES)),
        table=table("table5_datasets"),
    log:
        log_of("table5_datasets"),
    localrule: True

use rule execute_notebook as draw_pixels with:
    input:
        template=template("pixel_importance"),
        scores=records("scores_digits.csv"),
    output:
        **page("digits_pixel_importance", "digits" in config["one_shot"]["datasets"]),
        figure=figure("digits_pixel_importance"),
    log:
        log_of("digits_pixel_importance"),
    localrule: True


use rule execute_notebook as draw_motivation with:
    input:
        template=template("motivation"),
        records=rules.measure_motivation.output.records,
    output:
        **page("fig01_motivation", config["motivation"]["seeds"]),
        figure=figure("fig01_motivation"),
        table=table("fig01_motivation"),
    log:
        log_of("fig01_motivation"),
    localrule: True


use rule execute_notebook as draw_fairness with:
    input:
        template=template("fairness"),
        records=rules.measure_fairness.output.records,
    output:
        **page("fairness", config["fairness"]["seeds"]),
        figure=figure("fairness"),
        table=table("fairness"),
    log:
        log_of("fairness"),
    localrule: True


use rule execute_notebook as draw_stand_ins with:
    input:
        template=template("stand_ins"),
        records=rules.measure_stand_ins.output.records,
    output:
        **page("conditional_importance", config["stand_ins"]["graphs"]),
        figure=figure("conditional_importance"),
        table=table("conditional_importance"),
    log:
        log_of("conditional_importance"),
    localrule: True


use rule execute_notebook as teach with:
    input:
        template=template("tutorial"),
    output:
        **page("tutorial", config["tutorial"]["nodes"]),
        figure=figure("tutorial"),
        table=plain_table("tutorial", "tutorial"),
    log:
        log_of("tutorial"),
    localrule: True
    params:
        settings={"nodes": config["tutorial"]["nodes"]},
        shows_code=True,


use rule execute_notebook as draw_tasks with:
    input:
        template=template("tasks"),
        records=rules.collect_tasks.output.table.format(kind="records"),
        scores=rules.collect_tasks.output.table.format(kind="scores"),
    output:
        **page("tasks", config["tasks"]["names"]),
        figure=figure("tasks"),
        columns_figure=figure("tasks_columns", "tasks"),
        table=table("tasks"),
    log:
        log_of("tasks"),
    localrule: True


PAGES |= {name: curves_wanted(name) for name in CURVES}


use rule execute_notebook as draw_training_curves with:
    input:
        template=template("training_curves"),
        history=curves_records,
    output:
        **page_outputs("{curves}"),
        figure=figure("{curves}"),
    log:
        log_of("{curves}"),
    wildcard_constraints:
        curves=one_of(CURVES),
    localrule: True
    params:
        settings=curves_settings,


use rule execute_notebook as draw_heatmaps with:
    input:
        template=template("importance_heatmaps"),
        scores=records("adaptive_scores.csv.gz"),
        history=records("adaptive_history.csv.gz"),
        features=[records("adaptive_features.csv.gz")] if adaptive_datasets("npt") else [],
        correlated=[records("correlated_scores.csv.gz")] if config["correlations"]["datasets"] else [],
    output:
        **page("fig03_importance_heatmaps", adaptive_datasets("full")),
        figure=figure("fig03_importance_heatmaps"),
    log:
        log_of("fig03_importance_heatmaps"),
    localrule: True
    params:
        settings={"magnitude": config["correlations"]["magnitude"]},


use rule execute_notebook as draw_ablation with:
    input:
        template=template("ablation"),
        history=records("ablation_history.csv.gz"),
        timings=[records("adaptive_timings.csv.gz")] if adaptive_datasets("npt") else [],
    output:
        **page("fig04_method_performance", config["ablation"]["datasets"]),
        figure=figure("fig04_method_performance"),
        grid_figure=figure("fig13_ablation", "fig04_method_performance"),
    log:
        log_of("fig04_method_performance"),
    localrule: True


use rule execute_notebook as draw_last_checkpoints with:
    input:
        template=template("last_checkpoints"),
        features=records("adaptive_features.csv.gz"),
    output:
        **page("fig09_last_checkpoints", adaptive_datasets("npt")),
        figure=figure("fig09_last_checkpoints"),
        ranking_figure=figure("fig10_last_checkpoints_by_ranking", "fig09_last_checkpoints"),
    log:
        log_of("fig09_last_checkpoints"),
    localrule: True


use rule execute_notebook as draw_regimes with:
    input:
        template=template("regime_scores"),
        scores=records("scores_synthetic.csv.gz"),
    output:
        **page("fig12_regime_scores", config["synthetic"]["datasets"]),
        figure=figure("fig12_regime_scores"),
        heatmap=figure("fig12_recovered_features", "fig12_regime_scores"),
        table=table("fig12_recovered_features", "fig12_regime_scores"),
    log:
        log_of("fig12_regime_scores"),
    localrule: True
    params:
        settings={"drawn_trials": DRAWN_TRIALS},


use rule execute_notebook as measure_rank_stability with:
    input:
        template=template("rank_stability"),
        scores=records("adaptive_scores.csv.gz"),
        history=records("adaptive_history.csv.gz"),
    output:
        **page("rank_stability", adaptive_datasets("full")),
        figure=figure("rank_stability"),
        table=table("rank_stability"),
    log:
        log_of("rank_stability"),
    localrule: True


use rule execute_notebook as draw_bounds with:
    input:
        template=template("theory_bounds"),
        cases=rules.check_bounds.output.cases,
        permutations=rules.check_bounds.output.permutations,
        searches=rules.check_bounds.output.searches,
        proposition=rules.check_bounds.output.proposition,
        terms=records("bound_terms.csv"),
        ranks=records("bound_ranks.csv"),
    output:
        **page("theory_bounds", config["theory"]["datasets"]),
        figure=figure("theory_bounds"),
        cases_table=plain_table("theory_bounds_cases", "theory_bounds"),
        permutations_table=plain_table("theory_bounds_permutations", "theory_bounds"),
        search_table=plain_table("theory_bounds_search", "theory_bounds"),
        proposition_table=plain_table("theory_bounds_proposition", "theory_bounds"),
        terms_table=plain_table("theory_bounds_terms", "theory_bounds"),
        ranks_table=plain_table("theory_bounds_ranks", "theory_bounds"),
    log:
        log_of("theory_bounds"),
    localrule: True

# Pages on the comparison of selectors, on transfer between models, and on false discoveries.
use rule execute_notebook as advise_selector with:
    input:
        template=template("which_selector"),
        records=records("benchmark.csv"),
        jobs=rules.collect_jobs.output.table,
        datasets=records("datasets.csv"),
    output:
        **page("which_selector", config["benchmark"]["datasets"]),
        table=table("which_selector"),
    log:
        log_of("which_selector"),
    localrule: True
    params:
        settings=benchmark_page_settings(),


use rule execute_notebook as draw_selector_curves with:
    input:
        template=template("selector_curves"),
        records=records("benchmark.csv"),
    output:
        **page("selector_curves", config["benchmark"]["datasets"]),
        figure=figure("selector_curves"),
        table=table("selector_areas", "selector_curves"),
        curves_table=plain_table("selector_curves", "selector_curves"),
    log:
        log_of("selector_curves"),
    localrule: True
    params:
        settings=benchmark_page_settings(),


use rule execute_notebook as rank_selectors with:
    input:
        template=template("selector_ranks"),
        records=records("benchmark.csv"),
    output:
        **page("selector_ranks", config["benchmark"]["datasets"]),
        figure=figure("selector_ranks"),
        ahead_figure=figure("selector_ahead", "selector_ranks"),
        table=table("selector_ranks"),
        ranks_table=plain_table("selector_rank_tests", "selector_ranks"),
        pairs_table=plain_table("selector_pairs", "selector_ranks"),
    log:
        log_of("selector_ranks"),
    localrule: True
    params:
        settings=benchmark_page_settings(),


use rule execute_notebook as cost_selectors with:
    input:
        template=template("selector_cost"),
        records=records("benchmark.csv"),
        tops=records("benchmark_tops.csv.gz"),
        jobs=rules.collect_jobs.output.table,
    output:
        **page("selector_cost", config["benchmark"]["datasets"]),
        figure=figure("selector_cost"),
        stability_figure=figure("selector_stability", "selector_cost"),
        table=plain_table("selector_cost", "selector_cost"),
        stability_table=plain_table("selector_stability", "selector_cost"),
    log:
        log_of("selector_cost"),
    localrule: True
    params:
        settings=benchmark_page_settings(),


use rule execute_notebook as draw_transfer with:
    input:
        template=template("transfer"),
        records=records("transfer.csv"),
        scores=records("transfer_scores.csv.gz"),
    output:
        **page("transfer", config["transfer"]["datasets"]),
        figure=figure("transfer"),
        parts_figure=figure("transfer_parts", "transfer"),
        table=plain_table("transfer", "transfer"),
        losses_table=plain_table("transfer_losses", "transfer"),
        ranks_table=plain_table("transfer_rankings", "transfer"),
    log:
        log_of("transfer"),
    localrule: True
    params:
        settings={name: config["transfer"][name] for name in ("models", "share")},


use rule execute_notebook as count_false_discoveries with:
    input:
        template=template("false_discoveries"),
        p_values=records("synthetic_tests.csv.gz"),
    output:
        **page("false_discoveries", config["synthetic"]["datasets"] and config["synthetic"]["tests"]),
        figure=figure("false_discoveries"),
        table=table("false_discoveries"),
    log:
        log_of("false_discoveries"),
    localrule: True
    params:
        settings={"rate": config["synthetic"]["false_discovery_rate"]},

rule tabulate_adaptive:
    """Table 3, beside the published numbers."""
    input:
        template="notebooks/adaptive_table.ipynb",
        records="<results>/records/adaptive_checkpoints.csv.gz",
        published="config/published/table3_adaptive_selection.csv",
    output:
        notebook="<results>/notebooks/table3_adaptive_selection.ipynb",
        table=report(
            "<results>/tables/table3_adaptive_selection.csv",
            category="Tables",
            caption="../report/table3.rst",
            labels={"product": "Table 3", "shows": "adaptive selection"},
        ),
        markdown="<results>/tables/table3_adaptive_selection.md",
        latex="<results>/tables/table3_adaptive_selection.tex",
    log:
        "<results>/logs/tabulate_adaptive.log",
    benchmark:
        "<results>/benchmarks/tabulate_adaptive.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        table=table_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r records {input.records} -r published {input.published} -r table {params.table} > {log} 2>&1"


rule tabulate_correlations:
    """Table 4 and Figure 11: how the scores of other methods go with those of npt."""
    input:
        template="notebooks/score_correlation.ipynb",
        scores="<results>/records/correlated_scores.csv.gz",
        published="config/published/table4_score_correlation.csv",
    output:
        notebook="<results>/notebooks/table4_score_correlation.ipynb",
        table=report(
            "<results>/tables/table4_score_correlation.csv",
            category="Tables",
            caption="../report/table4.rst",
            labels={"product": "Table 4", "shows": "correlation of scores, Pearson"},
        ),
        markdown="<results>/tables/table4_score_correlation.md",
        latex="<results>/tables/table4_score_correlation.tex",
        spearman_table=report(
            "<results>/tables/table4_score_correlation_spearman.csv",
            category="Tables",
            caption="../report/table4.rst",
            labels={"product": "Table 4", "shows": "correlation of scores, Spearman"},
        ),
        spearman_markdown="<results>/tables/table4_score_correlation_spearman.md",
        spearman_latex="<results>/tables/table4_score_correlation_spearman.tex",
        figure=report(
            "<results>/figures/fig11_score_correlation.png",
            category="Figures",
            caption="../report/table4.rst",
            labels={"product": "Figure 11", "shows": "correlation of scores"},
        ),
        vector="<results>/figures/fig11_score_correlation.pdf",
    log:
        "<results>/logs/tabulate_correlations.log",
    benchmark:
        "<results>/benchmarks/tabulate_correlations.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        table=table_stem,
        figure=figure_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r scores {input.scores} -r published {input.published} -r table {params.table}"
        " -r spearman_table {params.table}_spearman -r figure {params.figure} > {log} 2>&1"


rule draw_training_curves:
    """Figures 2, 5, 6, 7 and 8: accuracy while features are pruned."""
    input:
        template="notebooks/training_curves.ipynb",
        history=curves_records,
    output:
        notebook="<results>/notebooks/{curves}.ipynb",
        figure=report(
            "<results>/figures/{curves}.png",
            category="Figures",
            caption="../report/curves.rst",
            labels={"product": "{curves}", "shows": "accuracy while features are pruned"},
        ),
        vector="<results>/figures/{curves}.pdf",
    log:
        "<results>/logs/draw_training_curves/{curves}.log",
    benchmark:
        "<results>/benchmarks/draw_training_curves/{curves}.tsv"
    wildcard_constraints:
        curves=one_of(CURVES),
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        figure=figure_stem,
        datasets=curves_datasets,
        extras=curves_extras,
        title=curves_title,
        summary=curves_summary,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r history {input.history} -r figure {params.figure} -r datasets {params.datasets:q} -p extras {params.extras}"
        " -r title {params.title:q} -r summary {params.summary:q} > {log} 2>&1"


rule draw_heatmaps:
    """Figure 3a,b: importance of every feature during training."""
    input:
        template="notebooks/importance_heatmaps.ipynb",
        scores="<results>/records/adaptive_scores.csv.gz",
        history="<results>/records/adaptive_history.csv.gz",
    output:
        notebook="<results>/notebooks/fig03_importance_heatmaps.ipynb",
        figure=report(
            "<results>/figures/fig03_importance_heatmaps.png",
            category="Figures",
            caption="../report/heatmaps.rst",
            labels={"product": "Figure 3", "shows": "importance during training"},
        ),
        vector="<results>/figures/fig03_importance_heatmaps.pdf",
    log:
        "<results>/logs/draw_heatmaps.log",
    benchmark:
        "<results>/benchmarks/draw_heatmaps.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        figure=figure_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r scores {input.scores} -r history {input.history} -r figure {params.figure} > {log} 2>&1"


rule draw_last_checkpoints:
    """Figures 9 and 10: how long every feature is kept."""
    input:
        template="notebooks/last_checkpoints.ipynb",
        features="<results>/records/adaptive_features.csv.gz",
    output:
        notebook="<results>/notebooks/fig09_last_checkpoints.ipynb",
        figure=report(
            "<results>/figures/fig09_last_checkpoints.png",
            category="Figures",
            caption="../report/checkpoints.rst",
            labels={"product": "Figure 9", "shows": "how long a feature is kept"},
        ),
        vector="<results>/figures/fig09_last_checkpoints.pdf",
        ranking_figure=report(
            "<results>/figures/fig10_last_checkpoints_by_ranking.png",
            category="Figures",
            caption="../report/checkpoints.rst",
            labels={"product": "Figure 10", "shows": "how long a feature is kept, by ranking"},
        ),
        ranking_vector="<results>/figures/fig10_last_checkpoints_by_ranking.pdf",
    log:
        "<results>/logs/draw_last_checkpoints.log",
    benchmark:
        "<results>/benchmarks/draw_last_checkpoints.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        figure=figure_stem,
        ranking_figure=second_figure_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r features {input.features} -r figure {params.figure} -r ranking_figure {params.ranking_figure}"
        " > {log} 2>&1"


rule draw_ablation:
    """Figures 4 and 13: accuracy for other r and K, and the time that scoring takes."""
    input:
        template="notebooks/ablation.ipynb",
        history="<results>/records/ablation_history.csv.gz",
        timings=scoring_timings,
    output:
        notebook="<results>/notebooks/fig04_method_performance.ipynb",
        figure=report(
            "<results>/figures/fig04_method_performance.png",
            category="Figures",
            caption="../report/ablation.rst",
            labels={"product": "Figure 4", "shows": "other r and K"},
        ),
        vector="<results>/figures/fig04_method_performance.pdf",
        grid_figure=report(
            "<results>/figures/fig13_ablation.png",
            category="Figures",
            caption="../report/ablation.rst",
            labels={"product": "Figure 13", "shows": "other r and K, by dataset"},
        ),
        grid_vector="<results>/figures/fig13_ablation.pdf",
    log:
        "<results>/logs/draw_ablation.log",
    benchmark:
        "<results>/benchmarks/draw_ablation.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_stem,
        grid_figure=second_figure_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r history {input.history} -r timings '{input.timings}' -r figure {params.figure}"
        " -r grid_figure {params.grid_figure} > {log} 2>&1"


rule measure_rank_stability:
    """How well the ranking at each checkpoint predicts the final one."""
    input:
        template="notebooks/rank_stability.ipynb",
        scores="<results>/records/adaptive_scores.csv.gz",
        history="<results>/records/adaptive_history.csv.gz",
    output:
        notebook="<results>/notebooks/rank_stability.ipynb",
        figure=report(
            "<results>/figures/rank_stability.png",
            category="Figures",
            caption="../report/stability.rst",
            labels={"product": "Rank stability", "shows": "how early the ranking is known"},
        ),
        vector="<results>/figures/rank_stability.pdf",
        table=report(
            "<results>/tables/rank_stability.csv",
            category="Tables",
            caption="../report/stability.rst",
            labels={"product": "Rank stability", "shows": "how early the ranking is known"},
        ),
        markdown="<results>/tables/rank_stability.md",
        latex="<results>/tables/rank_stability.tex",
    log:
        "<results>/logs/measure_rank_stability.log",
    benchmark:
        "<results>/benchmarks/measure_rank_stability.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        figure=figure_stem,
        table=table_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r scores {input.scores} -r history {input.history} -r figure {params.figure} -r table {params.table}"
        " > {log} 2>&1"

rule tabulate_perturbations:
    """Table 1, beside the published numbers."""
    input:
        template="notebooks/accuracy_table.ipynb",
        records="<results>/records/perturbations.csv",
        published="config/published/table1_perturbations.csv",
    output:
        notebook="<results>/notebooks/table1_perturbations.ipynb",
        table="<results>/tables/table1_perturbations.csv",
        markdown="<results>/tables/table1_perturbations.md",
        latex="<results>/tables/table1_perturbations.tex",
    log:
        "<results>/logs/tabulate_perturbations.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        table=table_stem,
        title="Table 1: accuracy when graph, features and labels are torn apart",
        summary="Test accuracy (%) on the graph as it is, without the graph, and with features or edges replaced.",
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r records {input.records} -r published {input.published} -r table {params.table}"
        " -r row setting -r reference '' -r title {params.title:q} -r summary {params.summary:q} > {log} 2>&1"


rule tabulate_selection:
    """Table 2, beside the published numbers."""
    input:
        template="notebooks/accuracy_table.ipynb",
        records="<results>/records/one_shot.csv",
        published="config/published/table2_feature_selection.csv",
    output:
        notebook="<results>/notebooks/table2_feature_selection.ipynb",
        table="<results>/tables/table2_feature_selection.csv",
        markdown="<results>/tables/table2_feature_selection.md",
        latex="<results>/tables/table2_feature_selection.tex",
    log:
        "<results>/logs/tabulate_selection.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        table=table_stem,
        title="Table 2: accuracy with the selected features alone",
        summary="Test accuracy (%) of models retrained on the few features that each scorer ranks highest.",
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r records {input.records} -r published {input.published} -r table {params.table}"
        " -r row scorer -r reference all -r title {params.title:q} -r summary {params.summary:q} > {log} 2>&1"


rule tabulate_datasets:
    """Table 5, beside the published numbers."""
    input:
        template="notebooks/datasets_table.ipynb",
        records="<results>/records/datasets.csv",
        published="config/published/table5_datasets.csv",
    output:
        notebook="<results>/notebooks/table5_datasets.ipynb",
        table="<results>/tables/table5_datasets.csv",
        markdown="<results>/tables/table5_datasets.md",
        latex="<results>/tables/table5_datasets.tex",
    log:
        "<results>/logs/tabulate_datasets.log",
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


rule draw_pixels:
    """The importance of every pixel of the digits, as pictures."""
    input:
        template="notebooks/pixel_importance.ipynb",
        scores="<results>/records/scores_digits.csv",
    output:
        notebook="<results>/notebooks/digits_pixel_importance.ipynb",
        figure="<results>/figures/digits_pixel_importance.png",
        vector="<results>/figures/digits_pixel_importance.pdf",
    log:
        "<results>/logs/draw_pixels.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r scores {input.scores} -r figure {params.figure} > {log} 2>&1"


rule draw_regimes:
    """Figure 12: scores in the eight synthetic regimes."""
    input:
        template="notebooks/regime_scores.ipynb",
        scores="<results>/records/scores_synthetic.csv",
    output:
        notebook="<results>/notebooks/fig12_regime_scores.ipynb",
        figure="<results>/figures/fig12_regime_scores.png",
        vector="<results>/figures/fig12_regime_scores.pdf",
        heatmap="<results>/figures/fig12_recovered_features.png",
        heatmap_vector="<results>/figures/fig12_recovered_features.pdf",
        table="<results>/tables/fig12_recovered_features.csv",
        markdown="<results>/tables/fig12_recovered_features.md",
        latex="<results>/tables/fig12_recovered_features.tex",
    log:
        "<results>/logs/draw_regimes.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_stem,
        heatmap=heatmap_stem,
        table=table_stem,
        trials=DRAWN_TRIALS,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r scores {input.scores} -r figure {params.figure} -r heatmap {params.heatmap} -r table {params.table}"
        " -p drawn_trials {params.trials} > {log} 2>&1"


rule draw_motivation:
    """Figure 1: three small graphs, with what was measured on large ones."""
    input:
        template="notebooks/motivation.ipynb",
        records="<results>/records/motivation.csv",
    output:
        notebook="<results>/notebooks/fig01_motivation.ipynb",
        figure="<results>/figures/fig01_motivation.png",
        vector="<results>/figures/fig01_motivation.pdf",
        table="<results>/tables/fig01_motivation.csv",
        markdown="<results>/tables/fig01_motivation.md",
        latex="<results>/tables/fig01_motivation.tex",
    log:
        "<results>/logs/draw_motivation.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_stem,
        table=table_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r records {input.records} -r figure {params.figure} -r table {params.table} > {log} 2>&1"


rule draw_bounds:
    """The bounds, put to the test: what held, what failed, and what they say about the run's graphs."""
    input:
        template="notebooks/theory_bounds.ipynb",
        cases="<results>/theory/cases.csv",
        permutations="<results>/theory/permutations.csv",
        searches="<results>/theory/searches.csv",
        proposition="<results>/theory/proposition.csv",
        terms="<results>/records/bound_terms.csv",
        ranks="<results>/records/bound_ranks.csv",
    output:
        notebook="<results>/notebooks/theory_bounds.ipynb",
        figure="<results>/figures/theory_bounds.png",
        vector="<results>/figures/theory_bounds.pdf",
        cases="<results>/tables/theory_bounds_cases.csv",
        permutations="<results>/tables/theory_bounds_permutations.csv",
        search="<results>/tables/theory_bounds_search.csv",
        proposition="<results>/tables/theory_bounds_proposition.csv",
        terms="<results>/tables/theory_bounds_terms.csv",
        ranks="<results>/tables/theory_bounds_ranks.csv",
    log:
        "<results>/logs/draw_bounds.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_stem,
        table=tables_stem,
    shell:
        "PYTHONPATH=scripts papermill --no-progress-bar {input.template} {output.notebook}"
        " -r cases {input.cases} -r permutations {input.permutations} -r searches {input.searches}"
        " -r proposition {input.proposition} -r terms {input.terms} -r ranks {input.ranks}"
        " -r figure {params.figure} -r table {params.table} > {log} 2>&1"


rule render_notebook:
    """An executed notebook as a page, without its code."""
    input:
        notebook="<results>/notebooks/{notebook}.ipynb",
    output:
        page="<results>/notebooks/{notebook}.html",
    log:
        "<results>/logs/render_notebook/{notebook}.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "jupyter nbconvert --to html --no-input {input.notebook} > {log} 2>&1"


rule build_index:
    """One page that links every notebook, table and figure."""
    input:
        pages=notebook_pages,
    output:
        page="<results>/index.html",
    log:
        "<results>/logs/build_index.log",
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        title=f"graphsieve: {config['run']}",
    shell:
        "python scripts/build_index.py --pages {input.pages} --title {params.title:q} --out {output.page} > {log} 2>&1"

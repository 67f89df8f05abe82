import json


rule tabulate_perturbations:
    """Table 1, beside the published numbers."""
    input:
        template="notebooks/accuracy_table.ipynb",
        records="<results>/records/perturbations.csv",
        published="config/published/table1_perturbations.csv",
    output:
        notebook="<results>/notebooks/table1_perturbations.ipynb",
        table=report(
            "<results>/tables/table1_perturbations.csv",
            category="Tables",
            caption="../report/table1.rst",
            labels={"product": "Table 1", "shows": "graph, features and labels torn apart"},
        ),
        markdown="<results>/tables/table1_perturbations.md",
        latex="<results>/tables/table1_perturbations.tex",
    log:
        "<results>/logs/tabulate_perturbations.log",
    benchmark:
        "<results>/benchmarks/tabulate_perturbations.tsv"
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
        table=report(
            "<results>/tables/table2_feature_selection.csv",
            category="Tables",
            caption="../report/table2.rst",
            labels={"product": "Table 2", "shows": "one-shot selection"},
        ),
        markdown="<results>/tables/table2_feature_selection.md",
        latex="<results>/tables/table2_feature_selection.tex",
    log:
        "<results>/logs/tabulate_selection.log",
    benchmark:
        "<results>/benchmarks/tabulate_selection.tsv"
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
        table=report(
            "<results>/tables/table5_datasets.csv",
            category="Tables",
            caption="../report/table5.rst",
            labels={"product": "Table 5", "shows": "the datasets"},
        ),
        markdown="<results>/tables/table5_datasets.md",
        latex="<results>/tables/table5_datasets.tex",
    log:
        "<results>/logs/tabulate_datasets.log",
    benchmark:
        "<results>/benchmarks/tabulate_datasets.tsv"
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
        figure=report(
            "<results>/figures/digits_pixel_importance.png",
            category="Figures",
            caption="../report/pixels.rst",
            labels={"product": "Digits", "shows": "importance of every pixel"},
        ),
        vector="<results>/figures/digits_pixel_importance.pdf",
    log:
        "<results>/logs/draw_pixels.log",
    benchmark:
        "<results>/benchmarks/draw_pixels.tsv"
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
        scores="<results>/records/scores_synthetic.csv.gz",
    output:
        notebook="<results>/notebooks/fig12_regime_scores.ipynb",
        figure=report(
            "<results>/figures/fig12_regime_scores.png",
            category="Figures",
            caption="../report/regimes.rst",
            labels={"product": "Figure 12", "shows": "scores in eight regimes"},
        ),
        vector="<results>/figures/fig12_regime_scores.pdf",
        heatmap=report(
            "<results>/figures/fig12_recovered_features.png",
            category="Figures",
            caption="../report/recovery.rst",
            labels={"product": "Figure 12", "shows": "relevant features found"},
        ),
        heatmap_vector="<results>/figures/fig12_recovered_features.pdf",
        table=report(
            "<results>/tables/fig12_recovered_features.csv",
            category="Tables",
            caption="../report/recovery.rst",
            labels={"product": "Figure 12", "shows": "relevant features found"},
        ),
        markdown="<results>/tables/fig12_recovered_features.md",
        latex="<results>/tables/fig12_recovered_features.tex",
    log:
        "<results>/logs/draw_regimes.log",
    benchmark:
        "<results>/benchmarks/draw_regimes.tsv"
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
        figure=report(
            "<results>/figures/fig01_motivation.png",
            category="Figures",
            caption="../report/motivation.rst",
            labels={"product": "Figure 1", "shows": "when edges help and when they mislead"},
        ),
        vector="<results>/figures/fig01_motivation.pdf",
        table=report(
            "<results>/tables/fig01_motivation.csv",
            category="Tables",
            caption="../report/motivation.rst",
            labels={"product": "Figure 1", "shows": "a GCN and an MLP on small worlds"},
        ),
        markdown="<results>/tables/fig01_motivation.md",
        latex="<results>/tables/fig01_motivation.tex",
    log:
        "<results>/logs/draw_motivation.log",
    benchmark:
        "<results>/benchmarks/draw_motivation.tsv"
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
        figure=report(
            "<results>/figures/theory_bounds.png",
            category="Figures",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "error against bound"},
        ),
        vector="<results>/figures/theory_bounds.pdf",
        cases=report(
            "<results>/tables/theory_bounds_cases.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "random cases"},
        ),
        permutations=report(
            "<results>/tables/theory_bounds_permutations.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "permuted features"},
        ),
        search=report(
            "<results>/tables/theory_bounds_search.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "the search for violations"},
        ),
        proposition=report(
            "<results>/tables/theory_bounds_proposition.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "how many permutations"},
        ),
        terms=report(
            "<results>/tables/theory_bounds_terms.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "bounds of the graphs"},
        ),
        ranks=report(
            "<results>/tables/theory_bounds_ranks.csv",
            category="Tables",
            caption="../report/bounds.rst",
            labels={"product": "Theory", "shows": "ranks by bound and by score"},
        ),
    log:
        "<results>/logs/draw_bounds.log",
    benchmark:
        "<results>/benchmarks/draw_bounds.tsv"
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
        page=report(
            "<results>/notebooks/{notebook}.html",
            category="Notebooks",
            caption="../report/notebook.rst",
            labels={"product": "{notebook}", "shows": "the whole page"},
        ),
    log:
        "<results>/logs/render_notebook/{notebook}.log",
    benchmark:
        "<results>/benchmarks/render_notebook/{notebook}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "jupyter nbconvert --to html --no-input {input.notebook} > {log} 2>&1"


rule build_index:
    """One page to send on: the findings in words, every figure, table and notebook, and where they come from."""
    input:
        pages=notebook_pages,
        published="config/published",
    output:
        page="<results>/index.html",
    log:
        "<results>/logs/build_index.log",
    benchmark:
        "<results>/benchmarks/build_index.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        title=f"graphsieve: {config['run']}",
        config=json.dumps(config),
    shell:
        "python scripts/build_index.py --pages {input.pages} --title {params.title:q} --config {params.config:q}"
        " --published {input.published} --out {output.page} > {log} 2>&1"

# What all pages have in common. It makes none itself: no page is called "none".
rule execute_notebook:
    """Execute a notebook template with the rule's inputs, outputs and settings as parameters, and render it."""
    input:
        template=template("datasets_table"),
    output:
        **page_outputs("{notebook}"),
    log:
        log_of("{notebook}"),
    wildcard_constraints:
        notebook="none",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        settings={},
        shows_code=False,
        code=lambda wildcards, input: fingerprint(input.template),
    script:
        "../../scripts/execute_notebook.py"

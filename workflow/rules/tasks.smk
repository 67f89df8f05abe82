rule measure_task:
    """Train for a task other than the paper's, score its columns, and retrain on fewer and fewer of them."""
    output:
        records="<results>/tasks/{task}/seed{seed}/records.csv",
        scores="<results>/tasks/{task}/seed{seed}/scores.csv",
    log:
        "<results>/logs/measure_task/{task}/seed{seed}.log",
    benchmark:
        "<results>/benchmarks/measure_task/{task}/seed{seed}.tsv"
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=120,
        gpu=job_gpus,
    params:
        options={name: config["tasks"][name] for name in ("hidden", "epochs", "n_repeats")},
        device=config["device"],
        code=code_of("measure_task.py"),
    script:
        "../../scripts/measure_task.py"


rule collect_tasks:
    """The records of all tasks and seeds in one table; likewise their scores."""
    input:
        records=lambda wildcards: task_files(wildcards.kind),
        earlier=[],
        earlier_origins=[],
    output:
        table="<results>/records/tasks_{kind}.csv",
        origins="<results>/records/tasks_{kind}.csv.json",
    log:
        "<results>/logs/collect_tasks/{kind}.log",
    wildcard_constraints:
        kind="records|scores",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        sizes=lambda wildcards, input: [len(input.records)],
        assign=[{}],
        columns=None,
        without=[],
        raw_files={},
        run_folder=subpath(output.table, ancestor=2),
        code=code_of("collect.py"),
    script:
        "../../scripts/collect.py"

rule collect:
    """The records of all runs of a study in one table, with those of the run that this one starts from."""
    input:
        records=lambda wildcards: sum(new_records(wildcards.table), []),
        earlier=lambda wildcards: earlier.records(wildcards.table),
        earlier_origins=lambda wildcards: earlier.records(f"{wildcards.table}.json"),
    output:
        table="<results>/records/{table}",
        origins="<results>/records/{table}.json",
    log:
        "<results>/logs/collect/{table}.log",
    wildcard_constraints:
        table=one_of(TABLES),
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        sizes=lambda wildcards: [len(files) for files in new_records(wildcards.table)],
        assign=lambda wildcards: [source.assign for source in TABLES[wildcards.table]],
        columns=lambda wildcards: COLUMNS.get(wildcards.table),
        without=OUTDATED,
        raw_files=CHECKSUMS,
        run_folder=subpath(output.table, ancestor=2),
        code=code_of("collect.py"),
    script:
        "../../scripts/collect.py"


rule collect_jobs:
    """What every job took, as its log says."""
    input:
        made=made_by_stages,
        earlier=earlier.records("jobs.csv"),
    output:
        table="<results>/records/jobs.csv",
    log:
        "<results>/logs/collect_jobs.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        run_folder=subpath(output.table, ancestor=2),
        without=OUTDATED,
        code=code_of("collect_jobs.py"),
    script:
        "../../scripts/collect_jobs.py"


rule record_settings:
    """What the results depend on, for a later run that starts from them."""
    output:
        settings="<results>/records/settings.json",
    log:
        "<results>/logs/record_settings.log",
    localrule: True
    conda:
        "../../envs/graphsieve.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        settings=settings_of(config, CHECKSUMS),
    script:
        "../../scripts/record_settings.py"

# All scorers, r and K of a run.
for one in bundles_of("adaptive"):
    place = place_of(one, "<adaptive_run>")

    rule:
        """Train a model and prune its features on the way (Algorithm 1)."""
        name:
            one.name
        input:
            graph=graph_of_job,
        output:
            history=updated(one, "<results>/adaptive/<adaptive_run>/history.csv"),
            checkpoints=updated(one, "<results>/adaptive/<adaptive_run>/checkpoints.csv"),
            scores=updated(one, "<results>/adaptive/<adaptive_run>/scores.csv"),
            features=updated(one, "<results>/adaptive/<adaptive_run>/features.csv"),
            timings=updated(one, "<results>/adaptive/<adaptive_run>/timings.csv"),
        log:
            f"<results>/logs/{place}.log",
        benchmark:
            f"<results>/benchmarks/{place}.tsv"
        wildcard_constraints:
            dataset=one.datasets or one_of(config["datasets"]),
            scorer=one_of(["full", *SCORERS]),
        group:
            shared("adaptive")
        conda:
            "../../envs/graphsieve.yaml"
        threads: job_threads
        resources:
            mem_mb=memory_for("adaptive"),
            runtime=minutes_for("adaptive", one),
            gpu=job_gpus,
        params:
            results=results_with(one, adaptive_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("adaptive.py"),
        script:
            "../../scripts/adaptive.py"

# All scorers of a run.
for one in bundles_of("score"):
    place = place_of(one, "<run>/{scorer}")

    rule:
        """Score every feature."""
        name:
            one.name
        input:
            unpack(inputs_with(one, weights_for_scorer)),
            graph=graph_of_job,
        output:
            scores=updated(one, "<results>/scores/<run>/{scorer}.csv"),
        log:
            f"<results>/logs/{place}.log",
        benchmark:
            f"<results>/benchmarks/{place}.tsv"
        wildcard_constraints:
            dataset=one.datasets or one_of(config["datasets"]),
        group:
            shared("one_shot")
        conda:
            "../../envs/graphsieve.yaml"
        threads: job_threads
        resources:
            mem_mb=memory_for("score"),
            runtime=minutes_for("score", one),
            gpu=job_gpus,
        params:
            results=results_with(one, score_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("score.py"),
        script:
            "../../scripts/score.py"

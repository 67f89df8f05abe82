# All scorers of a run.
for one in bundles_of("retrain"):
    place = place_of(one, "<run>/{scorer}")

    rule:
        """Keep the best features, an exact number, and train on them alone: a new model, or the trained one that goes on."""
        name:
            one.name
        input:
            unpack(inputs_with(one, scores_to_select_by)),
            graph=graph_of_job,
            weights=weights_to_continue,
        output:
            record=updated(one, "<results>/retrain/<run>/{scorer}.csv"),
            selection=updated(one, "<results>/selection/<run>/{scorer}.csv"),
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
            mem_mb=memory_for("retrain"),
            runtime=minutes_for("retrain", one),
            gpu=job_gpus,
        params:
            results=results_with(one, retrain_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("retrain.py"),
        script:
            "../../scripts/retrain.py"

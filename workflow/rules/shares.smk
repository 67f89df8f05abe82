# All scorers of a run, and all models that they ask.
for one in bundles_of("retrain_shares"):
    place = place_of(one, "<run>/{asked}/{scorer}")

    rule:
        """Keep fewer and fewer of the best features and train a new model on each set; the ranking may be of another model."""
        name:
            one.name
        input:
            unpack(inputs_with(one, asked_scores)),
            graph=graph_of_job,
            weights=weights_to_continue,
        output:
            record=updated(one, "<results>/shares/<run>/{asked}/{scorer}.csv"),
            top=updated(one, "<results>/shares/<run>/{asked}/{scorer}_top.csv"),
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
            runtime=share_minutes(one),
            gpu=job_gpus,
        params:
            results=results_with(one, retrain_shares_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("retrain_shares.py"),
        script:
            "../../scripts/retrain_shares.py"

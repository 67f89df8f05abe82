# A dataset's own model and the MLP beside it.
for one in bundles_of("train"):
    place = place_of(one, "<run>", "{dataset}/{split}/seed{seed}")

    rule:
        """Train on all features; one training serves all scorers of its seed."""
        name:
            one.name
        input:
            graph=graph_of_job,
        output:
            weights=updated(one, "<results>/train/<run>/weights.npz"),
            history=updated(one, "<results>/train/<run>/history.csv"),
            record=updated(one, "<results>/train/<run>/record.csv"),
        log:
            f"<results>/logs/{place}.log",
        benchmark:
            f"<results>/benchmarks/{place}.tsv"
        wildcard_constraints:
            dataset=one.datasets or one_of(config["datasets"]),
        group:
            shared("train")
        conda:
            "../../envs/graphsieve.yaml"
        threads: job_threads
        resources:
            mem_mb=memory_for("train"),
            runtime=minutes_for("train", one),
            gpu=job_gpus,
        params:
            results=results_with(one, train_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("train.py"),
        script:
            "../../scripts/train.py"

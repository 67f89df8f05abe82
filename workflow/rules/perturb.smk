# All settings of Table 1 that perturb the graph.
for one in bundles_of("perturb"):
    place = place_of(one, "<run>/{setting}")

    rule:
        """Train on a graph whose features or edges were replaced (Table 1)."""
        name:
            one.name
        input:
            graph=graph_of_job,
        output:
            record=updated(one, "<results>/perturb/<run>/{setting}.csv"),
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
            mem_mb=memory_for("perturb"),
            runtime=minutes_for("perturb", one),
            gpu=job_gpus,
        params:
            results=results_with(one, perturb_settings),
            strict=settings_count,
            device=config["device"],
            code=code_of("perturb.py"),
        script:
            "../../scripts/perturb.py"

"""How jobs share submissions on a cluster; on one machine none of this has an effect.

A job of seconds is not worth a submission: those that read tables and draw pages run beside Snakemake, trainings and
scorings of one kind and size go together. How many of them share a submission is set in profiles/slurm.
"""


# Graphs are prepared where Snakemake runs, because nodes seldom reach the internet.
localrules:
    all,
    prepare_graph,
    generate_graph,
    collect_one_shot,
    collect_perturbations,
    collect_pixel_scores,
    collect_regime_scores,
    collect_adaptive,
    collect_correlated_scores,
    collect_bounds,
    collect_jobs,
    record_settings,
    describe_graphs,
    tabulate_perturbations,
    tabulate_selection,
    tabulate_datasets,
    tabulate_adaptive,
    tabulate_correlations,
    draw_pixels,
    draw_regimes,
    draw_motivation,
    draw_bounds,
    draw_training_curves,
    draw_heatmaps,
    draw_last_checkpoints,
    draw_ablation,
    measure_rank_stability,
    account_cost,
    judge_claims,
    render_notebook,
    build_index,


MEDIUM_WORK = 30_000_000  # of one epoch: features of all nodes, and hidden units along the edges


def job_size(wildcards):
    """Small: seconds a job. Medium: a minute or two. Large: worth several threads, and a submission of its own."""
    size = SIZES[wildcards.dataset]
    if job_threads(wildcards) > 1:
        return "large"
    work = size.nodes * size.features + config["training"]["hidden"] * size.edges
    return "medium" if work > MEDIUM_WORK else "small"


def shared(kind):
    """Jobs of this kind go together when their graphs are of one size; members that need a GPU take turns on it."""

    def group(wildcards):
        size = job_size(wildcards)
        return None if size == "large" else f"{kind}_{size}" + "_gpu" * job_gpus(wildcards)

    return group


def one_shot_group(wildcards):
    """Score, select and retrain in one go; of a large graph the score apart, as it takes minutes by itself."""
    return shared("one_shot")(wildcards) or "select_and_retrain"

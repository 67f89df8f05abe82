"""The protocol of a hypothesis, and which part of it each cell of Tables 1 and 2 depends on.

A protocol is a plain dict: `model`, `training` (with epochs), `scoring`, `selection`, `perturbations`, `normalise` and
`keep`. That of the hypothesis `base` is the config's own; any other is what it builds on (`builds_on`, else the base)
with its overrides.
"""

from graphsieve.options import BASE, OVERRIDABLE, TrainingOptions
from graphsieve.scoring.scorers import MODEL_OF_SCORER, OPTIONS_OF_SCORER

TABLE1 = ("original", "mlp", "permuted_rows", "gaussian_noise", "random_graph")
TABLE2 = ("npt", "npt_gaussian", "npt_mask", "tfi", "mi", "h_attr", "h_euc", "h_ge", "random")
CELLS = (*TABLE1, *TABLE2)  # the row of all features in Table 2 is `original` again


def protocol_of(config: dict, dataset: str, hypothesis: str = BASE) -> dict:
    """All that a hypothesis says of how this dataset is trained, scored and selected from.

    Parameters
    ----------
    config : dict
        The whole config, with its defaults filled in.
    dataset : str
        One of its datasets.
    hypothesis : str
        `base`, or one of its `suspects.hypotheses`.

    Returns
    -------
    dict
        The protocol.

    Examples
    --------
    >>> config = {"training": {"dropout": 0.0}, "scoring": {"ties": "loss"}, "selection": {}}
    >>> config |= {"perturbations": {"random_graph": "exact"}}
    >>> config |= {"datasets": {"cora": {"model": "gcn", "epochs": 400, "normalise": "row", "keep": 0.02}}}
    >>> config |= {"suspects": {"hypotheses": {"dropout": {"training": {"dropout": 0.5}}}}}
    >>> protocol_of(config, "cora", "dropout")["training"]
    {'dropout': 0.5, 'epochs': 400}
    """
    if hypothesis == BASE:
        own = config["datasets"][dataset]
        metric = config["scoring"].get("metric") or TrainingOptions.metric  # the published numbers are accuracies
        return {
            "model": own["model"],
            "training": {**config["training"], "epochs": own["epochs"]},
            "scoring": {**config["scoring"], "metric": metric},
            "selection": dict(config["selection"]),
            "perturbations": {"random_graph": config["perturbations"]["random_graph"]},
            "normalise": own["normalise"],
            "keep": own["keep"],
        }
    changes = config["suspects"]["hypotheses"][hypothesis]
    before = protocol_of(config, dataset, parent_of(config, hypothesis))
    changed = {section: {**before[section], **changes.get(section, {})} for section in OVERRIDABLE}
    plain = {key: changes.get(key, before[key]) for key in ("model", "normalise")}
    return {**before, **changed, **plain}


def parent_of(config: dict, hypothesis: str) -> str:
    """What a hypothesis builds on, and takes the cells from that it does not change."""
    return config["suspects"]["hypotheses"][hypothesis].get("builds_on", BASE)


def trained_by(config: dict, dataset: str, hypothesis: str) -> str:
    """The hypothesis whose model with all features this one uses: its own, or that of the first one before it."""
    while hypothesis != BASE:
        parent = parent_of(config, hypothesis)
        ours, theirs = (protocol_of(config, dataset, name) for name in (hypothesis, parent))
        if relevant(ours, "original") != relevant(theirs, "original"):
            break
        hypothesis = parent
    return hypothesis


def relevant(protocol: dict, cell: str) -> dict:
    """The part of a protocol that a cell depends on: where two agree in it, they agree in the cell."""
    trained = {"training": protocol["training"], "normalise": protocol["normalise"]}
    if cell == "mlp":
        return trained
    trained["model"] = protocol["model"]
    if cell in ("original", "permuted_rows"):
        return trained
    if cell == "gaussian_noise":  # in place of the features, however they were scaled
        return {"training": protocol["training"], "model": protocol["model"]}
    if cell == "random_graph":
        return {**trained, **protocol["perturbations"]}
    selected = {"keep": protocol["keep"], "scores": relevant_to_scores(protocol, cell)}
    if cell == "random":
        selected["draws"] = protocol["selection"]["random_draws"]
    else:
        selected["ties"] = protocol["scoring"]["ties"]
    if "magnitude" in OPTIONS_OF_SCORER[cell]:
        selected["magnitude"] = protocol["scoring"]["magnitude"]
    return {**trained, **selected, **retraining(protocol)}


def relevant_to_scores(protocol: dict, scorer: str) -> dict:
    """The part of a protocol that a scorer's scores depend on, before their sign is dropped where it is."""
    parts = {name: protocol["scoring"][name] for name in OPTIONS_OF_SCORER[scorer] if name != "magnitude"}
    if scorer in MODEL_OF_SCORER:
        parts |= {"training": protocol["training"], "model": protocol["model"]}
    return parts if scorer == "random" else {**parts, "normalise": protocol["normalise"]}


def retraining(protocol: dict) -> dict:
    """How a model of the kept features is trained, beside the options that every training has."""
    selection = protocol["selection"]
    parts = {"retrain": selection["retrain"], "pruned": selection["pruned"]}
    parts["retrain_epochs"] = selection["retrain_epochs"] or protocol["training"]["epochs"]
    if selection["retrain"] == "continue":
        parts["goes_on_with"] = protocol["scoring"]["scored_model"]
    return parts

"""The style of all figures: files that are the same bytes every time, and one colour for a method."""

import matplotlib

matplotlib.use("Agg")

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from graphsieve.plots import style
from graphsieve.study.labels import PAPER_DATASETS


def test_save_figure_writes_the_same_bytes_twice(tmp_path):
    for name in ("first", "second"):
        style.use_style()
        figure, axis = plt.subplots()
        axis.plot([1, 3, 2], label=style.label("h_ge"))
        axis.legend()
        style.save_figure(figure, f"{tmp_path}/{name}")
    for suffix in (".png", ".pdf"):
        first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("first", "second"))
        assert first == second
        assert b"CreationDate" not in first
        assert b"Software" not in first
    assert len(list(tmp_path.iterdir())) == 4
    assert not plt.get_fignums()


def test_a_method_has_one_colour_and_shares_it_with_none_of_its_figure():
    known = style.method_colours(["full", "npt", "h_ge"])
    assert known == {name: style.METHOD_COLOURS[name] for name in ("full", "npt", "h_ge")}
    more = style.method_colours(["npt", "pt", "my_scorer", "mi"])
    assert more["npt"] == known["npt"]
    assert len(set(more.values())) == 4
    assert len(style.method_colours([f"scorer{number}" for number in range(20)])) == 20


def test_no_dataset_has_the_colour_of_a_method_or_of_another_dataset():
    datasets = style.dataset_styles([*PAPER_DATASETS, "digits"])
    assert list(datasets)[:2] == ["cora", "citeseer"]
    colours = [datasets[name][0] for name in PAPER_DATASETS]
    assert len(set(colours)) == len({datasets[name][1] for name in PAPER_DATASETS}) == len(PAPER_DATASETS)
    assert not set(colours) & set(style.METHOD_COLOURS.values())
    assert len(set(style.METHOD_COLOURS.values())) == len(style.METHOD_COLOURS)
    few = style.dataset_styles(["digits", "cora", "shop"])
    assert len(set(few.values())) == 3
    assert few["cora"] == datasets["cora"]


def lab(colour: str) -> np.ndarray:
    """CIELAB, where distances are those that eyes see."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    mixed = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = np.cbrt(mixed / [0.9505, 1, 1.089])  # exact above 1 % of white
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_colours_of_methods_and_datasets_can_be_told_apart():
    colours = style.METHOD_COLOURS | {name: colour for name, (colour, _) in style.DATASET_STYLES.items()}
    near = {
        (one, other) for one, other in combinations(colours, 2)
        if np.linalg.norm(lab(colours[one]) - lab(colours[other])) < 14
    }  # fmt: skip
    assert near <= {("full", "best_of")}  # which no figure has both of

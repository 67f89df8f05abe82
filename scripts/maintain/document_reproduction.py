"""Write the tables of REPRODUCTION.md from the published results, so that the two cannot drift apart."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.errors import InputError, run_program
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_text
from graphsieve.study import claim_tables
from graphsieve.study.labels import label_dataset
from graphsieve.study.markup import between_markers, markdown_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, default=Path("results/paper/tables"))
    parser.add_argument("--batch-norm", type=Path, default=Path("results/batch_norm/tables"))
    parser.add_argument("--published", type=Path, default=Path("config/published"))
    parser.add_argument("--page", type=Path, default=Path("REPRODUCTION.md"))
    arguments = parser.parse_args()
    folders = arguments.tables, arguments.published, arguments.batch_norm
    write_text(with_results(arguments.page.read_text(), *folders), arguments.page)


def with_results(page: str, tables: Path, published: Path, batch_norm: Path) -> str:
    if not tables.is_dir():
        raise InputError(f"{tables} does not exist: run `make paper` first, or name another folder with --tables")
    if not batch_norm.is_dir():
        raise InputError(
            f"{batch_norm} does not exist: run snakemake with config/batch_norm.yaml first, or name another folder "
            "with --batch-norm"
        )
    texts = blocks(tables, published) | {"batch_norm": batch_norm_block(batch_norm, tables, published)}
    for name, text in texts.items():
        page = between_markers(page, name, text)
    return page


def blocks(tables: Path, published: Path) -> dict[str, str]:
    """Every generated part of the page, by the name of its markers."""
    adaptive = read_csv(tables / "claims_agreement_table3.csv")
    percents = adaptive["retained_percent"].unique()
    best_adaptive = read_csv(tables / "claims_best_adaptive.csv")
    repeats = read_csv(tables / "claims_repeats.csv").astype({"repeats": str})
    return {
        "table1": agreement_block(read_csv(tables / "claims_agreement_table1.csv"), "setting", "Table 1"),
        "table2": agreement_block(read_csv(tables / "claims_agreement_table2.csv"), "scorer", "Table 2"),
        "table3": "\n\n".join(
            agreement_block(adaptive[adaptive["retained_percent"] == percent], "scorer", f"Table 3 at {percent:g} %")
            for percent in percents
        ),
        "table4": correlation_block(
            read_csv(tables / "table4_score_correlation.csv"), read_csv(published / "table4_score_correlation.csv")
        ),
        "table5": dataset_block(read_csv(tables / "table5_datasets.csv"), read_csv(published / "table5_datasets.csv")),
        "best": markdown_table(claim_tables.verdict_cells(read_csv(tables / "claims_best_one_shot.csv"), "rival")),
        "best_adaptive": markdown_table(adaptive_verdicts(best_adaptive)),
        "early": markdown_table(claim_tables.early_cells(read_csv(tables / "claims_early.csv"))),
        "correlation": markdown_table(claim_tables.correlation_cells(read_csv(tables / "claims_correlation.csv"))),
        "repeats": markdown_table(claim_tables.verdict_cells(repeats, "repeats")),
        "fair": markdown_table(claim_tables.difference_cells(read_csv(tables / "claims_fair.csv"))),
        "cost": cost_block(read_csv(tables / "cost.csv")),
    }


def agreement_block(agreement: pd.DataFrame, row: str, name: str) -> str:
    """Ours, and the published in brackets; bold where they disagree."""
    texts = [
        ("{:.1f} ({:.1f})" if cell.verdict == "agrees" else "**{:.1f} ({:.1f})**").format(
            cell.accuracy_mean, cell.accuracy_mean_published
        )
        for cell in agreement.itertuples(index=False)
    ]
    cells = claim_tables.grid(agreement, texts, row, name)
    return f"{markdown_table(cells)}\n\n{claim_tables.agreement_sentence(agreement, name)} {runs_sentence(agreement)}"


def runs_sentence(table: pd.DataFrame) -> str:
    most = table.groupby("dataset", sort=False)["runs"].max()
    return f"Runs: {', '.join(f'{label_dataset(dataset)} {runs}' for dataset, runs in most.items())}."


def correlation_block(ours: pd.DataFrame, published: pd.DataFrame) -> str:
    both = ours.merge(published.dropna(), on=["scorer", "dataset"], suffixes=("", "_published"))
    texts = [f"{cell.pearson_r:.2f} ({cell.pearson_r_published:.2f})" for cell in both.itertuples(index=False)]
    return markdown_table(claim_tables.grid(both, texts, "scorer", "Table 4"))


def batch_norm_block(with_it: Path, without: Path, published: Path) -> str:
    """The tables of the run with batch normalisation beside those without it and the published ones."""
    accuracy = {"value": "accuracy_mean", "digits": 1}
    tables = {
        "table1_perturbations": {"row": "setting", **accuracy},
        "table2_feature_selection": {"row": "scorer", **accuracy},
        "table4_score_correlation": {"row": "scorer", "value": "pearson_r", "digits": 2},
    }
    folders = {"": with_it, "_without": without, "_published": published}
    return "\n\n".join(
        three_ways(
            [read_csv(folder / f"{file}.csv").add_suffix(end) for end, folder in folders.items()], file, **options
        )
        for file, options in tables.items()
    )


def three_ways(tables: list[pd.DataFrame], file: str, row: str, value: str, digits: int) -> str:
    """With / without / published in a cell; bold is the one of ours that is closer to the published."""
    ours, without, published = tables
    both = ours.merge(without, left_on=[row, "dataset"], right_on=[f"{row}_without", "dataset_without"])
    both = both.merge(published, left_on=[row, "dataset"], right_on=[f"{row}_published", "dataset_published"])
    columns = [value, f"{value}_without", f"{value}_published"]
    both = both.dropna(subset=columns)
    numbers = both[columns].to_numpy()
    errors = abs(numbers[:, :2] - numbers[:, 2:])
    closer = errors[:, 0] < errors[:, 1]
    patterns = np.where(closer, "**{:.{d}f}** / {:.{d}f} / {:.{d}f}", "{:.{d}f} / **{:.{d}f}** / {:.{d}f}")
    texts = [str(pattern).format(*three, d=digits) for pattern, three in zip(patterns, numbers, strict=True)]
    name = f"Table {file[5]}"
    sentence = (
        f"{name}: with it, {closer.sum()} of {len(both)} cells are closer to the published. {runs_sentence(both)}"
    )
    return f"{markdown_table(claim_tables.grid(both, texts, row, name))}\n\n{sentence}"


def dataset_block(ours: pd.DataFrame, published: pd.DataFrame) -> str:
    columns = ["nodes", "edges", "features", "classes"]
    both = published.merge(ours, on="dataset", how="left", suffixes=("_published", ""))
    cells = {
        column: [
            f"{mine:,.0f} ({theirs:,.0f})" if pd.notna(mine) else f"– ({theirs:,.0f})"
            for mine, theirs in zip(both[column], both[f"{column}_published"], strict=True)
        ]
        for column in columns
    }
    return markdown_table(pd.DataFrame(cells).set_axis(both["dataset"].map(label_dataset)).rename_axis("Table 5"))


def adaptive_verdicts(judged: pd.DataFrame) -> pd.DataFrame:
    cells = claim_tables.verdict_cells(judged, "rival")
    cells.insert(0, "% of features", [f"{percent:g}" for percent in judged["retained_percent"]])
    return cells


def cost_block(cost: pd.DataFrame) -> str:
    names = {"core_hours": "core-hours", "longest_job_minutes": "longest job, minutes", "plain_core_hours": "plain way"}
    shown = cost.set_index("study").rename(columns=names)
    cells = shown.map("{:,.1f}".format).assign(jobs=shown["jobs"].map("{:,.0f}".format))
    return markdown_table(cells.rename_axis("Study"))


if __name__ == "__main__":
    run_program(main)

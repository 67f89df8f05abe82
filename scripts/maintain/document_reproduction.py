"""Write the tables of REPRODUCTION.md from the published results, so that the two cannot drift apart."""

import argparse
from pathlib import Path

import pandas as pd

from graphsieve.errors import InputError, run_program
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_text
from graphsieve.study import claim_tables
from graphsieve.study.agreement import AGREES, SHARE, all_counts_sentence, counts_sentence, seen_sentence
from graphsieve.study.labels import ROWS, in_order, label_dataset, label_row
from graphsieve.study.markup import between_markers, markdown_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, default=Path("results/paper/tables"))
    parser.add_argument("--published", type=Path, default=Path("config/published"))
    parser.add_argument("--page", type=Path, default=Path("REPRODUCTION.md"))
    arguments = parser.parse_args()
    text = with_results(arguments.page.read_text(), arguments.tables, arguments.published)
    write_text(text, arguments.page)


def with_results(page: str, tables: Path, published: Path) -> str:
    if not tables.is_dir():
        raise InputError(f"{tables} does not exist: run `make paper` first, or name another folder with --tables")
    for name, text in blocks(tables, published).items():
        page = between_markers(page, name, text)
    return page


def blocks(tables: Path, published: Path) -> dict[str, str]:
    """Every generated part of the page, by the name of its markers."""
    cells, fair = read_csv(tables / "agreement.csv"), read_csv(tables / "claims_fair.csv")
    return {
        "agreement": f"{all_counts_sentence(cells)} {seen_sentence(cells)}",
        "table1": agreement_block(cells[cells["table"] == "Table 1"], "Table 1"),
        "table2": agreement_block(cells[cells["table"] == "Table 2"], "Table 2"),
        "table3": agreement_block(cells[cells["table"] == "Table 3"], "Table 3"),
        "table4": correlation_sentence(
            read_csv(tables / "table4_score_correlation.csv"), read_csv(published / "table4_score_correlation.csv")
        ),
        "best": markdown_table(claim_tables.verdict_cells(read_csv(tables / "claims_best_one_shot.csv"), "rival")),
        "fair": f"{markdown_table(claim_tables.difference_cells(fair))}\n\n{claim_tables.power_sentence(fair)}".strip(),
    }


def agreement_block(agreement: pd.DataFrame, name: str) -> str:
    """Ours, and the published in brackets; bold where they disagree. The shares of Table 3 stand below each other."""
    shares = agreement.get(SHARE, pd.Series(float("nan"), index=agreement.index)).fillna(0)
    parts = [agreement_cells(part, share, name) for share, part in agreement.groupby(shares, sort=False)]
    cells = pd.concat(parts).fillna("–")
    return f"{markdown_table(cells)}\n\n{counts_sentence(agreement, name)} {runs_sentence(agreement)}"


def agreement_cells(agreement: pd.DataFrame, share: float, name: str) -> pd.DataFrame:
    texts = [
        ("{:.1f} ({:.1f})" if cell.verdict == AGREES else "**{:.1f} ({:.1f})**").format(
            cell.accuracy_mean, cell.accuracy_mean_published
        )
        for cell in agreement.itertuples(index=False)
    ]
    cells = claim_tables.grid(agreement, texts, "row", name)
    return cells.rename(index=lambda row: f"{row}, {share:g} %") if share else cells


def runs_sentence(table: pd.DataFrame) -> str:
    most = table.groupby("dataset", sort=False)["runs"].max()
    return f"Runs: {', '.join(f'{label_dataset(dataset)} {runs}' for dataset, runs in most.items())}."


def correlation_sentence(ours: pd.DataFrame, published: pd.DataFrame) -> str:
    """Means over the datasets that both have; the cells stand on the page."""
    both = ours.merge(published, on=["scorer", "dataset"], suffixes=("", "_published")).dropna()
    means = both.groupby("scorer")[["pearson_r", "pearson_r_published"]].mean()
    parts = []
    for scorer in in_order(means.index, ROWS):
        numbers = "{pearson_r:.2f} ({pearson_r_published:.2f})".format(**means.loc[scorer])
        parts.append(f"{label_row(scorer)} {numbers.replace('-', '−')}")
    return f"Mean r over {both['dataset'].nunique()} datasets: {', '.join(parts)}."


if __name__ == "__main__":
    run_program(main)

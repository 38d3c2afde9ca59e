"""Whether deeper wins: means over seeds, and the deepest against the shallowest of each table."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.depth_source import SOURCE, TABLES
from benchmarks.differences import loss_difference
from benchmarks.experiments import Row, finding, rounded
from embeddings.training.heldout import Scores


def mean_row(rows: list[Row]) -> Row:
    """The mean over seeds; the error of the share falls with their root."""
    found = dict(rows[0])
    for key, value in rows[0].items():
        if isinstance(value, float):
            found[key] = sum(row[key] for row in rows) / len(rows)
    del found["seed"]
    found["nsp_standard_error"] /= len(rows) ** 0.5
    return rounded({**found, "seeds": len(rows)})


def findings(table: str, scores: dict[str, Scores]) -> list[Row]:
    """Whether four layers beat one, in NSP accuracy and in total loss, over the seeds that both have."""
    ends = [of_shape(TABLES[table][place], scores) for place in (0, -1)]
    both = sorted(set(ends[0]) & set(ends[1]))
    shallow, deep = ([scores[end[seed]] for seed in both] for end in ends)
    told = SOURCE[table]
    assert isinstance(told, list)
    first, last = told[0], told[-1]
    accuracy = loss_difference(deep, shallow, (3,))
    loss = loss_difference(shallow, deep, (0, 2))
    gained = round(last["nsp_accuracy"] - first["nsp_accuracy"], 2)
    fell = round(first["total_loss"] - last["total_loss"], 2) if "total_loss" in first else None
    return [
        finding(f"deeper_nsp_{table}", gained, accuracy.row(), accuracy.holds()),
        finding(f"deeper_loss_{table}", fell, loss.row(), loss.holds()),
    ]


def of_shape(shape: tuple[int, int], runs: Mapping[str, object]) -> dict[str, str]:
    """Seeds and names of the runs of a configuration."""
    start = f"{shape[0]}x{shape[1]}.seed"
    return {name.removeprefix(start): name for name in runs if name.startswith(start)}

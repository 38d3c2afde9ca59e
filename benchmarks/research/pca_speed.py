"""PCA of two components against scikit-learn, in turn: medians of seconds, and eigenvalues.

``python -m benchmarks.research.pca_speed`` writes benchmarks/results/pca.json.
"""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np
from sklearn import decomposition

from benchmarks.result_files import RESULTS, Measurements
from benchmarks.source_tree import source_commit
from benchmarks.speed import Race, in_turn, seconds_of, shape, write_races
from embeddings import PCA

SHAPES = ((50_000, 100), (200_000, 300))
ROUNDS = 9
QUESTION = "How fast is PCA of two components, and how exact?"


def measure() -> Measurements:
    """Time both on the same rows, in turn, so that a busy moment meets both."""
    return {
        "command": "python -m benchmarks.research.pca_speed",
        "commit": source_commit(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {name: version(name) for name in ("numpy", "scikit-learn")},
        "rows": [_measure_shape(*size) for size in SHAPES],
    }


def _measure_shape(n: int, columns: int) -> dict[str, object]:
    """One size, float32, with a mean 20 times the spread."""
    random = np.random.default_rng(1)
    mixed = random.normal(size=(columns, columns)) / columns**0.5
    rows = (random.normal(size=(n, columns)).astype(np.float32) @ mixed.astype(np.float32)) + 20
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    ours, theirs = PCA(2, standardize=False), decomposition.PCA(2, svd_solver="covariance_eigh")
    programs = {
        "klyuch": lambda: seconds_of(lambda: ours.fit(rows)),
        "sklearn": lambda: seconds_of(lambda: theirs.fit(rows)),
    }
    timed = in_turn(programs, ROUNDS)
    exact = decomposition.PCA(2, svd_solver="covariance_eigh").fit(rows.astype(np.float64))
    return {
        "rows": n,
        "columns": columns,
        "klyuch_seconds": timed.median("klyuch"),
        "sklearn_seconds": timed.median("sklearn"),
        "ratio": timed.ratio("klyuch", "sklearn"),
        "ratio_quartiles": timed.ratio_quartiles("klyuch", "sklearn"),
        "load": timed.load(),
        "rounds": timed.rows(),
        "klyuch_error": _error(ours.explained_variance_, exact.explained_variance_),
        "sklearn_error": _error(theirs.explained_variance_, exact.explained_variance_),
    }


def _error(values: np.ndarray, exact: np.ndarray) -> float:
    """Largest relative error of the eigenvalues against float64."""
    return float(np.max(np.abs(values - exact) / exact))


def races(measured: Measurements) -> list[Race]:
    """Every shape against scikit-learn."""
    return [
        Race(
            "pca",
            shape(row["rows"], row["columns"]),
            "scikit-learn",
            "s",
            row["klyuch_seconds"],
            row["sklearn_seconds"],
        )
        for row in measured["rows"]
    ]


if __name__ == "__main__":
    result = measure()
    write_races(RESULTS / "pca.json", QUESTION, races(result), result)
    print(result["rows"])

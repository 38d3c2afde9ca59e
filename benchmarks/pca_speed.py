"""PCA of two components against scikit-learn, in one run: seconds and eigenvalues.

``python -m benchmarks.pca_speed`` writes benchmarks/results/pca.json.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn import decomposition

from embeddings import PCA
from embeddings.files import write_json

SHAPES = ((50_000, 100), (200_000, 300))
ROUNDS = 9
TARGET = Path(__file__).parent / "results" / "pca.json"


def measure() -> dict[str, object]:
    """Time both on the same rows, turn about, so that a busy moment meets both."""
    return {
        "command": "python -m benchmarks.pca_speed",
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {name: version(name) for name in ("numpy", "scikit-learn")},
        "rows": [_shape(*shape) for shape in SHAPES],
    }


def _shape(n: int, columns: int) -> dict[str, object]:
    """One size, float32, with a mean 20 times the spread."""
    random = np.random.default_rng(1)
    mixed = random.normal(size=(columns, columns)) / columns**0.5
    rows = (random.normal(size=(n, columns)).astype(np.float32) @ mixed.astype(np.float32)) + 20
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    ours, theirs = PCA(2, standardize=False), decomposition.PCA(2, svd_solver="covariance_eigh")
    times = {"klyuch": [], "sklearn": []}
    for _ in range(ROUNDS):
        times["klyuch"].append(_seconds(lambda: ours.fit(rows)))
        times["sklearn"].append(_seconds(lambda: theirs.fit(rows)))
    exact = decomposition.PCA(2, svd_solver="covariance_eigh").fit(rows.astype(np.float64))
    return {
        "rows": n,
        "columns": columns,
        "klyuch_seconds": min(times["klyuch"]),
        "sklearn_seconds": min(times["sklearn"]),
        "ratio": min(times["klyuch"]) / min(times["sklearn"]),
        "klyuch_error": _error(ours.explained_variance_, exact.explained_variance_),
        "sklearn_error": _error(theirs.explained_variance_, exact.explained_variance_),
    }


def _seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _error(found: np.ndarray, exact: np.ndarray) -> float:
    """Largest relative error of the eigenvalues against float64."""
    return float(np.max(np.abs(found - exact) / exact))


if __name__ == "__main__":
    result = measure()
    write_json(TARGET, result)
    print(result["rows"])

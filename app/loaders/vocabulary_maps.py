"""Cached maps: of whole vocabularies, of words by t-SNE and UMAP; UMAP, made ready while somebody reads, has a process of its own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence

import numpy as np

from app.answers import cached
from app.loaders import shelf_models
from embeddings.analysis.projection import project
from embeddings.analysis.umap_process import UmapProcess
from embeddings.errors import KlyuchError
from embeddings.results import Projection
from embeddings.shelf import Entry

DRAWN = 20_000  # words of a map; of more a random sample
DELAY = 20.0  # seconds before UMAP is made ready: a short visit pays nothing
WARM = "KLYUCH_WARM"  # "0" in the environment leaves it
UMAP = UmapProcess()


@cached(3)
def vocabulary_map(entry: Entry) -> Projection:
    """Return all words of a model by PCA, the commonest first; of very many a sample that is drawn at random."""
    vectors = shelf_models.vectors(entry)
    rows: Sequence[int] = range(len(vectors))
    if len(vectors) > DRAWN:
        rows = sorted(np.random.default_rng(1).permutation(len(vectors))[:DRAWN].tolist())
    return project(vectors, [vectors.words[row] for row in rows])


@cached(32, is_heavy=True)
def arranged(entry: Entry, words: tuple[str, ...], method: str, dimensions: int) -> Projection:
    """Return a map of words by t-SNE or UMAP."""
    vectors = shelf_models.vectors(entry)
    return project(vectors, words, method=method, dimensions=dimensions, umap=UMAP)


@cached(1)
def warm_umap() -> None:
    """Compile what UMAP needs in the background, once a server: its first map would take half a minute otherwise."""
    if os.environ.get(WARM) == "1":  # a server for people: `app.server` says so
        threading.Thread(target=_compile_umap, name="umap", daemon=True).start()


def _compile_umap() -> None:
    """Lay out a few random words."""
    time.sleep(DELAY)
    matrix = np.random.default_rng(1).normal(size=(40, 16)).astype(np.float32)
    try:
        UMAP(matrix, 2, 1)
    except KlyuchError:  # umap-learn is not installed: the page says so when somebody asks for it
        return

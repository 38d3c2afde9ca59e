"""Words, contexts and formulas on a map: by the project's own PCA, and words by t-SNE and UMAP for comparison.

Decisions: rows of words are scaled to length one first, so that nearness on the map is nearness by
cosine; PCA is fitted to the words shown unless others are named, and can project further points onto
the same map; t-SNE and UMAP give the same map for the same seed, on one thread. A word's contexts get
a map for each layer, turned so that it does not flip from one to the next. The plane of a formula is
fitted to its words and answers.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from embeddings.analysis.context_answers import ContextMap
from embeddings.analysis.pca import PCA
from embeddings.analysis.vector_answers import Analogy, Projection
from embeddings.arrays import Float32s, Float64s, Floats
from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError
from embeddings.optional import optional
from embeddings.vectors.table import Vectors

LayOut = Callable[[Float32s, int, int], Floats]
LEAST_CONTEXTS = 3  # contexts that make a map
PROJECTION_METHODS = ("pca", "tsne", "umap")
MOST_FITTED = 100_000  # words that PCA is fitted on; of more a sample
MIN_WORDS = {"tsne": 5, "umap": 5}  # words below which the two have nothing to arrange


def project(  # noqa: PLR0913 - the page's choices, all but two with defaults
    vectors: Vectors,
    words: Sequence[str],
    method: str = "pca",
    dimensions: int = 2,
    *,
    standardize: bool = True,
    fit_on: Sequence[str] | None = None,
    seed: int = 1,
    umap: LayOut | None = None,
) -> Projection:
    """Place words in two or three dimensions.

    Parameters
    ----------
    vectors : Vectors
        The table.
    words : sequence of str
        Words to place, or senses (``bank#2``); a word named twice is placed once.
    method : {"pca", "tsne", "umap"}
        The last two take seconds, and import scikit-learn or umap-learn.
    dimensions : int, default 2
        2 or 3.
    standardize : bool, default True
        Whether PCA scales each of the vector's dimensions to unit variance first.
    fit_on : sequence of str, optional
        The words that PCA is fitted to, of more than `MOST_FITTED` a random sample of that size; None: the words placed.
    seed : int, default 1
        Of t-SNE and UMAP.
    umap : callable, optional
        What computes UMAP from rows, dimensions and seed, if not this process: `embeddings.analysis.umap_process`.

    Returns
    -------
    Projection
        ``explained_variance_ratio`` is a share of the fitted words' variance, for PCA alone.

    Raises
    ------
    InputError, UnknownWordError
        Too few words; dimensions other than 2 and 3; an unknown word.
    """
    check_choice("method", method, PROJECTION_METHODS)
    check_range("dimensions", dimensions, 2, 3)
    vectors = vectors.with_senses(words)
    placed = list(dict.fromkeys(vectors.row(word) for word in words))
    labels = tuple(vectors.words[row] for row in placed)
    rows = vectors.unit_rows(placed)
    least = MIN_WORDS.get(method, dimensions if fit_on is None else 1)
    if len(rows) < least:
        raise InputError("projection_words", words=len(rows), method=method, least=least)
    if method == "pca":
        fitted = rows if fit_on is None else vectors.unit_rows(_fitted_rows(vectors, fit_on))
        points, shares = on_components(rows, fitted, dimensions, standardize=standardize)
        return Projection(labels, points, "pca", shares)
    coordinates = (_by_tsne if method == "tsne" else umap or by_umap)(rows, dimensions, seed)
    return Projection(labels, np.asarray(coordinates, dtype=np.float64), method)


def on_components(
    rows: Floats, fitted: Floats, dimensions: int = 2, *, standardize: bool = False
) -> tuple[Float64s, tuple[float, ...]]:
    """Return coordinates of rows on the principal components of others, and the share of these others' variance along each."""
    pca = PCA(dimensions, standardize=standardize).fit(fitted)
    shares = tuple(float(share) for share in pca.explained_variance_ratio_)
    return np.asarray(pca.transform(rows), np.float64), shares


def _fitted_rows(vectors: Vectors, words: Sequence[str]) -> Sequence[int]:
    """Rows of the words that PCA is fitted on; of more than `MOST_FITTED` a sample that is drawn at random."""
    drawn: Sequence[int] = range(len(words))
    if len(words) > MOST_FITTED:
        draw = np.random.default_rng(1).choice(len(words), MOST_FITTED, replace=False)
        drawn = np.sort(draw).tolist()
    if words is vectors.words:
        return list(drawn)
    return [vectors.row(words[number]) for number in drawn]


def _by_tsne(rows: Float32s, dimensions: int, seed: int) -> Floats:
    """Van der Maaten and Hinton (2008); perplexity 30, a third of the words where they are few."""
    with optional():
        from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(30.0, (len(rows) - 1) / 3)
    start = "pca" if len(rows) > dimensions and rows.shape[1] >= dimensions else "random"
    map_ = TSNE(dimensions, perplexity=perplexity, init=start, random_state=seed, n_jobs=1)
    with threadpool_limits(1, user_api="openmp"):  # 40 words: 0.1 s, on two busy threads 10 s
        coordinates: Floats = map_.fit_transform(rows)
    return coordinates


def by_umap(rows: Float32s, dimensions: int, seed: int) -> Floats:
    """Return coordinates by UMAP: McInnes et al. (2018); 15 neighbours, all others where the words are few."""
    with warnings.catch_warnings():  # it says that it does without tensorflow
        warnings.simplefilter("ignore", ImportWarning)
        with optional():
            from umap import UMAP

    near = min(15, len(rows) - 1)
    start = "spectral" if len(rows) > dimensions + 10 else "random"
    map_ = UMAP(near, dimensions, init=start, random_state=seed, n_jobs=1)
    return map_.fit_transform(rows)


def context_maps(states: Floats, rows: Sequence[int] | None = None) -> tuple[ContextMap, ...]:
    """Return a map of every layer by PCA of the contexts alone, centred and not standardised.

    The sign of a component is free: each is turned so that it agrees with the layer below, and the
    map does not flip from layer to layer.

    Parameters
    ----------
    states : NDArray, shape (contexts, layers + 1, hidden_size)
    rows : sequence of int, optional
        The contexts that the axes are fitted on, all if left out or fewer than three; the others are projected.

    Raises
    ------
    InputError
        If there are fewer than three contexts.
    """
    if len(states) < LEAST_CONTEXTS:
        raise InputError("contexts_map_few", found=len(states), least=LEAST_CONTEXTS)
    if rows is None or len(rows) < LEAST_CONTEXTS:
        rows = range(len(states))
    from threadpoolctl import threadpool_limits

    maps: list[ContextMap] = []
    with threadpool_limits(1, user_api="blas"):  # on a busy machine two threads take seconds
        for layer in range(states.shape[1]):
            plane = _map_of(np.asarray(states[:, layer], np.float64), list(rows))
            if maps:
                agree = (plane.coordinates * maps[-1].coordinates).sum(axis=0) >= 0
                turned = plane.coordinates * np.where(agree, 1.0, -1.0)
                plane = ContextMap(turned, plane.explained_variance_ratio)
            maps.append(plane)
    return tuple(maps)


def _map_of(vectors: Float64s, fitted: list[int]) -> ContextMap:
    """Principal components of one layer, of the contexts ``fitted``, in units of their mean length."""
    length = float(np.linalg.norm(vectors[fitted], axis=1).mean()) or 1.0
    centred = (vectors - vectors[fitted].mean(axis=0)) / length
    if centred.shape[1] > len(vectors):  # the same distances in as many columns as there are rows
        centred = np.asarray(np.linalg.qr(centred.T)[1]).T
    return ContextMap(*on_components(centred, centred[fitted]))


def by_group(similarities: Floats, groups: Sequence[Hashable]) -> list[int]:
    """Return rows ordered by group, the largest group first, in each the most typical row first."""
    named = [name for name, _ in Counter(groups).most_common()]
    numbers = np.array([named.index(group) for group in groups])
    same = numbers[:, None] == numbers
    typical = (np.asarray(similarities) * same).sum(1) / same.sum(1)
    return [int(row) for row in np.lexsort((-typical, numbers))]


def parallelogram(vectors: Vectors, analogy: Analogy, answers: int = 3) -> Projection:
    """Return the formula's words, then its first answers, last the sum itself.

    Parameters
    ----------
    vectors : Vectors
        The table that answered.
    analogy : Analogy
        As `embeddings.analysis.analogies.solve` returns it.
    answers : int, default 3
        How many answers to draw; they and the formula's words are what the plane is fitted to, the
        sum is only placed in it.

    Returns
    -------
    Projection
        ``explained_variance_ratio`` is the share of those words' variance that the plane shows.
    """
    inputs = [term.word for term in analogy.terms]
    chosen = [near.word for near in analogy.answers if near.word not in inputs][:answers]
    words = [*inputs, *chosen]
    vectors = vectors.with_senses(words)
    rows = vectors.unit_rows([vectors.row(word) for word in words])
    weights = np.array([term.weight for term in analogy.terms], dtype=np.float32)
    total = weights @ rows[: len(inputs)]
    points, shares = on_components(np.vstack([rows, total]), rows)
    return Projection((*words, analogy.expression), points, "pca", shares)

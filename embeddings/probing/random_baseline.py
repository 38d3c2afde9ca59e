"""What random words have in common, so that no cosine stands alone; how far senses lie apart, layer by layer.

The vectors of a layer share a large common part: two random words can have a cosine of 0.9. So beside every cosine
stand, for layer l with u = x / |x|,

- the baseline  b_l = mean of cos(x_i, x_j) over all pairs of words i, j from different sentences,
- the centred cosine  cos(x - m_l, y - m_l), with m_l the mean vector of the layer, and its own baseline.

Ethayarajh (2019), section 3: SelfSim_l(w) = 2 / (n (n - 1)) sum over i < j of cos(x_i, x_j), x_1 ... x_n the occurrences of w;
IntraSim_l(s) = 1 / n sum over i of cos(s_l, x_i), s_l the mean of the n words of sentence s;
MEV_l(w) = sigma_1^2 / sum sigma_i^2, the singular values of the occurrences' matrix.

The blank in a word's place: what the network expects there before it sees the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.probing.context_states import word_states
from embeddings.probing.reader import Reader, mask_name
from embeddings.probing.token_spans import Occurrence
from embeddings.results.word_contexts import (
    Baseline,
    Contextuality,
    IntraSentence,
    LikenessMatrix,
    PairLikeness,
    Separation,
    WordStates,
)
from embeddings.text.word_positions import words_at


def random_baseline(
    reader: Reader, texts: Sequence[str], words: int = 5, seed: int = 1
) -> Baseline:
    """Read random words of some sentences: what any two words have in common at each layer.

    b_l = (|sum_i u_i|^2 - sum_s |sum_(i in s) u_i|^2) / number of pairs of different sentences: all pairs, none drawn.

    Parameters
    ----------
    reader : Reader
    texts : sequence of str
        At least two sentences with words, as those of ``data/contexts``.
    words : int, default 5
        Words drawn from a sentence, without replacement; fewer if it has fewer.
    seed : int, default 1
        Of the drawing.

    Raises
    ------
    InputError
        If fewer than two of the texts hold a word.
    """
    chosen, owners = random_words(texts, words, seed)
    return baseline_of(word_states(reader, chosen).vectors, owners)


def random_words(
    texts: Sequence[str], words: int = 5, seed: int = 1
) -> tuple[list[Occurrence], list[int]]:
    """Draw words of some sentences, as for `random_baseline`, and tell which sentence each is of, numbered from 0."""
    check_range("words", words, 1, 10_000)
    generator = np.random.default_rng(seed)
    chosen: list[Occurrence] = []
    owners: list[int] = []
    for text in texts:
        spans = [(start, end) for _, start, end in words_at(text)]
        drawn = generator.permutation(len(spans))[:words]
        chosen += [(text, spans[i]) for i in drawn]
        owners += [owners[-1] + 1 if owners else 0] * len(drawn)
    if not owners or owners[-1] < 1:
        raise InputError("baseline_few", texts=len(texts))
    return chosen, owners


def baseline_of(states: NDArray[np.float32], owners: Sequence[int]) -> Baseline:
    """Compare vectors of random words, shape (words, layers + 1, H), in pairs from different sentences ``owners``, numbered from 0."""
    mean = states.mean(0, dtype=np.float64).astype(np.float32)
    numbers = np.array(owners)
    plain = np.array([_between(unit(layer), numbers) for layer in _layers(states)])
    centred = np.array([_between(unit(layer), numbers) for layer in _layers(states - mean)])
    return Baseline(plain, centred, mean, len(states), int(numbers.max()) + 1)


def likeness(
    first: NDArray[np.float32], second: NDArray[np.float32], base: Baseline
) -> PairLikeness:
    """Compare two occurrences, rows of `WordStates.vectors` of shape (layers + 1, hidden_size)."""

    def cosines(shift: NDArray[np.float32] | float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (unit(first - shift) * unit(second - shift)).sum(
            -1, np.float64
        )
        return found

    return PairLikeness(cosines(0.0), base.cosine, cosines(base.mean), base.centred)


def likeness_matrix(states: WordStates, layer: int, base: Baseline) -> LikenessMatrix:
    """Compare all occurrences with each other at one layer."""
    check_range("layer", layer, 0, states.layers)
    plain = unit(states.vectors[:, layer])
    centred = unit(states.vectors[:, layer] - base.mean[layer])
    return LikenessMatrix(
        layer,
        plain @ plain.T,
        float(base.cosine[layer]),
        centred @ centred.T,
        float(base.centred[layer]),
    )


def separation(
    states: WordStates,
    labels: Sequence[str] | Sequence[int],
    base: Baseline,
    clusters: NDArray[np.integer] | None = None,
) -> Separation:
    """Measure how far labelled occurrences of a word lie apart at each layer.

    within = mean cos over pairs of one sense; between = mean cos over pairs of two senses;
    silhouette = mean of (b_i - a_i) / max(a_i, b_i), with a_i the mean distance 1 - cos to the own sense, b_i to the nearest other
    (Rousseeuw 1987; 0 for an occurrence that is alone in its sense), on centred vectors.

    Parameters
    ----------
    states : WordStates
        n occurrences.
    labels : sequence, length n
        The sense of each.
    base : Baseline
        Of the same network.
    clusters : NDArray of int, shape (layers + 1, n), optional
        Clusters found at each layer; their adjusted Rand index with ``labels`` is told.

    Raises
    ------
    InputError
        If there are not as many labels as occurrences.
    """
    if len(labels) != len(states.vectors):
        raise InputError("separation_labels", labels=len(labels), rows=len(states.vectors))
    senses = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)[1]
    plain = np.array([_within_between(unit(layer), senses) for layer in _layers(states.vectors)])
    shifted = [unit(layer) for layer in _layers(states.vectors - base.mean)]
    centred = np.array([_within_between(layer, senses) for layer in shifted])
    scores = np.array([silhouette(1 - layer @ layer.T, senses) for layer in shifted])
    ari = np.full(len(scores), np.nan)
    if clusters is not None:
        from sklearn.metrics import adjusted_rand_score

        ari = np.array([adjusted_rand_score(senses, found) for found in clusters])
    past = scores[1:]  # layer 0 knows the form and the place of a word, not its company
    best = 1 + int(np.nanargmax(past)) if np.isfinite(past).any() else states.layers
    return Separation(
        plain[:, 0],
        plain[:, 1],
        base.cosine,
        centred[:, 0],
        centred[:, 1],
        base.centred,
        scores,
        ari,
        best,
    )


def silhouette(distances: NDArray[np.floating], senses: NDArray[np.integer]) -> float:
    """Mean silhouette of labelled points from their distances, shape (n, n); NaN with fewer than two senses."""
    kinds = np.eye(int(senses.max()) + 1)[senses]  # (n, senses)
    sizes = kinds.sum(0)
    if (sizes > 0).sum() < 2:
        return float("nan")
    totals = np.asarray(distances, np.float64) @ kinds
    own = sizes[senses]
    rows = np.arange(len(senses))
    inside = totals[rows, senses] / np.maximum(own - 1, 1)
    means = np.where(sizes > 0, totals / np.maximum(sizes, 1), np.inf)
    means[rows, senses] = np.inf
    outside = means.min(1)
    largest = np.maximum(inside, outside)
    scores = np.divide(outside - inside, largest, out=np.zeros_like(own), where=largest > 0)
    return float(np.where(own > 1, scores, 0.0).mean())


def contextuality(states: WordStates, base: Baseline, random: WordStates) -> Contextuality:
    """Measure how much its contexts change one word: SelfSim and MEV of n occurrences, at each layer.

    ``random``: states of as many random words, for the baseline of MEV.
    """
    for name, found in (("occurrences", states), ("random", random)):
        check_range(name, len(found.vectors), 2, np.inf)
    same = np.zeros(len(states.vectors), np.int64)
    alike = [_within_between(unit(layer), same)[0] for layer in _layers(states.vectors)]
    return Contextuality(np.array(alike), _explained(states), base.cosine, _explained(random))


def intra_sentence(reader: Reader, texts: Sequence[str], base: Baseline) -> IntraSentence:
    """Measure how alike the words of one sentence are: the mean IntraSim over ``texts``, at each layer."""
    groups = [[(text, (s, e)) for _, s, e in words_at(text)] for text in texts]
    groups = [group for group in groups if group]
    if not groups:
        raise InputError("baseline_few", texts=len(texts))
    states = word_states(reader, [one for group in groups for one in group]).vectors
    found = []
    for part in np.split(states, np.cumsum([len(group) for group in groups])[:-1]):
        middle = unit(part.mean(0))  # (layers + 1, H)
        found.append(np.einsum("nlh,lh->nl", unit(part), middle).mean(0))
    return IntraSentence(np.mean(found, 0, dtype=np.float64), base.cosine, len(groups))


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (last axis) scaled to length one; zero stays zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast(
        "NDArray[np.float32]", np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    )


def _layers(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """(words, layers + 1, H) -> (layers + 1, words, H)."""
    return states.transpose(1, 0, 2)


def _between(units: NDArray[np.float32], owners: NDArray[np.integer]) -> float:
    """Mean cosine of all pairs with different owners."""
    return _within_between(units, owners)[1]


def _within_between(units: NDArray[np.float32], owners: NDArray[np.integer]) -> tuple[float, float]:
    """Mean cosine of pairs with one owner and of pairs with two; NaN where there is none.

    sum over i != j of u_i . u_j = |sum u_i|^2 - sum |u_i|^2, for all and for each owner.
    """
    sums = np.zeros((int(owners.max()) + 1, units.shape[1]))
    np.add.at(sums, owners, units)
    squares = float(np.sum(np.square(units, dtype=np.float64)))
    sizes = np.bincount(owners).astype(np.float64)
    own = float(np.square(sums).sum()) - squares
    whole = float(np.square(sums.sum(0)).sum()) - squares
    own_pairs = float((sizes * (sizes - 1)).sum())
    other_pairs = float(len(owners) * (len(owners) - 1)) - own_pairs
    return (
        own / own_pairs if own_pairs else float("nan"),
        (whole - own) / other_pairs if other_pairs else float("nan"),
    )


def _explained(states: WordStates) -> NDArray[np.float64]:
    """Maximum explainable variance of some words' states, by layer."""
    squares = np.square(np.linalg.svd(_layers(states.vectors), compute_uv=False), dtype=np.float64)
    return cast("NDArray[np.float64]", squares[:, 0] / squares.sum(1))


def blanked(reader: Reader, contexts: Sequence[Occurrence]) -> list[Occurrence]:
    """Write the network's mask into the place of each word; the span is then the mask's."""
    mask = mask_name(reader)
    return [
        (text[:start] + mask + text[end:], (start, start + len(mask)))
        for text, (start, end) in contexts
    ]


def blank_baseline(reader: Reader, texts: Sequence[str], seed: int = 1) -> Baseline:
    """Blank one random word of each text: what any two blanks have in common at each layer.

    b_l = (|sum_i u_i|^2 - n) / (n (n - 1)), u_i the unit vectors of the n blanks.

    Parameters
    ----------
    reader : Reader
    texts : sequence of str
        At least two sentences with words.
    seed : int, default 1
        Of the drawing.

    Raises
    ------
    InputError
        If fewer than two of the texts hold a word.
    """
    generator = np.random.default_rng(seed)
    chosen: list[Occurrence] = []
    for text in texts:
        spans = [(start, end) for _, start, end in words_at(text)]
        if spans:
            chosen.append((text, spans[int(generator.integers(len(spans)))]))
    if len(chosen) < 2:
        raise InputError("baseline_few", texts=len(texts))
    return baseline_of(word_states(reader, blanked(reader, chosen)).vectors, range(len(chosen)))

"""Whether a word means the same in two sentences, by the cosine of its vectors in a network against a threshold: the task WiC.

The network is not tuned. A pair is taken to mean the same where cos(u, v) >= threshold, u and v the word's vectors in both sentences.
Kinds of vectors, at every layer:

- ``word``: the word's own state, the mean over its tokens;
- ``word_centred``: the same less its mean over all sentences of the file;
- ``around``: the weighted mean of the states of the words around (`embeddings.probing.surrounding_states`);
- ``blank``: the state of a [MASK] in the word's place, less its mean over all sentences.

Nothing is scored by a threshold that was chosen on it: words are dealt alternately, in their order in the file, to two halves, the
threshold that is best on one half judges the other, and the accuracy is that over all pairs. All pairs of a word are in one half.
The task is that of Pilehvar and Camacho-Collados (2019); thresholds on cosines are their baseline.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.arrays import Bools, Float32s, Float64s
from embeddings.corpora.evaluation_sets import WordInContextPair
from embeddings.corpora.sense_contexts import Context
from embeddings.errors import InputError
from embeddings.probing.context_states import blanked, random_words, word_states
from embeddings.probing.network import Network
from embeddings.probing.sentence_answers import LayerAccuracy, WordInContextScores
from embeddings.probing.surrounding_states import context_states
from embeddings.results import Report, progress_of
from embeddings.vectors.vector_rows import normalize_rows

VECTOR_KINDS = ("word", "word_centred", "around", "blank")
CHUNK = 250  # pairs whose words around are held in memory together
SAMPLED = 400  # sentences of which random words are read for the mean that is subtracted around


def evaluate_word_in_context(
    reader: Network,
    pairs: Sequence[WordInContextPair],
    language: str,
    report: Report | None = None,
) -> WordInContextScores:
    """Return how often a cosine tells whether a word means the same in two sentences.

    Parameters
    ----------
    reader : Network
        The network; it needs no head.
    pairs : sequence of WordInContextPair
        Pairs of at least two words.
    language : str
        "en", "ru" or "de", for the words around.
    report : callable, optional
        Called as the pairs are read.

    Raises
    ------
    InputError
        If all pairs share one word, or a sentence gives no token for its word.
    """
    lemmas = [pair.lemma for pair in pairs]
    if not word_halves(lemmas).any():
        raise InputError("wic_few", pairs=len(pairs))
    cosines, truncated, unknown = pair_cosines(reader, pairs, language, report)
    same = np.array([pair.is_same for pair in pairs])
    return score_cosines(cosines, same, lemmas, truncated=truncated, unknown=unknown)


def word_halves(lemmas: Sequence[str]) -> Bools:
    """Return whether each pair is of the second half: words go alternately to both, in the order of their first pair.

    Examples
    --------
    >>> word_halves(["key", "key", "bank", "lock"]).tolist()
    [False, False, True, False]
    """
    number = {lemma: position for position, lemma in enumerate(dict.fromkeys(lemmas))}
    return np.array([number[lemma] % 2 == 1 for lemma in lemmas], bool)


def score_cosines(
    cosines: dict[str, Float64s],
    same: Bools,
    lemmas: Sequence[str],
    *,
    truncated: int = 0,
    unknown: int = 0,
) -> WordInContextScores:
    """Choose thresholds on each half of the words and score them on the other.

    Parameters
    ----------
    cosines : dict of NDArray of float64, shape (pairs, layers + 1)
        By kind of vector.
    same : NDArray of bool, shape (pairs,)
        The right answers.
    lemmas : sequence of str
        The word of each pair; of two words at least.
    truncated, unknown : int
        Handed on to the result.
    """
    half = word_halves(lemmas)
    layers: list[LayerAccuracy] = []
    on_own_half: list[tuple[float, float]] = []  # accuracy on the half that chose the threshold
    for kind, by_layer in cosines.items():
        for layer, values in enumerate(by_layer.T):
            accuracies, thresholds = zip(
                *(best_threshold(values[part], same[part]) for part in (~half, half)), strict=True
            )
            judged = values >= np.where(half, *thresholds)
            accuracy = float((judged == same).mean())
            layers.append(LayerAccuracy(kind, layer, accuracy, thresholds))
            on_own_half.append(accuracies)
    best = [max(range(len(layers)), key=lambda i: on_own_half[i][side]) for side in (0, 1)]
    chosen = (layers[best[0]], layers[best[1]])
    right = 0
    for part, scorer, side in ((half, chosen[0], 0), (~half, chosen[1], 1)):
        values = cosines[scorer.kind][part, scorer.layer]
        right += int(((values >= scorer.thresholds[side]) == same[part]).sum())
    share = right / len(same)
    return WordInContextScores(
        share,
        float(np.sqrt(share * (1 - share) / len(same))),
        float(same.mean()),
        len(same),
        len(set(lemmas)),
        (int((~half).sum()), int(half.sum())),
        chosen,
        truncated,
        unknown,
        tuple(layers),
    )


def best_threshold(cosines: Float64s, same: Bools) -> tuple[float, float]:
    """Return the highest accuracy of ``cosines >= threshold`` as the answer, and the lowest threshold that gives it.

    The threshold lies in the middle between two neighbouring cosines, or outside of all.

    Examples
    --------
    >>> best_threshold(np.array([0.125, 0.25, 0.5, 0.75]), np.array([False, False, True, True]))
    (1.0, 0.375)
    """
    order = np.argsort(cosines, kind="stable")
    values, answers = cosines[order], same[order]
    below = np.concatenate([[0], np.cumsum(~answers)])  # right ones among those under the threshold
    above = answers.sum() - np.concatenate([[0], np.cumsum(answers)])
    right = below + above
    edges = np.concatenate([[True], values[1:] > values[:-1], [True]])  # equal values stay together
    right = np.where(edges, right, -1)
    cut = int(right.argmax())
    outer = np.concatenate([[values[0] - 1], values, [values[-1] + 1]])
    return float(right[cut] / len(values)), float((outer[cut] + outer[cut + 1]) / 2)


def pair_cosines(
    reader: Network, pairs: Sequence[WordInContextPair], language: str, report: Report | None = None
) -> tuple[dict[str, Float64s], int, int]:
    """Return the cosine of each pair by kind of vector, each of shape (pairs, layers + 1); pairs cut, pairs not spelled."""
    sides = [word for pair in pairs for word in (pair.first, pair.second)]
    located = [(word.text, word.span) for word in sides]
    words = word_states(reader, located)
    blanks = word_states(reader, blanked(reader, located))
    cosines = {
        "word": _cosines(words.vectors),
        "word_centred": _cosines(words.vectors - words.vectors.mean(0)),
        "around": _around(reader, pairs, language, report),
        "blank": _cosines(blanks.vectors - blanks.vectors.mean(0)),
    }
    return cosines, _either(words.truncated), _either(words.unknown)


def _around(
    reader: Network, pairs: Sequence[WordInContextPair], language: str, report: Report | None
) -> Float64s:
    """Return the cosines of the words around, some pairs at a time."""
    texts = list(dict.fromkeys(word.text for pair in pairs for word in (pair.first, pair.second)))
    drawn, _ = random_words(texts[:: max(1, len(texts) // SAMPLED)])
    mean = word_states(reader, drawn).vectors.mean(0)
    parts, advance = [], progress_of(report, "contexts", len(pairs))
    for start in range(0, len(pairs), CHUNK):
        contexts = [
            Context("", pair.lemma, "", "", (word.span,), word.text)
            for pair in pairs[start : start + CHUNK]
            for word in (pair.first, pair.second)
        ]
        parts.append(_cosines(context_states(reader, contexts, language, mean=mean).vectors))
        advance(min(start + CHUNK, len(pairs)))
    return np.concatenate(parts)


def _cosines(vectors: Float32s) -> Float64s:
    """Return the cosine of each two neighbouring rows at every layer; 0 where one is zero."""
    units = normalize_rows(vectors)
    return np.einsum("nlh,nlh->nl", units[::2], units[1::2], dtype=np.float64)


def _either(flags: Bools) -> int:
    """Return in how many pairs one of the two sides is marked."""
    return int((flags[::2] | flags[1::2]).sum())

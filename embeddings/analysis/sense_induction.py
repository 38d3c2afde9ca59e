"""Senses of a word, induced from its contexts and static vectors; those of a file, and their agreement with the gold ones.

A context is the weighted mean of the vectors of its words, unit length:

    c = sum over words w of a / (a + p(w)) * d(w)^-q * max(0.05, cos(v(w), v(t)))^r * v(w)

with p(w) the word's share of the training corpus and a = 1e-4 (SIF weights, Arora et al. 2017), d(w)
its distance in words, t the word in question, and v(w) the unit vector of a lemma, from which the mean
and the first principal component over the 5 000 commonest lemmas are taken (Mu and Viswanath 2018).
There are four views of a context: q = 0.25 or 0.75, words alike or by nearness to t (r = 0 or 1).
Clusterings of all four go into `embeddings.analysis.number_of_groups`, which finds the number of senses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from embeddings.analysis import number_of_groups
from embeddings.analysis.context_answers import SenseInduction, SenseNames, SensesOfFile, WordSenses
from embeddings.arrays import Bools, Float32s, Float64s, Int64s
from embeddings.corpora.corpus_answers import Surroundings, SurroundingWord
from embeddings.corpora.sense_contexts import Context, by_word, spans_of
from embeddings.errors import InputError
from embeddings.optional import optional
from embeddings.results import Result, Value
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

MIN_CONTEXTS = 3  # contexts
SMOOTH = 1e-4
COMMON_SHARE = 5e-4
FLOOR = 0.05  # least nearness to the word in question
# of a word that the space lacks: the median of the words that `MIN_CLARITY` was chosen on
TYPICAL_NEARNESS = 0.6
PRINCIPAL_AXIS_WORDS = 5000  # words that the principal component is of
NETWORK_SHARE = 0.5  # length of the vectors of a network behind those of a static model
Induce = Callable[[Sequence[Context]], SenseInduction]


class View(Value):
    """One way to weigh the words of a context: the powers of distance and of nearness to the word."""

    distance: float
    nearness: float


PLAIN = View(0.5, 0)
CONTEXT_VIEWS = (View(0.25, 0), View(0.75, 0), View(0.25, 1), View(0.75, 1))


class WordSpace(Value, eq=False):
    """Vectors of lemmas: ``matrix`` of unit rows, shape (lemmas, d); ``shares`` of the corpus.

    ``index`` has the keys of lemmas, and forms as they are spelled.
    """

    index: dict[str, int]
    matrix: Float32s
    shares: Float64s
    name: str
    lemma_key: Callable[[str], str]

    def find(self, keys: Sequence[str]) -> int | None:
        """Row of the first of some keys that is known."""
        return next((row for key in keys if (row := self.index.get(key)) is not None), None)


class NetworkPart(Result, eq=False):
    """What a network says of n contexts: ``points``, unit rows of shape (n, hidden_size), and which of them it has read.

    A row is zero where nothing was read, or where nothing sets the context apart. ``name`` is the network's.
    """

    points: Float32s
    is_read: Bools
    name: str


def word_space(vectors: Vectors, lemma_key: Callable[[str], str]) -> WordSpace:
    """Average the forms of each lemma, weighted by the root of their counts; take out what all share.

    Takes a second or two for 30 000 words: keep it.

    Parameters
    ----------
    vectors : Vectors
        Of forms or of lemmas. Without counts, Zipf's law is used.
    lemma_key : callable
        Gives the key of a form's lemma, as `embeddings.text.lemmas.lemma_key` does.
    """
    count = len(vectors)
    counts = (
        1 / np.arange(1, count + 1)
        if vectors.counts is None
        else np.asarray(vectors.counts, np.float64)
    )
    index: dict[str, int] = {}
    groups = np.array([index.setdefault(lemma_key(w), len(index)) for w in vectors.words])
    sums = np.zeros((len(index), vectors.vector_size), np.float32)
    np.add.at(sums, groups, vectors.unit * np.sqrt(counts)[:, None].astype(np.float32))
    totals = np.bincount(groups, counts, len(sums))
    for word, group in zip(vectors.words, groups, strict=True):
        index.setdefault(word.lower(), int(group))
    matrix = normalize_rows(sums)
    matrix -= matrix.mean(0)
    common = matrix[np.argsort(-totals, kind="stable")[:PRINCIPAL_AXIS_WORDS]].astype(np.float64)
    # a hundredth of the work of a decomposition of all rows
    _, axes = np.linalg.eigh(common.T @ common)
    axis = axes[:, -1].astype(np.float32)
    matrix -= np.outer(matrix @ axis, axis)
    return WordSpace(index, normalize_rows(matrix), totals / totals.sum(), vectors.name, lemma_key)


def context_vectors(
    contexts: Surroundings, space: WordSpace, word: str = "", view: View = PLAIN
) -> Float32s:
    """Weighted means of each context's words, unit rows, shape (n, d); zero where none is known.

    ``word`` is the one in question, for a view by nearness to it.
    """
    rows = np.zeros((len(contexts), space.matrix.shape[1]), np.float32)
    for number, words in enumerate(contexts):
        weights, places = word_weights(words, space, word, view), _rows_of(words, space)
        rows[number] = weights[places >= 0] @ space.matrix[places[places >= 0]]
    return normalize_rows(rows)


def _rows_of(words: Sequence[SurroundingWord], space: WordSpace) -> Int64s:
    """Row of each word in a space; -1 of one that it lacks."""
    found = (space.find(beside.keys) for beside in words)
    return np.array([-1 if row is None else row for row in found], np.int64)


def word_weights(
    words: Sequence[SurroundingWord], space: WordSpace | None, word: str = "", view: View = PLAIN
) -> Float32s:
    """Weight of each word in its context; one that the space lacks has p = 0 and stands at 0.05 from ``word``."""
    weights = np.array([beside.distance for beside in words], np.float64) ** -view.distance
    if space is None:
        return weights.astype(np.float32)
    rows = _rows_of(words, space)
    weights *= SMOOTH / (SMOOTH + np.where(rows < 0, 0, space.shares[rows]))
    target = space.find((space.lemma_key(word), word.lower())) if word and view.nearness else None
    if target is not None:
        cosines = np.where(rows < 0, 0, space.matrix[rows] @ space.matrix[target])
        weights *= np.maximum(FLOOR, cosines) ** view.nearness
    return weights.astype(np.float32)


def induce(contexts: Surroundings, space: WordSpace, word: str = "") -> SenseInduction:
    """Find the senses of a word in its contexts, how many there are, and name them.

    Parameters
    ----------
    contexts : sequence of sequence of SurroundingWord
        The words around it, as `embeddings.corpora.sense_contexts.surroundings` gives them.
    space : WordSpace
        From `word_space`.
    word : str
        For the sentence of a refusal.

    Raises
    ------
    InputError
        If there are fewer than three contexts.
    """
    check_enough(len(contexts), word)
    views = [context_vectors(contexts, space, word, view) for view in CONTEXT_VIEWS]
    points = context_vectors(contexts, space)
    senses = induce_from(points, views)
    names = telling_words(contexts, senses.labels, space)
    unknown, method = int((~points.any(1)).sum()), f"words of the context, {space.name}"
    clear = clarity(points, senses.labels, space, word)
    return replace(senses, names=names, method=method, unknown=unknown, clarity=clear)


def clarity(points: Float32s, labels: Int64s, space: WordSpace, word: str) -> float:
    """Return how clearly contexts fall into senses, by their static vectors: a silhouette less a cosine, in [-2, 2].

    The silhouette is the mean one of the groups. The cosine is the largest of a group's mean with the word's own vector: the contexts of a
    word of one meaning fall into topics, of which some stay near the word's vector; the vector of a word of several meanings lies
    between its senses, so that no sense is as near.

    Parameters
    ----------
    points : NDArray of float32, shape (n, d)
        As `context_vectors` gives them.
    labels : NDArray of int64, shape (n,)
        The group of each context, from 0.
    """
    row = space.find((space.lemma_key(word), word.lower())) if word else None
    means = np.stack([points[labels == group].mean(0) for group in range(int(labels.max()) + 1)])
    nearest = TYPICAL_NEARNESS
    if row is not None:
        nearest = float((normalize_rows(means) @ space.matrix[row]).max())
    return number_of_groups.silhouette(points, labels) - nearest


def induce_beside(
    part: NetworkPart, contexts: Surroundings, word: str, space: WordSpace | None = None
) -> SenseInduction:
    """Find the senses of a word in vectors that a network gives its contexts, together with static ones; senses stay unnamed.

    Parameters
    ----------
    part : NetworkPart
        Of the words around, or of the word itself where there is a companion.
    contexts : sequence of sequence of SurroundingWord
        The words around it in each.
    word : str
        For the sentence of a refusal, and for the views of the static model.
    space : WordSpace, optional
        Of a static companion: its vectors of length 1 stand first, the network's of `NETWORK_SHARE` behind.

    Raises
    ------
    InputError
        If there are fewer than three contexts.
    """
    check_enough(len(contexts), word)
    points, known = part.points, part.is_read
    has_words = np.array([bool(around) for around in contexts])
    method = f"states of the {'word' if space else 'words of the context'}, {part.name}"
    views: list[Float32s] = []
    if space is not None:
        scaled = NETWORK_SHARE * points
        views = [
            normalize_rows(np.hstack([context_vectors(contexts, space, word, view), scaled]))
            for view in CONTEXT_VIEWS
        ]
        static = context_vectors(contexts, space)
        points = normalize_rows(np.hstack([static, scaled]))
        known = static.any(1) | known
        method += f" x {NETWORK_SHARE}, beside {space.name}"
    senses = induce_from(points, views)
    if space is not None:
        senses = replace(senses, clarity=clarity(static, senses.labels, space, word))
    return replace(senses, method=method, unknown=int((~(known & has_words)).sum()))


def induce_from(points: Float32s, views: Sequence[Float32s] = ()) -> SenseInduction:
    """Cluster vectors of contexts from anywhere, unit rows of shape (n, d); senses stay unnamed.

    ``views``: what is clustered, if several vectors a context are; ``points`` then only give the silhouette.
    """
    with threadpool_limits(1, user_api="blas"):  # on a busy machine two threads take seconds
        together = number_of_groups.agreement(views or [points])
        clusters = number_of_groups.cut(together)
    number = int(clusters.labels.max()) + 1
    return SenseInduction(
        clusters.labels,
        number,
        together,
        points,
        SenseNames(((),) * number),
        "",
        silhouette=number_of_groups.silhouette(points, clusters.labels),
    )


def telling_words(
    contexts: Surroundings, labels: Int64s, space: WordSpace, topn: int = 5
) -> SenseNames:
    """Words of each sense's contexts that stand nearest to it and furthest from the others.

    The score of a word in a sense is its SIF weight times the contexts there that hold it, less
    those elsewhere, times its cosine with the sense's mean context above that with the next one.
    """
    means = closeness(contexts, labels, space).means
    number = len(means)
    counts_of: list[Counter[int]] = [Counter() for _ in range(number)]
    shown: dict[int, str] = {}
    for words, label in zip(contexts, labels, strict=True):
        rows = {row: word.word for word in words if (row := space.find(word.keys)) is not None}
        counts_of[label].update(rows.keys())
        shown |= {row: word for row, word in rows.items() if row not in shown}
    names = []
    for label, counts in enumerate(counts_of):
        scores = {}
        for row, count in counts.items():
            cosines = means @ space.matrix[row]
            gap = cosines[label] - np.delete(cosines, label).max(initial=-1 if number > 1 else 0)
            elsewhere = sum(other[row] for other in counts_of) - count
            weight = SMOOTH / (SMOOTH + space.shares[row])
            scores[row] = float(weight * (count - elsewhere) * gap)
        best = sorted(scores, key=lambda row: (-scores[row], row))[:topn]
        names.append(tuple(shown[row] for row in best if scores[row] > 0))
    return SenseNames(names)


class Closeness(Value):
    """How close words stand to each sense: ``means`` of its contexts, unit rows from which the mean of all senses is taken."""

    means: Float32s
    space: WordSpace

    def of(self, keys: Sequence[str]) -> Float32s | None:
        """Cosine of the first known key with each sense, 0 where it is below; None if none is known, or it says nothing."""
        row = self.space.find(keys)
        if row is None or self.space.shares[row] > COMMON_SHARE:
            return None
        cosines: Float32s = self.means @ self.space.matrix[row]
        return np.maximum(cosines, 0)


def closeness(contexts: Surroundings, labels: Int64s, space: WordSpace) -> Closeness:
    """Return how close the words of a space stand to the senses of some contexts."""
    points = context_vectors(contexts, space)
    number = int(labels.max()) + 1
    means = normalize_rows(np.stack([points[labels == sense].mean(0) for sense in range(number)]))
    return Closeness(normalize_rows(means - means.mean(0)) if number > 1 else means, space)


def check_enough(count: int, word: str) -> None:
    """Refuse fewer than three contexts."""
    if count < MIN_CONTEXTS:
        raise InputError("senses_few", word=word, found=count, least=MIN_CONTEXTS)


def label(
    contexts: Sequence[Context], language: str, induce_word: Induce
) -> tuple[tuple[Context, ...], SensesOfFile]:
    """Induce the senses of each word and write them into its contexts, numbered from 1.

    A word with fewer than three contexts gets one sense: nothing tells them apart.

    Parameters
    ----------
    contexts : sequence of Context
        Of one word or of many.
    language : str
        Theirs.
    induce_word : callable
        Gives the senses of one word's contexts.

    Returns
    -------
    labelled : tuple of Context
        As given, with ``predicted`` filled in.
    report : SensesOfFile
        Words in the order of their first context; contexts without a gold sense do not score.
    """
    labelled = list(contexts)
    reports: list[WordSenses] = []
    scored: list[tuple[dict[str, float], int]] = []
    method = ""
    for word, rows in by_word(contexts).items():
        chosen = [contexts[row] for row in rows]
        labels, absent = [0] * len(rows), sum(not spans_of(c, language) for c in chosen)
        found = WordSenses(word, len(rows), 1, SenseNames([()]), absent=absent)
        if len(rows) >= MIN_CONTEXTS:
            senses = induce_word(chosen)
            labels, method = senses.labels.tolist(), senses.method
            found = replace(
                found,
                number=senses.number,
                names=senses.names,
                truncated=senses.truncated,
                unknown=senses.unknown,
                separates=senses.separates or senses.number > 1,  # so many were asked for
            )
        for row, sense in zip(rows, labels, strict=True):
            labelled[row] = replace(contexts[row], predicted=str(sense + 1))
        scores, marked = score_word([labelled[row] for row in rows])
        if marked:
            scored.append((scores, marked))
        reports.append(replace(found, **scores))
    means = {
        name: weighted([(scores[name], marked) for scores, marked in scored])
        for name in ("ari", "b_cubed", "one_sense_ari", "one_sense_b_cubed")
    }
    report = SensesOfFile(tuple(reports), means.pop("ari"), language, method, **means)
    return tuple(labelled), report


def score_word(contexts: Sequence[Context]) -> tuple[dict[str, Any], int]:
    """Return how the senses of one word's contexts agree with gold ones, and how many have one.

    ``ari``, ``b_cubed``, and the same of one sense for all; none of them where no context has a gold sense.
    """
    marked = [(context.gold, context.predicted) for context in contexts if context.gold]
    if not marked:
        return {}, 0
    gold, predicted = zip(*marked, strict=True)
    one = [""] * len(marked)
    return {
        "ari": adjusted_rand_index(gold, predicted),
        "b_cubed": b_cubed(gold, predicted),
        "one_sense_ari": adjusted_rand_index(gold, one),
        "one_sense_b_cubed": b_cubed(gold, one),
    }, len(marked)


def weighted(scores: Sequence[tuple[float, int]]) -> float | None:
    """Mean of the first values weighted by the second; None of nothing.

    Examples
    --------
    >>> weighted([(1.0, 30), (0.0, 10)])
    0.75
    """
    total = sum(weight for _, weight in scores)
    return sum(value * weight for value, weight in scores) / total if total else None


def adjusted_rand_index(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Agreement of two clusterings, corrected for chance: 1 if they are the same, near 0 at random.

    Examples
    --------
    >>> adjusted_rand_index(["a", "a", "b", "b"], ["2", "2", "1", "1"])
    1.0
    """
    with optional():
        from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(list(gold), list(predicted)))


def b_cubed(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """B-cubed F1 of a clustering, in [0, 1] (Bagga and Baldwin 1998); it is not corrected for chance.

    Precision is the mean over contexts of the share of their cluster that has their gold sense, recall the mean of the share of
    their gold sense that is in their cluster.

    Examples
    --------
    >>> b_cubed(["a", "a", "b", "b"], ["1", "1", "1", "1"])
    0.6666666666666666
    """
    pairs = Counter(zip(gold, predicted, strict=True))
    senses, clusters = Counter(gold), Counter(predicted)
    precision = sum(count**2 / clusters[cluster] for (_, cluster), count in pairs.items())
    recall = sum(count**2 / senses[sense] for (sense, _), count in pairs.items())
    return 2 * precision * recall / (precision + recall) / len(gold)

"""A vector for each sense of a word, in the space of a static model, from the contexts of a corpus.

1. A context is the weighted mean of the vectors of the words around, in the model itself or in a companion, as a model of lemmas. A word
   weighs how much oftener it stands there than chance has it, log(n / expected), where it does so at least twice, over the root of its
   distance: what tells nothing of the word in question weighs nothing. Forms of one lemma count together where a language is named. From
   the vectors the mean and the first principal component are taken (Mu and Viswanath 2018). If ``function_word_bits`` is above
   0, function words weigh nothing and have one sense: those whose residual inverse document frequency is less
   (`embeddings.static.sense_clustering`), those of closed classes where a language is named (`embeddings.text.lemmas`), letters and
   numbers.
2. At most ``max_contexts`` contexts of a word (of all its forms) are clustered by Ward's method, into more clusters than it can have
   senses. Clusters merge, the nearest two first, until no two means have a cosine of ``max_cosine_of_senses`` or more. A cluster whose
   share of the uses is below ``min_share`` is dissolved, and so is one whose contexts are less alike than ``min_coherence``, or that
   lies among function words. Senses whose vectors have a cosine of ``merge_above_cosine`` or more are one. Most words end with one
   cluster: one sense. Before that, ``max_repeats`` limits the weight of contexts that repeat each other, as those of boilerplate do;
   ``region_balance`` takes more uses from parts of the text where the word is rare.
3. One linear map takes the mean context of a word to its vector. It is fitted over the whole vocabulary, and takes the mean of any
   contexts to a vector of the model's space (à la carte embeddings, Khodak et al. 2018; contexts weighted by a / (a + p), Arora et al.
   2017). A word's vector points where the mean of those of its senses does, each by its share (Arora et al. 2018): what the mapped means
   lack of that is given to the senses by their shares, the least change that makes it so. A rare sense stays where its contexts place it.
4. Where only some words with several senses are kept, those are whose uses lie furthest apart: one less the mean cosine of all pairs of
   uses, each taken for its sense.
5. The name of a sense is made of words of its contexts that are not in the others.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise

import numpy as np

from embeddings.arrays import Bools, Float32s, Float64s, Int64s, bounds_of
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.results import Report, Value, progress_of
from embeddings.static.sense_clustering import (
    FITTED,
    ContextMap,
    check_shared,
    cluster_contexts,
    coherence,
    dissolved,
    expected_stretches,
    fit_map,
    residual_idf,
    rows_in,
    totals_of,
)
from embeddings.static.settings import SensesConfig
from embeddings.text.lemmas import function_words, lemma_key
from embeddings.vectors.sense_table import SenseTable
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

TWICE = 2  # least meetings of a word with another for it to weigh in contexts
PRINCIPAL_AXIS_WORDS = 5000  # words that the principal component is of
NAMES = 3  # words of a name
REGIONS = 32  # parts of the text that uses are taken of, and chance is asked of
ENOUGH = 100  # stretches of a part by which it is told whether words stand together
TELLING = 1.5  # bits of residual inverse document frequency past which a word tells no more
NEAREST = 10  # neighbours of a sense that are looked at for function words
STRETCH = 1000  # words of one document of which few uses of a word are taken
POWER = 1.5  # of the association, as a word weighs in a context


def quotas(totals: Int64s, most: int, evenness: float) -> Int64s:
    """Return how many uses of each word are taken of each region, shape (words, regions); of one region never more than there are.

    Parameters
    ----------
    totals : NDArray of int64, shape (words, regions)
        Uses that can be taken.
    most : int
        Of all regions together.
    evenness : float
        A region's part is in proportion to its uses to the power 1 - evenness.
    """
    wanted = np.where(totals > 0, np.maximum(totals, 1.0) ** (1 - evenness), 0.0)
    low, high = np.zeros(len(totals)), totals.max(axis=1, initial=1).astype(np.float64)
    for _ in range(40):  # bisection: the more of each, the more of all
        middle = (low + high) / 2
        taken = np.minimum(totals, middle[:, None] * wanted).sum(1)
        low, high = np.where(taken <= most, middle, low), np.where(taken <= most, high, middle)
    exact = np.minimum(totals, high[:, None] * wanted)
    parts: Int64s = np.floor(exact + 1e-6).astype(np.int64)
    rest = np.minimum(totals.sum(axis=1), most) - parts.sum(axis=1)
    places = np.argsort(np.argsort(parts - exact, axis=1, kind="stable"), axis=1)
    parts += (places < rest[:, None]) & (parts < totals)  # the largest remainders first
    return parts


def build_senses(
    corpus: EncodedCorpus,
    vectors: Vectors,
    config: SensesConfig | None = None,
    report: Report | None = None,
    companion: Vectors | None = None,
) -> SenseTable:
    """Find the senses of all words frequent enough, and give each its vector.

    Parameters
    ----------
    corpus : EncodedCorpus
        Best the one that the model was trained on.
    vectors : Vectors
        The static model.
    config : SensesConfig, optional
        What makes a sense.
    report : callable, optional
        Called with `Progress` in words looked at.
    companion : Vectors, optional
        The model whose vectors contexts are means of where they are clustered, best one of lemmas; ``vectors`` if it is not given.
        Senses lie in the space of ``vectors`` anyhow.

    Returns
    -------
    SenseTable
        Words of one sense are not in it.

    Raises
    ------
    InputError
        If the corpus and a model have too little in common.
    """
    config = config or SensesConfig()
    text = SenseText(corpus, vectors, fit_map(corpus, vectors, config.window), config, companion)
    check_shared(corpus, text.rows_compared >= 0, text.compared.vector_size)
    samples = text.samples()
    results: list[_Senses] = []
    advance = progress_of(report, "senses", len(samples))
    with ThreadPoolExecutor(config.workers) as pool:
        for done, senses in enumerate(pool.map(text.senses, samples), 1):
            if senses is not None:
                results.append(senses)
            advance(done)
    sizes = [len(senses.vectors) for senses in results]
    empty = np.zeros((0, vectors.vector_size), np.float32)
    return SenseTable(
        tuple(senses.word for senses in results),
        tuple(senses.forms for senses in results),
        bounds_of(sizes),
        np.concatenate([empty, *(senses.vectors for senses in results)]),
        np.concatenate([empty[:, 0], *(senses.shares for senses in results)]).astype(np.float32),
        tuple(name for senses in results for name in senses.names),
        tuple(listed for senses in results for listed in senses.examples),
        text.map.transform,
    )


class _Senses(Value, eq=False):
    """Senses of one word."""

    word: str
    forms: tuple[str, ...]
    vectors: Float32s
    shares: Float64s
    names: tuple[tuple[str, ...], ...]
    examples: tuple[tuple[str, ...], ...]


class Sample(Value, eq=False):
    """Uses of a group of words: their positions, and how many uses each stands for."""

    group: int
    positions: Int64s
    weights: Float32s


class Contexts(Value, eq=False):
    """Contexts of one word.

    Attributes
    ----------
    ids : NDArray of int64, shape (n, 2 window)
        Words around each use; one past the last word where the paragraph ends, and for forms of the word itself.
    points : NDArray of float32, shape (n, d)
        What is clustered.
    """

    ids: Int64s
    points: Float32s


def _stretches(corpus: EncodedCorpus) -> Int64s:
    """Bounds of documents, and within a long one a bound every `STRETCH` words."""
    documents = np.asarray(corpus.sentence_bounds)[corpus.document_bounds]
    first, lengths = documents[:-1], np.diff(documents)
    pieces = -(-lengths // STRETCH)
    within = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.append(np.repeat(first, pieces) + STRETCH * within, documents[-1])


def _parts(stretches: Int64s, number: int) -> list[Int64s]:
    """Bounds of the stretches of each of at most so many parts of a text."""
    bounds = np.linspace(0, len(stretches) - 1, number + 1).astype(np.int64)
    return [stretches[a : b + 1] for a, b in pairwise(bounds) if b > a]


class SenseText(Value, eq=False):
    """A corpus whose words are looked at for senses, one after another."""

    corpus: EncodedCorpus
    vectors: Vectors
    map: ContextMap
    config: SensesConfig
    companion: Vectors | None = None

    @property
    def compared(self) -> Vectors:
        """The model by whose vectors contexts are compared."""
        return self.vectors if self.companion is None else self.companion

    @cached_property
    def rows_compared(self) -> Int64s:
        """Row of each word of the corpus in `compared`, -1 for one that it lacks; a companion's are found by lemma."""
        if self.companion is None:
            return rows_in(self.vectors, self.corpus)
        row_of: dict[str, int] = {}
        for row, word in enumerate(self.companion.words):
            row_of.setdefault(self.key(word), row)
        words = self.corpus.vocabulary.words
        return np.array([row_of.get(self.key(word), -1) for word in words], np.int64)

    @cached_property
    def groups(self) -> Int64s:
        """Group of each word of the corpus, and last that of no word: forms of a lemma are a group, or each word alone."""
        place_of: dict[str, int] = {}
        keys = map(self.key, self.corpus.vocabulary.words)
        places = [place_of.setdefault(key, len(place_of)) for key in keys]
        return np.array([*places, len(place_of)], np.int64)

    @cached_property
    def members(self) -> list[list[int]]:
        """Words of each group."""
        members: list[list[int]] = [[] for _ in range(int(self.groups[-1]))]
        for word, group in enumerate(self.groups[:-1]):
            members[group].append(word)
        return members

    @cached_property
    def shares(self) -> Float64s:
        """Share of the text of each group, shape (groups + 1,)."""
        counts = self.corpus.vocabulary.counts
        return np.bincount(self.groups, np.append(counts, 0)) / counts.sum()

    @cached_property
    def telling(self) -> Float64s:
        """Bits of residual inverse document frequency of each group, 0 to `TELLING`, shape (groups + 1,).

        Ones if ``function_word_bits`` is 0.
        """
        from embeddings.static.kernels.context_sums import count_stretches

        if not self.config.function_word_bits:
            return np.ones(len(self.shares))
        ids, groups, number = np.asarray(self.corpus.ids), self.groups[:-1], len(self.members)
        listed = function_words(self.config.lemmas)
        expected, stretches_with = np.zeros(number), np.zeros(number, np.int64)
        stretches = _stretches(self.corpus)
        for part in _parts(stretches, min(REGIONS, max(1, len(stretches) // ENOUGH))):
            counts = np.bincount(groups[ids[part[0] : part[-1]]], minlength=number)
            expected += expected_stretches(counts, np.diff(part))
            stretches_with += count_stretches(ids, part, groups, number)
        bits = residual_idf(expected, stretches_with)
        uses = np.bincount(groups, self.corpus.vocabulary.counts)
        bits[uses < FITTED] = TELLING  # too few to say
        for word, group in zip(self.corpus.vocabulary.words, groups.tolist(), strict=True):
            if word in listed or sum(map(str.isalpha, word)) < 2:  # letters and numbers, too
                bits[group] = 0
        bits[self.shares[:-1] > self.config.max_share] = 0
        return np.append(np.clip(bits, 0, TELLING), 0)

    @cached_property
    def of_content(self) -> Bools:
        """Which words of the model are no function words, shape (rows,)."""
        known = rows_in(self.vectors, self.corpus)
        content = np.ones(len(self.vectors), bool)
        rows = known[known >= 0]
        mark = self.config.function_word_bits_nearby or self.config.function_word_bits
        content[rows] = (self.telling >= mark)[self.groups[:-1][known >= 0]]
        return content

    @cached_property
    def space(self) -> Float32s:
        """Vectors that contexts are means of, shape (words + 1, d): zeros for a word that the model lacks, and for none."""
        unit = self.compared.unit - self.compared.unit.mean(0)
        _, _, axes = np.linalg.svd(unit[:PRINCIPAL_AXIS_WORDS], full_matrices=False)
        unit = normalize_rows(unit - np.outer(unit @ axes[0], axes[0]))
        known = self.rows_compared
        space = np.zeros((len(known) + 1, unit.shape[1]), np.float32)
        space[:-1][known >= 0] = unit[known[known >= 0]]
        return space

    def key(self, word: str) -> str:
        """Return what the forms of a word share."""
        return lemma_key(word, self.config.lemmas) if self.config.lemmas else word

    def samples(self) -> list[Sample]:
        """Return uses of the groups that are looked at: those with a form in the model that are neither rare nor function words."""
        from embeddings.static.kernels.context_sums import sample_positions

        corpus, groups = self.corpus, self.groups[:-1]
        counts = corpus.vocabulary.counts
        uses = np.bincount(groups, counts)
        in_model = np.bincount(groups, rows_in(self.vectors, corpus) >= 0) > 0
        most = self.config.max_share * counts.sum()
        chosen = np.flatnonzero(
            (uses >= self.config.min_uses)
            & (uses <= most)
            & in_model
            & (self.telling[:-1] >= self.config.function_word_bits)
        )
        row_of = np.full(len(uses), -1, np.int32)
        row_of[chosen] = np.arange(len(chosen))
        ids, rows = np.asarray(corpus.ids), row_of[groups]
        regions = _parts(_stretches(corpus), REGIONS)
        # The kernel is called twice. With totals of 0 it writes nothing and only counts: totals[w, r] are the uses of word w in region r
        # of the text that could be drawn. `quotas` says how many to draw from each region, and the second call draws them, evenly:
        #
        #    positions (words, most drawn)    where in `ids` each use stands; the row of word w is filled up to parts[w, r]
        #    stands_for (same shape)          how many uses of its stretch of text each one stands for
        none = np.zeros((len(chosen), 0), np.int64)
        nobody = (none.sum(1), none.sum(1), none, none.astype(np.float32))
        totals = np.stack([sample_positions(ids, part, rows, *nobody) for part in regions], axis=1)
        parts = quotas(totals, self.config.max_contexts, self.config.region_balance)
        places: list[list[Int64s]] = [[] for _ in chosen]
        weights: list[list[Float32s]] = [[] for _ in chosen]
        for at, part in enumerate(regions):
            positions = np.zeros((len(chosen), int(parts[:, at].max(initial=0))), np.int64)
            stands_for = np.zeros(positions.shape, np.float32)
            sample_positions(ids, part, rows, totals[:, at], parts[:, at], positions, stands_for)
            for row, (taken, total) in enumerate(zip(parts[:, at], totals[:, at], strict=True)):
                if taken:
                    places[row].append(positions[row, :taken])
                    weights[row].append(stands_for[row, :taken] * np.float32(total / taken))
        return [
            Sample(int(group), np.concatenate(places[row]), np.concatenate(weights[row]))
            for row, group in enumerate(chosen)
            if places[row]
        ]

    def contexts(self, group: int, positions: Int64s) -> Contexts:
        """Return the contexts of some uses of a group."""
        window, nothing = self.config.window, len(self.groups) - 1
        bounds = self.corpus.sentence_bounds
        paragraph = np.searchsorted(bounds, positions, "right")
        offsets = np.delete(np.arange(-window, window + 1), window)
        places = positions[:, None] + offsets
        inside = (places >= bounds[paragraph - 1, None]) & (places < bounds[paragraph, None])
        ids = self.corpus.ids[np.clip(places, 0, len(self.corpus.ids) - 1)].astype(np.int64)
        ids = np.where(inside & (self.groups[ids] != group), ids, nothing)
        weights = self.association(ids)[self.groups[ids]] ** POWER / np.sqrt(np.abs(offsets))
        points = np.einsum("nw,nwd->nd", weights.astype(np.float32), self.space[ids])
        return Contexts(ids, normalize_rows(points))

    def association(self, ids: Int64s) -> Float64s:
        """Return how much oftener than by chance each group occurs in some contexts, log(n / expected), shape (groups + 1,); 0 below."""
        counts = np.bincount(self.groups[ids].ravel(), minlength=len(self.shares)).astype(float)
        counts[-1] = 0
        met = counts >= TWICE
        weights = np.zeros(len(counts))
        weights[met] = np.log(counts[met] / (counts.sum() * self.shares[met]))
        return np.maximum(weights, 0) * self.telling

    def senses(self, sample: Sample) -> _Senses | None:
        """Return the senses of a group by uses of it; None where it has one."""
        group, positions = sample.group, sample.positions
        contexts = self.contexts(group, positions)
        rng = np.random.default_rng((self.config.seed, group))
        labels = cluster_contexts(contexts.points, self.config, rng)
        labels = dissolved(
            contexts.points, labels, coherence(contexts.points, labels) >= self.config.min_coherence
        )
        words = self.corpus.vocabulary.words
        forms = [words[row] for row in self.members[group] if words[row] in self.vectors]
        labels = self.settled(sample, contexts, labels, forms)
        if not labels.any():
            return None
        labels = np.argsort(np.argsort(-np.bincount(labels, sample.weights), kind="stable"))[labels]
        number = int(labels.max()) + 1
        base = next((word for word in forms if word == self.key(word)), forms[0])
        return _Senses(
            base,
            tuple(forms),
            self.placed(group, contexts, labels, sample.weights),
            np.bincount(labels, sample.weights) / sample.weights.sum(),
            self.names(contexts, labels),
            tuple(self.examples(positions, contexts, labels == k) for k in range(number)),
        )

    def settled(
        self, sample: Sample, contexts: Contexts, labels: Int64s, forms: list[str]
    ) -> Int64s:
        """Return the labels once no sense lies among function words and no two have a cosine of ``merge_above_cosine`` or more.

        A sense that is dissolved or merged leaves its uses to others, which move: they are looked at again where they are placed then.
        """
        while labels.any():
            placed = self.placed(sample.group, contexts, labels, sample.weights)
            kept = self.among_content(placed, forms)
            if not kept.all():
                labels = dissolved(contexts.points, labels, kept)
                continue
            cosines = placed @ placed.T - 3 * np.eye(len(placed))
            first, second = sorted(np.unravel_index(int(cosines.argmax()), cosines.shape))
            if cosines[first, second] < self.config.merge_above_cosine:
                break
            labels = np.where(labels == second, first, labels - (labels > second))
        return labels

    def placed(self, group: int, contexts: Contexts, labels: Int64s, weights: Float32s) -> Float32s:
        """Return the vector of each sense, unit rows of shape (senses, d): where its contexts place it, and its part of what they lack."""
        number = int(labels.max()) + 1
        shares = np.bincount(labels, weights) / weights.sum()
        placed = np.stack([self.map.place(contexts.ids[labels == k]) for k in range(number)])
        mean, middle = shares @ placed, self.middle(group)
        lacks = (middle @ mean) * middle - mean  # of the word's direction: its length says nothing
        vectors: Float32s = normalize_rows(placed + np.outer(shares / (shares @ shares), lacks))
        return vectors.astype(np.float32)

    def among_content(self, senses: Float32s, forms: list[str]) -> Bools:
        """Whether at least half of the neighbours of each sense are no function words, shape (senses,).

        All true if ``function_word_bits`` and ``function_word_bits_nearby`` are 0.
        """
        others = np.ones(len(self.vectors), bool)
        others[[self.vectors.index[word] for word in forms]] = False
        cosines = np.where(others, senses @ self.vectors.unit.T, -2)
        number = min(NEAREST, int(others.sum()))  # a small model has fewer words than that
        near = np.argpartition(-cosines, number - 1, axis=1)[:, :number]
        return self.of_content[near].mean(1) >= 0.5

    def middle(self, group: int) -> Float32s:
        """Return the mean direction of the forms of a group, each by its count, as a unit vector, shape (d,)."""
        words, counts = self.corpus.vocabulary.words, self.corpus.vocabulary.counts
        forms = [row for row in self.members[group] if words[row] in self.vectors]
        directions = self.vectors.rows_of([words[row] for row in forms], unit=True)
        return normalize_rows(counts[forms].astype(np.float32) @ directions)

    def names(self, contexts: Contexts, labels: Int64s) -> tuple[tuple[str, ...], ...]:
        """Name each sense by words of its contexts that are not in the others, near their mean."""
        number = int(labels.max()) + 1
        weights = self.association(contexts.ids)
        counts = np.stack(
            [
                np.bincount(self.groups[contexts.ids[labels == k]].ravel(), None, len(weights))
                for k in range(number)
            ]
        ).astype(np.float64)
        rates = (counts + 0.1) / np.maximum(np.bincount(labels), 1)[:, None]
        means = normalize_rows(totals_of(contexts.points, labels, number))
        names = []
        for k in range(number):
            others = np.delete(rates, k, axis=0).max(0)
            scores = np.minimum(weights, 4) * counts[k] * np.log(rates[k] / others)
            best = np.argsort(-scores, kind="stable")[: 10 * NAMES]
            listed = [
                (float(scores[group] * max(means[k] @ self.space[shown], 0)), shown)
                for group in best
                if scores[group] > 0 and (shown := self.shown(int(group))) is not None
            ]
            words = [self.corpus.vocabulary.words[shown] for score, shown in sorted(listed)[::-1]]
            names.append(tuple(words[:NAMES]))
        return tuple(names)

    def shown(self, group: int) -> int | None:
        """Return the word of a group that names: its lemma, or else its commonest form; None for what is no word of the model."""
        words = self.corpus.vocabulary.words
        forms = [row for row in self.members[group] if words[row].isalpha()]
        forms = [row for row in forms if self.space[row].any() and len(words[row]) > 2]
        bases = (row for row in forms if words[row] == self.key(words[row]))
        return next(bases, forms[0] if forms else None)

    def examples(self, positions: Int64s, contexts: Contexts, chosen: Bools) -> tuple[str, ...]:
        """Return the words around the most typical uses of a sense."""
        mean = contexts.points[chosen].sum(0)
        order = np.flatnonzero(chosen)[np.argsort(-(contexts.points[chosen] @ mean), kind="stable")]
        words, bounds = self.corpus.vocabulary.words, self.corpus.sentence_bounds
        listed: dict[str, None] = {}
        for position in positions[order].tolist():
            if len(listed) == self.config.examples:
                break
            paragraph = int(np.searchsorted(bounds, position, "right"))
            begin = max(int(bounds[paragraph - 1]), position - self.config.window)
            end = min(int(bounds[paragraph]), position + self.config.window + 1)
            listed[" ".join(words[i] for i in self.corpus.ids[begin:end])] = None
        return tuple(listed)

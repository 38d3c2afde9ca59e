"""Word2Vec trained several times: with other seeds, on documents drawn again, on two sides; and how far words' cosines and ranks move.

Antoniak and Mimno (2018), section 4: documents are drawn with replacement, as many as there are, so that the spread holds both what a
seed changes and what the choice of texts changes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from embeddings.arrays import Float32s, Int64s, slices
from embeddings.configuration import to_json
from embeddings.corpora.document_selection import bootstrap, with_documents
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.files import atomic_file
from embeddings.mapped_files import map_npy
from embeddings.results import Report, Value
from embeddings.static.settings import SpreadConfig, Word2VecConfig
from embeddings.static.static_checkpoint import digest
from embeddings.static.word2vec import train_ids
from embeddings.vectors.run_spread import RunSpread, rows_of_all
from embeddings.vectors.vector_rows import normalize_rows

WORDS_AT_A_TIME = 64  # words whose cosines with all others are held at a time, in every run


def unit_vectors(
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    words: slice | Int64s,
    report: Report | None = None,
) -> Float32s:
    """Return the unit vectors of some words after a training, shape (words, vector_size); zeros for words that do not occur."""
    counts = corpus.vocabulary.counts
    weights = train_ids(corpus.ids, corpus.sentence_bounds, counts, config, report=report)
    unit = normalize_rows(weights.inputs[words])
    unit[counts[words] == 0] = 0
    return unit


def trained_runs(
    corpus: EncodedCorpus,
    config: Word2VecConfig,
    spread: SpreadConfig,
    run: Path,
    report: Report | None = None,
) -> list[Float32s]:
    """Return the unit vectors of each run, shape (words, vector_size), as memory maps of float32.

    Runs lie in the folder ``run`` under a key made of settings and text, so that a broken-off measurement resumes after its last whole run.
    """
    size = min(spread.among, len(corpus.vocabulary))
    key = _key(corpus, config, spread.resample, size)
    documents = len(corpus.document_bounds) - 1
    if spread.resample == "documents" and documents < 2:
        raise InputError("stability_documents", documents=documents)
    tables = []
    for number in range(spread.runs):
        path = run / f"{key}-{number}.npy"
        if not path.exists():
            seed = config.seed + number
            text = corpus
            if spread.resample == "documents":
                text = with_documents(corpus, bootstrap(documents, seed))
            table = unit_vectors(text, replace(config, seed=seed), slice(size), report)
            with atomic_file(path) as temporary, temporary.open("wb") as file:
                np.save(file, table)
        tables.append(map_npy(path))
    return tables


def _key(corpus: EncodedCorpus, config: Word2VecConfig, resample: str, size: int) -> str:
    """Return what distinguishes these runs from others: settings, text, way of drawing."""
    settings = {**to_json(config), "workers": None}
    text = digest(corpus.vocabulary.words, corpus.ids, corpus.document_bounds)
    content = json.dumps([settings, resample, size, text])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


class SpreadSummary(Value):
    """A spread in three numbers.

    Attributes
    ----------
    deviation : float
        Mean standard deviation (n - 1) of a neighbour's cosine over the runs; NaN of one run.
    rank_range : float
        Mean distance between a neighbour's lowest and highest rank.
    overlap : float
        Mean Jaccard index of a word's nearest in two runs; NaN of one run.
    """

    deviation: float
    rank_range: float
    overlap: float


def measure_spread(
    tables: Sequence[Float32s],
    words: Sequence[str],
    config: SpreadConfig,
    keep: Sequence[str] = (),
    *,
    lower: bool = True,
) -> tuple[RunSpread, SpreadSummary]:
    """Return what the runs say of the commonest words.

    Parameters
    ----------
    tables : sequence of NDArray of float32, shape (words, vector_size)
        Unit vectors, a table a run; words that some run lacks (a row of zeros) are left out.
    words : sequence of str
        Their words, by falling frequency.
    config : SpreadConfig
        What is kept.
    keep : sequence of str
        Words whose neighbours and vectors are kept next to the commonest; those that are not there are passed over.
    """
    rows = rows_of_all(tables)
    if len(rows) < 2:
        raise InputError("stability_words", words=len(rows))
    unit = [np.asarray(table)[rows] for table in tables]
    names = [words[row] for row in rows.tolist()]
    index = {word: number for number, word in enumerate(names)}
    asked = [number for word in keep if (number := index.get(word)) is not None]
    common = min(config.rows, len(rows))  # the summary is theirs
    listed = np.array([*dict.fromkeys([*range(common), *asked])])
    count = len(listed)
    nearest = min(config.nearest, len(rows) - 1)
    neighbours = np.empty((count, nearest), np.int64)
    cosines = np.empty((count, nearest, len(unit)), np.float32)
    ranks = np.empty((count, nearest, len(unit)), np.int64)
    overlaps: list[float] = []
    for block in slices(count, WORDS_AT_A_TIME):
        answer = _block(unit, listed[block], nearest)
        neighbours[block], cosines[block], ranks[block] = answer[:3]
        overlaps += answer[3]
    chosen = dict.fromkeys([*range(min(config.kept, len(rows))), *asked])
    named = dict.fromkeys([*listed.tolist(), *neighbours.reshape(-1).tolist(), *chosen])
    number_of = np.zeros(len(names), np.int64)
    number_of[[*named]] = np.arange(len(named))
    spread = RunSpread(
        tuple(names[row] for row in named),
        number_of[neighbours].astype(np.uint16),
        np.clip(cosines, -1, 1),
        np.stack([ranks.min(axis=-1), ranks.max(axis=-1)], axis=-1)
        .clip(1, 65_535)
        .astype(np.uint16),
        number_of[[*chosen]].astype(np.uint16),
        np.stack([table[[*chosen]] for table in unit]),
        lower,
        config.resample,
    )
    several = len(unit) > 1
    summary = SpreadSummary(
        float(cosines[:common].std(axis=-1, ddof=1).mean()) if several else float("nan"),
        float(np.ptp(ranks[:common], axis=-1).mean()),
        float(np.mean(overlaps[: common * math.comb(len(unit), 2)])) if several else float("nan"),
    )
    return spread, summary


def _block(
    unit: Sequence[Float32s], block: Int64s, nearest: int
) -> tuple[Int64s, Float32s, Int64s, list[float]]:
    """Return neighbours, their cosines and ranks in every run, and the overlaps of all pairs of runs, for some words."""
    every = np.stack([table[block] @ table.T for table in unit])  # (runs, words, words)
    every[:, np.arange(len(block)), block] = -np.inf
    mean = every.mean(axis=0)
    near = np.argsort(-mean, axis=1, kind="stable")[:, :nearest]
    cosines = np.take_along_axis(every, near[None], axis=2)  # (runs, words, nearest)
    ranks = np.empty(cosines.shape, np.int64)
    for place in range(nearest):
        ranks[:, :, place] = 1 + (every > cosines[:, :, place, None]).sum(axis=-1)
    sets = np.argpartition(-every, nearest - 1, axis=2)[:, :, :nearest]
    overlaps = []
    for line in range(len(block)):
        lists = [set(sets[number, line].tolist()) for number in range(len(unit))]
        overlaps += [len(a & b) / len(a | b) for a, b in combinations(lists, 2)]
    return near, cosines.transpose(1, 2, 0), ranks.transpose(1, 2, 0), overlaps


SECOND = 1_000_003  # added to the seed of the second side
AGAIN = 2_000_003  # added where a side is trained again


class TwoSides(Value):
    """Documents of one corpus dealt out to two sides, and the words that are measured.

    Attributes
    ----------
    corpus : EncodedCorpus
        All documents.
    first, second : NDArray of int64
        Documents of either side.
    words : NDArray of int64
        Ids of the words that are measured, by falling frequency.
    """

    corpus: EncodedCorpus
    first: Int64s
    second: Int64s
    words: Int64s

    @property
    def counts(self) -> tuple[Int64s, Int64s]:
        """Occurrences of the measured words on either side."""
        first, second = side_counts(self.corpus, self.first, self.second)
        return first[self.words], second[self.words]

    @property
    def tokens(self) -> tuple[int, int]:
        """Words of text on either side."""
        sizes = np.diff(np.asarray(self.corpus.sentence_bounds)[self.corpus.document_bounds])
        return int(sizes[self.first].sum()), int(sizes[self.second].sum())

    def shuffled(self, seed: int) -> TwoSides:
        """Return the documents shuffled between the sides, as many on each as before."""
        every = np.concatenate([self.first, self.second])
        order = np.random.default_rng(seed).permutation(every)
        return replace(
            self, first=np.sort(order[: len(self.first)]), second=np.sort(order[len(self.first) :])
        )


def side_counts(corpus: EncodedCorpus, *sides: Int64s) -> list[Int64s]:
    """Return how often each word of the vocabulary occurs in the documents of each side."""
    return [with_documents(corpus, side).vocabulary.counts for side in sides]


def measured_words(
    corpus: EncodedCorpus, sides: tuple[Int64s, Int64s], least: int, most: int
) -> Int64s:
    """Return the ids of the commonest words that occur ``least`` times on each side, ``most`` at most.

    Raises
    ------
    InputError
        If there is none.
    """
    first, second = side_counts(corpus, *sides)
    words = np.flatnonzero((first >= least) & (second >= least))
    if not len(words):
        raise InputError("change_common", least=least)
    order = np.argsort(-(first + second)[words], kind="stable")
    return words[order[:most]]


def words_alone(sides: TwoSides, least: int, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the commonest words, ``most`` at most, that one side has ``least`` times and the other never: they cannot be compared.

    Examples
    --------
    >>> corpus = EncodedCorpus.from_sentences([[["a", "b", "b"]], [["a", "c", "a"]]])
    >>> words_alone(TwoSides(corpus, np.array([0]), np.array([1]), np.array([0])), 2, 9)
    (('b',), ())
    """
    first, second = side_counts(sides.corpus, sides.first, sides.second)
    alone = []
    for here, there in ((first, second), (second, first)):
        words = np.flatnonzero((here >= least) & (there == 0))
        order = words[np.argsort(-here[words], kind="stable")][:most]
        alone.append(tuple(sides.corpus.vocabulary.words[word] for word in order.tolist()))
    return alone[0], alone[1]


def train_sides(
    sides: TwoSides, config: Word2VecConfig, report: Report | None = None, *, both: bool = True
) -> tuple[Float32s, ...]:
    """Return the unit vectors of the first side, and of the second if ``both`` are trained.

    The second has a seed of its own, so that no common start makes the two alike.
    """
    seeded = [(sides.first, config), (sides.second, replace(config, seed=config.seed + SECOND))]
    return tuple(
        unit_vectors(with_documents(sides.corpus, documents), settings, sides.words, report)
        for documents, settings in seeded[: 1 + both]
    )

"""The contexts that a static model keeps: counted in its corpus, each word's strongest chosen."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from embeddings.arrays import Float64s, bounds_of
from embeddings.configuration import CheckedConfig, setting
from embeddings.corpora.encoded_corpus import EncodedCorpus
from embeddings.errors import InputError
from embeddings.results import Report
from embeddings.vectors.context_table import MOST_WORDS, SMOOTHING, ContextTable, ppmi

WORDS_AT_A_TIME = 1 << 20  # words of text looked at together


class ContextConfig(CheckedConfig):
    """Which contexts are kept."""

    window: int = setting(5, "Words on either side.", 1, 255)
    words: int = setting(
        10_000, "Number of most frequent words whose contexts are stored.", 2, MOST_WORDS
    )
    contexts: int = setting(
        20_000, "Number of most frequent words that may be contexts.", 2, MOST_WORDS
    )
    strongest: int = setting(400, "Number of contexts stored for each word.", 1, MOST_WORDS)
    least: int = setting(2, "Minimum count of a word with a context.", 1, 10**9)
    memory_mb: int = setting(1024, "Memory to count within, MB.", 1, 1 << 30)
    workers: int = setting(2, "Threads.", 1, 256)


def count_contexts(
    corpus: EncodedCorpus,
    config: ContextConfig | None = None,
    report: Report | None = None,
    *,
    lower: bool = True,
) -> ContextTable:
    """Count the contexts of a corpus and keep the strongest.

    Only stored rows are counted, a chunk at a time. Of each, the contexts with the largest PPMI log(1 + count) are kept:
    by PPMI alone the places go to contexts met twice, which no other word shares. A row's squared length is that over all contexts
    that were met ``config.least`` times, kept or not.

    Parameters
    ----------
    corpus : EncodedCorpus
        Ids, sentence bounds and vocabulary, the commonest words first.
    config : ContextConfig, optional
        Window and bounds.
    report : callable, optional
        Called with `Progress` in words of text counted.
    lower : bool, default True
        Whether the corpus's words are in lower case.

    Raises
    ------
    InputError
        If there is nothing to count, or ``memory_mb`` has no room for the longest row.
    """
    # numba: a command that only asks does without
    from embeddings.static.cooccurrence import CooccurrenceConfig, counted_words

    config = config or ContextConfig()
    sums = count_meetings(corpus, config.window)
    if not sums.any():
        raise InputError("cooccurrence_empty")
    order = np.argsort(sums == 0, kind="stable")  # a word that stood alone has no contexts
    order = order[: min(config.contexts, int(np.count_nonzero(sums)))]
    rows = order[: config.words]
    column_of = np.full(len(sums), -1, np.int64)
    column_of[order] = np.arange(len(order))
    total = float((sums**SMOOTHING).sum())
    kept: list[tuple[NDArray[np.uint16], NDArray[np.uint32], float]] = []
    counting = CooccurrenceConfig(
        window=config.window,
        distance_weighting=False,
        memory_mb=config.memory_mb,
        workers=config.workers,
    )
    for row, (columns, values) in enumerate(
        counted_words(corpus, counting, int(rows[-1]) + 1, report)
    ):
        if not sums[row]:
            continue
        often = values >= config.least
        columns, counts = columns[often], np.rint(values[often]).astype(np.uint32)
        strength = ppmi(counts, float(sums[row]), sums[columns], total)
        usable = np.flatnonzero((strength > 0) & (column_of[columns] >= 0))
        weight = strength[usable] * np.log1p(counts[usable])
        chosen = usable[np.argsort(-weight, kind="stable")[: config.strongest]]
        chosen = chosen[np.argsort(column_of[columns[chosen]])]
        context = column_of[columns[chosen]].astype(np.uint16)
        kept.append((context, counts[chosen], float(strength @ strength)))
    sizes = np.array([len(context) for context, _, _ in kept], np.int64)
    return ContextTable(
        tuple(corpus.vocabulary.words[row] for row in order),
        bounds_of(sizes),
        np.concatenate([context for context, _, _ in kept]),
        np.concatenate([counts for _, counts, _ in kept]),
        sums[order],
        total,
        float(sums.sum()),
        np.array([square for _, _, square in kept]),
        config.window,
        lower,
        corpus.config.spelling,
    )


def count_meetings(corpus: EncodedCorpus, window: int) -> Float64s:
    """Return how many words stand within ``window`` of each word of the vocabulary, over all its uses; shape (words,)."""
    bounds = np.asarray(corpus.sentence_bounds, dtype=np.int64)
    sums = np.zeros(len(corpus.vocabulary), np.float64)
    edges = np.searchsorted(bounds, np.arange(WORDS_AT_A_TIME, bounds[-1], WORDS_AT_A_TIME))
    for low, high in pairwise([0, *np.unique(edges).tolist(), len(bounds) - 1]):
        part = bounds[low : high + 1]
        ids = np.asarray(corpus.ids[part[0] : part[-1]], dtype=np.int64)
        place = np.arange(part[0], part[-1])
        lengths = np.diff(part)
        left = np.minimum(place - np.repeat(part[:-1], lengths), window)
        right = np.minimum(np.repeat(part[1:], lengths) - 1 - place, window)
        sums += np.bincount(ids, weights=left + right, minlength=len(sums))
    return sums

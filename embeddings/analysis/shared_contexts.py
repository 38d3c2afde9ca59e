"""Why two words are near: which contexts they share, and how much each adds.

Skip-gram factorises the pointwise mutual information of words and contexts (Levy and Goldberg 2014b), so that two words are near where
the rows of that matrix are. The cosine of two PPMI rows is a sum over contexts: PPMI(a, c) PPMI(b, c) / (|a| |b|) is what c adds.
That is second order: the same company. First order is whether the two are next to each other.
`context_sentences` shows the shared contexts in sentences of a concordance.
"""

from __future__ import annotations

import math
from itertools import islice

import numpy as np

from embeddings.analysis.context_answers import ContextSentence
from embeddings.analysis.similarity import similarity
from embeddings.analysis.vector_answers import FirstOrder, SharedContext, SharedContexts
from embeddings.configuration import check_range
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.concordance_search import ConcordanceQuery, search, text_language
from embeddings.vectors.context_table import ContextTable
from embeddings.vectors.table import Vectors

SECONDS_A_CONTEXT = 0.5  # after which the search for a word near one context stops


def shared_contexts(
    table: ContextTable, first: str, second: str, topn: int = 15, vectors: Vectors | None = None
) -> SharedContexts:
    """Return the contexts that make two words near, the largest contribution first.

    Parameters
    ----------
    table : ContextTable
        Contexts counted in the model's corpus.
    first, second : str
        In any case if the table's words are in lower case.
    topn : int, default 15
        Contexts to list; the others are summed up.
    vectors : Vectors, optional
        The model whose cosine is to be explained.

    Returns
    -------
    SharedContexts
        Contributions add up to ``ppmi_cosine``.

    Raises
    ------
    UnknownWordError
        If a word has no row in the table (code ``word_without_contexts``: the model may have a vector for it), or no vector.
    """
    check_range("topn", topn, 1, 10_000)
    i, j = (table.vectors.row(word, "word_without_contexts") for word in (first, second))
    columns_i, counts_i, strength_i = table.row(i)
    columns_j, counts_j, strength_j = table.row(j)
    both, at_i, at_j = np.intersect1d(columns_i, columns_j, assume_unique=True, return_indices=True)
    length = math.sqrt(float(table.squares[i] * table.squares[j]))
    added = strength_i[at_i] * strength_j[at_j] / length if length else np.zeros(0)
    order = np.argsort(-added, kind="stable")
    listed = tuple(
        SharedContext(
            table.words[both[k]], float(added[k]), int(counts_i[at_i[k]]), int(counts_j[at_j[k]])
        )
        for k in order[:topn]
    )
    words = table.words[i], table.words[j]
    return SharedContexts(
        *words,
        similarity(vectors, *words) if vectors is not None else math.nan,
        float(added.sum()),
        _first_order(table, i, j),
        listed,
        len(order) - len(listed),
        float(added[order[topn:]].sum()),
        (table.stored_share(i), table.stored_share(j)),
        table.window,
    )


def _first_order(table: ContextTable, i: int, j: int) -> FirstOrder:
    """How often the two stand together, next to what their numbers alone would give."""
    count = max(_count(table, i, j), _count(table, j, i))
    expected = float(table.sums[i] * table.sums[j] / table.meetings)
    return FirstOrder(count, expected, math.log(count / expected) if count else None)


def _count(table: ContextTable, row: int, column: int) -> int:
    """Meetings of a row's word with a context; 0 where it is not kept."""
    columns, counts, _ = table.row(row)
    at = int(np.searchsorted(columns, column))
    return int(counts[at]) if at < len(columns) and columns[at] == column else 0


def context_sentences(
    concordance: Concordance, answer: SharedContexts, word: str, limit: int = 3, language: str = ""
) -> tuple[ContextSentence, ...]:
    """Return lines in which a word occurs near a shared context, the strongest context first; without any, lines with the word alone.

    Parameters
    ----------
    concordance : Concordance
    answer : SharedContexts
        Gives the contexts and the window.
    word : str
        One of its two words; it and its contexts are found in all forms.
    limit : int, default 3
        Lines at most, one for each context.
    language : str, default ""
        "en", "ru" or "de"; "": that of the concordance's text.

    Raises
    ------
    KlyuchError
        If the concordance is damaged.
    """
    language = language or text_language(concordance)
    sentences = (
        ContextSentence(word, shared.context, line)
        for shared in answer.shared
        for line in search(
            concordance,
            ConcordanceQuery(word, language, (shared.context,), answer.window, limit=1),
            SECONDS_A_CONTEXT,
        ).lines
    )
    unique = {sentence.line.text: sentence for sentence in islice(sentences, limit)}
    if not unique:
        alone = search(concordance, ConcordanceQuery(word, language, limit=limit)).lines
        unique = {line.text: ContextSentence(word, "", line) for line in alone}
    return tuple(unique.values())

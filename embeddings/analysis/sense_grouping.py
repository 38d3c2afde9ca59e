"""Contexts assigned to senses: induced senses arranged by hand and counted, and the senses of a static model.

By hand: another number of senses, senses merged, split, renamed, contexts moved; such a function takes a grouping and returns another,
and drops a sense without a context. The number of senses and the two halves
of a split sense come from the agreement of the clusterings (`embeddings.analysis.number_of_groups`), by the tree that `sense_tree` draws.

The sense of a static model that a context has is the one whose vector is nearest to where the context is placed, as in building
(`embeddings.static.sense_clustering`): the mean of the vectors of the words around, weighted by a / (a + p), through the map that the
table of senses keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from embeddings.analysis.context_answers import SenseFrequencies, SenseTree
from embeddings.analysis.number_of_groups import by_size, cut, tree_of
from embeddings.arrays import Float32s, Int64s
from embeddings.corpora.corpus_answers import SenseGrouping, Surroundings
from embeddings.corpora.sense_contexts import Context, surroundings
from embeddings.errors import InputError
from embeddings.results import Rows
from embeddings.vectors.sense_table import SMOOTH
from embeddings.vectors.table import Vectors
from embeddings.vectors.vector_rows import normalize_rows

WINDOW = 10  # words on either side of the word in question
CANDIDATES = 4  # times the number asked for: cuts of the tree that are tried
LONGEST_SENSE_NAME = 60  # characters of a sense's name
VALUES = 1_000  # documents or dates that frequencies are counted for


def place_contexts(vectors: Vectors, contexts: Surroundings) -> Float32s:
    """Return where contexts lie in a model's space, unit rows of shape (contexts, vector_size); zeros where no word is known.

    Parameters
    ----------
    vectors : Vectors
        With senses; counts weigh the words; without counts, Zipf's law is used.
    contexts : sequence of sequence of SurroundingWord
        As `embeddings.corpora.sense_contexts.surroundings` gives them; words further away than `WINDOW` are left out.

    Raises
    ------
    InputError
        If the model has no senses.
    """
    if vectors.senses is None:
        raise InputError("senses_none", model=vectors.name)
    counts = vectors.counts
    if counts is None:
        counts = np.int64(1e9) // np.arange(1, len(vectors) + 1)
    total = float(counts.sum())
    means = np.zeros((len(contexts), vectors.vector_size + 1))
    for number, words in enumerate(contexts):
        near = (word.keys[-1] for word in words if word.distance <= WINDOW)
        rows = [row for spelled in near if (row := vectors.find(spelled)) is not None]
        if rows:
            weights = SMOOTH / (SMOOTH + counts[rows] / total)
            means[number, :-1] = weights @ vectors.unit_rows(rows) / weights.sum()
            means[number, -1] = 1
    return normalize_rows((means @ vectors.senses.transform).astype(np.float32))


# A meaning that the corpus lacks lies far from all senses; one that is near two may lie between them.
CLEAR = {"near": 0.2, "ahead": 0.1}


def assign_senses(
    vectors: Vectors,
    contexts: Sequence[Context],
    language: str,
    near: float = -1.0,
    ahead: float = 0.0,
) -> Rows[str | None]:
    """Return the sense of each context's word, ``bank#2``; None where the word has one sense, nothing around is known, or it is not clear.

    Parameters
    ----------
    vectors : Vectors
        With senses.
    contexts : sequence of Context
        Of one word or of many.
    language : str
        Theirs.
    near : float, default -1
        Least cosine of a context with its sense.
    ahead : float, default 0
        Least difference from its cosine with the next sense.

    Raises
    ------
    InputError
        If the model has no senses, or a context lacks its word.
    """
    placed = place_contexts(vectors, [surroundings(context, language) for context in contexts])
    assigned: list[str | None] = []
    for context, point in zip(contexts, placed, strict=True):
        senses = vectors.senses_of(context.word)
        if not senses or not point.any():
            assigned.append(None)
            continue
        cosines = vectors.rows_of([sense.word for sense in senses], unit=True) @ point
        second, best = np.sort(cosines)[-2:]
        clear = best >= near and best - second >= ahead
        assigned.append(senses[int(cosines.argmax())].word if clear else None)
    return Rows(assigned)


def cut_into(agreement: Float32s, number: int) -> Int64s:
    """Return exactly ``number`` senses by the tree of an agreement matrix.

    Of the cuts after which senses below the smallest size are dissolved the first that leaves so many; where there is
    none, the tree is cut into so many branches, however small.

    Parameters
    ----------
    agreement : NDArray of float32, shape (n, n)
        Share of the clusterings in which two contexts stand together.
    number : int
        Senses, 1 to n.

    Returns
    -------
    NDArray of int64, shape (n,)
        Sense of each context, from 0 by falling size.

    Raises
    ------
    InputError
        If there are fewer contexts than senses asked for.
    """
    count = len(agreement)
    if not 1 <= number <= count:
        raise InputError("senses_number", number=number, contexts=count)
    if number == 1:
        return np.zeros(count, np.int64)
    most = max(2, min(count - 1, CANDIDATES * number))
    by_number = cut(agreement, most).by_number if count > 2 else {}
    for labels in by_number.values():
        if len(np.unique(labels)) == number:
            return labels
    from scipy.cluster.hierarchy import cut_tree

    return by_size(cut_tree(tree_of(agreement), number).ravel())


def sense_tree(agreement: Float32s) -> SenseTree:
    """Return the tree that `cut_into` cuts, as a dendrogram draws it.

    Parameters
    ----------
    agreement : NDArray of float32, shape (n, n)
        n is at least 2.
    """
    from scipy.cluster.hierarchy import leaves_list, to_tree

    linked = tree_of(agreement)
    leaves = tuple(int(leaf) for leaf in leaves_list(linked))
    middles = {leaf: float(position) for position, leaf in enumerate(leaves)}
    links, members = [], []
    for node in to_tree(linked, rd=True)[1]:
        if node.is_leaf():
            continue
        left, right = node.get_left(), node.get_right()
        middles[node.id] = (middles[left.id] + middles[right.id]) / 2
        up, down = ((left, left.dist), (left, node.dist)), ((right, node.dist), (right, right.dist))
        links.append(tuple((middles[child.id], float(height)) for child, height in up + down))
        members.append(tuple(int(leaf) for leaf in node.pre_order()))
    return SenseTree(leaves, tuple(links), tuple(members))


def merge(grouping: SenseGrouping, first: int, second: int) -> SenseGrouping:
    """Give the contexts of the second sense to the first, which keeps its name, or takes that of the second."""
    if first == second:
        raise InputError("senses_same")
    labels = [first if label == second else label for label in grouping.labels]
    names = list(grouping.names)
    names[first] = names[first] or names[second]
    return _without_empty(labels, names)


def split(grouping: SenseGrouping, sense: int, agreement: Float32s) -> SenseGrouping:
    """Part a sense in two by the agreement of its contexts; the larger half keeps name and place, the other comes last.

    Raises
    ------
    InputError
        If the sense has a single context.
    """
    rows = [row for row, label in enumerate(grouping.labels) if label == sense]
    if len(rows) < 2:
        raise InputError("senses_split", sense=sense + 1)
    halves = cut_into(np.asarray(agreement)[np.ix_(rows, rows)], 2)
    labels = list(grouping.labels)
    for row, half in zip(rows, halves, strict=True):
        labels[row] = grouping.number if half else sense
    return SenseGrouping(tuple(labels), (*grouping.names, ""))


def rename(grouping: SenseGrouping, sense: int, name: str) -> SenseGrouping:
    """Call a sense by a name of one's own; "" takes the name away.

    Raises
    ------
    InputError
        If another sense is called so already, or the name is too long.
    """
    name = " ".join(name.split())
    others = [other for number, other in enumerate(grouping.names) if number != sense]
    if name and name in others:
        raise InputError("senses_name_taken", name=name)
    if len(name) > LONGEST_SENSE_NAME:
        raise InputError("senses_name_long", length=len(name), bound=LONGEST_SENSE_NAME)
    names = list(grouping.names)
    names[sense] = name
    return replace(grouping, names=tuple(names))


def move(grouping: SenseGrouping, rows: Collection[int], sense: int) -> SenseGrouping:
    """Move some contexts to a sense; ``sense`` one past the last makes a new one."""
    names = [*grouping.names, ""] if sense == grouping.number else list(grouping.names)
    labels = [sense if row in rows else label for row, label in enumerate(grouping.labels)]
    return _without_empty(labels, names)


def frequencies_by(
    contexts: Sequence[Context], labels: Sequence[int], column: str
) -> SenseFrequencies:
    """Count each sense by a further column of the contexts, as ``file``, ``document`` or a date.

    The number of words is in the column ``file_words`` and so on; a document is named with its file, if that is known.

    Raises
    ------
    InputError
        If no context has the column, or as `frequencies`.
    """
    rows = [dict(context.further) for context in contexts]
    values = [row.get(column, "") for row in rows]
    if not any(values):
        columns = dict.fromkeys(name for row in rows for name in row)
        raise InputError("senses_column", column=column, columns=", ".join(columns) or "–")
    if column == "document":
        values = [": ".join(filter(None, (row.get("file"), row.get(column)))) for row in rows]
    return frequencies(labels, values, [row.get(f"{column}_words", "") for row in rows])


def frequencies(
    labels: Sequence[int], values: Sequence[str], words: Sequence[str] = ()
) -> SenseFrequencies:
    """Count each sense in each group of contexts, and set it against the uses and against the words of the group.

    Numbers and dates (all begin with a digit) keep their order, other values come by falling frequency.

    Parameters
    ----------
    labels : sequence of int
        Sense of each context, from 0.
    values : sequence of str
        Document, date or the like of each context; "" where it has none, which is left out.
    words : sequence of str, optional
        How many words the document of each context has. Without a number, or with two for one document, there are no frequencies
        by words.

    Raises
    ------
    InputError
        If there are over a thousand different values.

    Examples
    --------
    >>> by_year = frequencies([0, 1, 0], ["1999", "1870", "1999"], ["4000", "500", "4000"])
    >>> by_year.values, by_year.counts, by_year.shares
    (('1870', '1999'), ((0, 1), (2, 0)), ((0.0, 1.0), (1.0, 0.0)))
    >>> by_year.words, by_year.per_10_000
    ((500, 4000), ((0.0, 20.0), (5.0, 0.0)))
    """
    totals = Counter(value for value in values if value)
    if len(totals) > VALUES:
        raise InputError("senses_values", found=len(totals), bound=VALUES)
    ordered = [value for value, _ in totals.most_common()]
    if all(value[0].isdecimal() for value in ordered):
        ordered.sort(key=_in_order)
    counts = Counter(zip(values, labels, strict=True))
    number = max(labels, default=-1) + 1
    rows = tuple(tuple(counts[value, sense] for sense in range(number)) for value in ordered)
    shares = tuple(tuple(count / sum(row) for count in row) for row in rows)
    pairs = {(value, size) for value, size in zip(values, words, strict=False) if value}
    sizes = {value: int(size) for value, size in pairs if size.isdecimal()}
    if len(pairs) != len(ordered) or not all(map(sizes.get, ordered)):
        return SenseFrequencies(tuple(ordered), rows, shares)
    by_words = tuple(
        tuple(10_000 * count / sizes[value] for count in row)
        for value, row in zip(ordered, rows, strict=True)
    )
    return SenseFrequencies(
        tuple(ordered), rows, shares, tuple(map(sizes.__getitem__, ordered)), by_words
    )


def _in_order(value: str) -> tuple[int, str]:
    """Order by the number that a value begins with, then by its signs, as dates of ISO 8601 want."""
    return int("".join(takewhile(str.isdecimal, value))[:18] or 0), value


def _without_empty(labels: Sequence[int], names: Sequence[str]) -> SenseGrouping:
    """Drop senses without a context; the others keep their order."""
    kept = sorted(set(labels))
    number = {sense: at for at, sense in enumerate(kept)}
    return SenseGrouping(
        tuple(number[label] for label in labels), tuple(names[sense] for sense in kept)
    )

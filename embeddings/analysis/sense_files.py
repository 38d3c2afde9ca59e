"""Senses of all words of a file of contexts, and how they agree with the marked ones.

Agreement is the adjusted Rand index (Hubert and Arabie 1985, equation 5); its mean over words is
weighted by their contexts, as RUSSE 2018 takes it (Panchenko et al. 2018, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from embeddings.analysis.senses import LEAST
from embeddings.results.senses import SenseInduction, SensesOfFile, WordSenses
from embeddings.text.contexts import Context
from embeddings.text.surroundings import by_word, stands_in

Induce = Callable[[Sequence[Context]], SenseInduction]


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
        Words in the order of their first context; contexts without a marked sense do not score.
    """
    labelled = list(contexts)
    found: list[WordSenses] = []
    scored: list[tuple[float, int]] = []
    method = ""
    for word, rows in by_word(contexts).items():
        chosen = [contexts[row] for row in rows]
        labels, number, cut, unknown = [0] * len(rows), 1, 0, 0
        names: tuple[tuple[str, ...], ...] = ((),)
        if len(rows) >= LEAST:
            senses = induce_word(chosen)
            labels, number, names = senses.labels.tolist(), senses.number, senses.names
            method, cut, unknown = senses.method, senses.truncated, senses.unknown
        for row, sense in zip(rows, labels, strict=True):
            labelled[row] = replace(contexts[row], predicted=str(sense + 1))
        ari, marked = score([labelled[row] for row in rows])
        if ari is not None:
            scored.append((ari, marked))
        absent = sum(not stands_in(one, language) for one in chosen)
        found.append(WordSenses(word, len(rows), number, names, ari, absent, cut, unknown))
    return tuple(labelled), SensesOfFile(tuple(found), weighted(scored), language, method)


def score(contexts: Sequence[Context]) -> tuple[float | None, int]:
    """Adjusted Rand index of one word's contexts that have a marked sense, and how many they are."""
    marked = [(one.gold, one.predicted) for one in contexts if one.gold]
    if not marked:
        return None, 0
    gold, predicted = zip(*marked, strict=True)
    return adjusted_rand_index(gold, predicted), len(marked)


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
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(list(gold), list(predicted)))

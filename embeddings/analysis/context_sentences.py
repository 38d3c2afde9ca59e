"""Sentences that show a shared context: a word with the context near it, from a concordance."""

from __future__ import annotations

from itertools import islice

from embeddings.corpora.concordance import Concordance
from embeddings.results.sentence_answers import ContextSentence
from embeddings.results.vector_answers import SharedContexts


def context_sentences(
    concordance: Concordance, answer: SharedContexts, word: str, limit: int, language: str = ""
) -> tuple[ContextSentence, ...]:
    """Return lines in which a word stands near a shared context, the strongest context first.

    Parameters
    ----------
    concordance : Concordance
    answer : SharedContexts
        Gives the contexts and the window.
    word : str
        One of its two words.
    limit : int
        Lines at most.
    language : str, default ""
        "en", "ru" or "de": where no line has such a pair, lines with any form of the word alone are returned; "": none.

    Raises
    ------
    KlyuchError
        If the concordance is damaged.
    """
    lines = (
        ContextSentence(word, shared.context, line)
        for shared in answer.shared
        for line in concordance.together(word, shared.context, answer.window, limit=1)
    )
    unique = {sentence.line.text: sentence for sentence in islice(lines, limit)}
    if not unique and language and limit:
        alone = concordance.find(word, language, limit)
        unique = {line.text: ContextSentence(word, "", line) for line in alone}
    return tuple(unique.values())

"""What concordances answer, kept for the pages."""

from __future__ import annotations

from pathlib import Path

from app.answers import cached
from embeddings.analysis.shared_contexts import context_sentences
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.concordance_search import (
    ConcordanceQuery,
    collocates,
    search,
    text_language,
)
from embeddings.results.sentence_answers import ContextSentence
from embeddings.results.vector_answers import Collocate, ConcordanceAnswer, SharedContexts
from embeddings.shelf import Entry
from embeddings.shelf.loading import text_of_concordance
from embeddings.shelf.locations import concordances_of


@cached(32, keys={ConcordanceQuery: repr}, is_heavy=True)
def lines(path: Path, query: ConcordanceQuery) -> ConcordanceAnswer:
    """Return the lines that a query finds."""
    return search(Concordance.open(path), query)


@cached(32, is_heavy=True)
def collocates_of(path: Path, word: str, language: str, window: int) -> tuple[Collocate, ...]:
    """Return the words that stand by a word."""
    return collocates(Concordance.open(path), word, language, window)


def in_language_first(language: str) -> dict[str, Path]:
    """Return the concordances for a language by name: those whose text is in it first, the user's own before what ships."""
    named = concordances_of(language)
    return dict(sorted(named.items(), key=lambda item: language_of(item[1]) != language))


@cached(64)
def language_of(path: Path) -> str:
    """Return the language whose function words a text has most of."""
    return text_language(Concordance.open(path))


@cached(32)
def text_beside(entry: Entry, path: Path) -> tuple[Concordance, str]:
    """Return a concordance, opened, and whether its text is the one that a model was trained on."""
    concordance = Concordance.open(path)
    return concordance, text_of_concordance(entry, concordance)


@cached(64, keys={SharedContexts: repr})
def of_shared_contexts(
    path: Path, answer: SharedContexts, word: str, limit: int, language: str
) -> tuple[ContextSentence, ...]:
    """Return sentences in which one of two words stands by a context that they share."""
    return context_sentences(Concordance.open(path), answer, word, limit, language)

"""``klyuch contexts senses``: what `embeddings.cli.contexts` does not hold itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.table import Table

from embeddings.cli.output import counted, grid
from embeddings.errors import InputError
from embeddings.text.forms import lemma_key
from embeddings.text.scripts import foreign
from embeddings.text.surroundings import surroundings

if TYPE_CHECKING:
    from embeddings.analysis.sense_files import Induce
    from embeddings.analysis.senses import WordSpace
    from embeddings.results.senses import SenseInduction, SensesOfFile
    from embeddings.text.contexts import Context


def inducer(model: str, language: str, companion: str = "") -> Induce:
    """Return what finds the senses of one word's contexts.

    ``model`` is a static model, or a network: then ``companion`` is the static model beside it, "none", or "" for the
    one of the language that is best for senses.
    """
    from embeddings.library import find

    entry = find(model)
    if entry.kind != "network":
        if companion:
            raise InputError("senses_companion", name=entry.name, companion=companion)
        return _by_words(_space(model, language), language)
    from embeddings.cli.network_argument import open_entry
    from embeddings.probing.senses import induce_with

    static = companion or beside(language)
    space = None if static == "none" else _space(static, language)
    return partial(induce_with, open_entry(model)[1], language=language, space=space)


def _by_words(space: WordSpace, language: str) -> Induce:
    """Return what finds senses by the words around."""
    from embeddings.analysis.senses import induce

    def induce_word(contexts: Sequence[Context]) -> SenseInduction:
        around = [surroundings(one, language, strict=False) for one in contexts]
        return induce(around, space, contexts[0].word)

    return induce_word


def beside(language: str) -> str:
    """Return the name of the static model that stands beside a network: of lemmas, else skip-gram, else any; or none."""
    from embeddings.library import list_models

    names = [one.name for one in list_models() if one.kind == "static" and one.language == language]
    for wanted in (f"{language}-lemmas", f"{language}-skipgram"):
        if wanted in names:
            return wanted
    return names[0] if names else "none"


def _space(model: str, language: str) -> WordSpace:
    """Open a static model as contexts are averaged from it."""
    from embeddings.analysis.senses import word_space
    from embeddings.library import load_vectors

    return word_space(load_vectors(model), partial(lemma_key, language=language))


def drawn(report: SensesOfFile) -> Table:
    """Return one line a word, and the mean."""
    rows: list[tuple[object, ...]] = [
        (
            one.word,
            one.contexts,
            one.number,
            one.ari,
            " | ".join(", ".join(names[:3]) or "–" for names in one.names),
        )
        for one in report.words
    ]
    if report.ari is not None:
        total = sum(one.contexts for one in report.words)
        rows.append(("mean by contexts", total, None, report.ari, ""))
    return grid("word", "contexts", "senses", "ARI", "names", rows=rows)


def notes(report: SensesOfFile) -> Iterator[str]:
    """Yield what the table does not show: what was given one sense, cut, not there, or not understood."""
    from embeddings.analysis.senses import LEAST

    if few := [one.word for one in report.words if one.contexts < LEAST]:
        yield f"Words with fewer than {LEAST} contexts were given one sense: {', '.join(few)}."
    if absent := sum(one.absent for one in report.words):
        yield f"{counted(absent, 'context')} without the word: all words there count alike."
    if cut := sum(one.truncated for one in report.words):
        yield f"{counted(cut, 'context')} longer than the network takes, cut around the word."
    if unknown := [one for one in report.words if one.unknown]:
        number, words = sum(one.unknown for one in unknown), ", ".join(one.word for one in unknown)
        yield f"{counted(number, 'context')} not understood: the model has no word to go by around the word in question: {words}."
    if strange := foreign((one.word for one in report.words), report.language):
        yield f"Not in the letters of language={report.language}, so their forms are not known: {', '.join(strange)}."

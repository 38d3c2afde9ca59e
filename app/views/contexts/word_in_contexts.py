"""A word in its contexts: the question of a page, the network that reads it next to a static model, and the answer; all are cached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

from app import shelf_models
from app.answers import Keys, cached, file_key, model_key
from embeddings.corpora.sense_contexts import Context, read_contexts
from embeddings.probing.sentence_answers import WORD
from embeddings.shelf import Entry
from embeddings.shelf.companions import companion_space, shipped_sentences

if TYPE_CHECKING:
    from embeddings.analysis.context_answers import ContextMap, SenseInduction
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contexts import ContextReader, WordInContexts
    from embeddings.results import Report


@dataclass(frozen=True)
class Question:
    """What the network is asked: the vectors of a word's contexts, of one of the kinds `VECTORS`.

    ``static`` is the companion that weighs the words around, and is next to the network where ``vector`` is "both".
    """

    entry: Entry
    language: str
    contexts: tuple[Context, ...]
    vector: str
    static: Entry | None = None


@dataclass(frozen=True)
class ContextAnswer:
    """What the page shows of a question.

    Attributes
    ----------
    maps : tuple of ContextMap
        One a layer.
    best_layer : int
        Where the annotated senses, or else those found, lie furthest apart.
    induction : SenseInduction
        The senses that the words around tell.
    """

    maps: tuple[ContextMap, ...]
    best_layer: int
    induction: SenseInduction


def _question_key(question: Question) -> tuple[object, ...]:
    """Return what an answer is made from: the question, both models, the sentences of the baseline."""
    models = (model_key(question.entry), model_key(question.static))
    return hash(question), *models, file_key(shipped_sentences(question.language))


BY_VALUE: Keys = {
    Question: _question_key,
    Context: hash,  # hundreds of sentences, looked up many times a page
}


def shipped(language: str) -> tuple[Context, ...]:
    """Return the project's own sentences of a language, their senses marked."""
    return _sentences(shipped_sentences(language))


@cached(3)
def _sentences(path: Path) -> tuple[Context, ...]:
    return read_contexts(path)


@cached(24, BY_VALUE, is_heavy=True)
def answer(question: Question, rows: tuple[int, ...]) -> ContextAnswer:
    """Return what a network says of a word's contexts, next to a static model.

    Parameters
    ----------
    question : Question
    rows : tuple of int
        The contexts whose annotated senses count: axes are fitted on them, and separation is measured.

    Raises
    ------
    KlyuchError
        If there are too few contexts for a map, or a model is damaged.
    """
    word, vector = in_contexts(question), question.vector
    word.naming_substitutes()  # read now: senses may be grouped in another way later
    maps, best_layer = word.maps(vector, rows), word.best_layer(vector, rows)
    return ContextAnswer(maps, best_layer, word.induction())


def prepare(question: Question, report: Report) -> None:
    """Let a large network read the contexts of a question, with its progress; what is asked afterwards finds them read."""
    if shelf_models.reader(question.entry).is_large:
        _in_contexts(replace(question, vector=WORD), report)


def reader(question: Question) -> ContextReader:
    """Return the network with the companion and the baseline of a question."""
    path = shipped_sentences(question.language)
    return _reader(question.entry, question.static, question.language, path)


@cached(6)
def _reader(entry: Entry, static: Entry | None, language: str, sentences: Path) -> ContextReader:
    from embeddings.probing.contexts import ContextReader

    companion = _space(static, language) if static else None
    return ContextReader(shelf_models.reader(entry), language, companion, sentences)


@cached(3)
def _space(static: Entry, language: str) -> WordSpace:
    return companion_space(shelf_models.vectors(static), language)


def in_contexts(question: Question) -> WordInContexts:
    """Return the word of a question as the network reads it; all kinds of vectors share the reading."""
    return _in_contexts(replace(question, vector=WORD))


@cached(6, {**BY_VALUE, FunctionType: lambda _: None})
def _in_contexts(question: Question, report: Report | None = None) -> WordInContexts:
    return reader(question).read(question.contexts, report)

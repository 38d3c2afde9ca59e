"""Cached answers on words in contexts: sentences, what a network and a static model make of them, the senses, their names.

The page asks `answer`; lessons ask for its parts.
"""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

from app.answers import Keys, cached, file_key, model_key
from app.loaders import shelf_models
from embeddings import shelf
from embeddings.corpora.sense_contexts import Context, read_contexts
from embeddings.corpora.sense_files import read_senses, write_senses
from embeddings.errors import KlyuchError
from embeddings.probing.sentence_answers import WORD
from embeddings.shelf import Entry
from embeddings.shelf.companions import companion_space, shipped_sentences

if TYPE_CHECKING:
    from embeddings.analysis.context_answers import ContextMap, SenseInduction
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contexts import ContextReader, WordInContexts
    from embeddings.probing.contextual_neighbours import ContextTable
    from embeddings.probing.sentence_answers import NearWord
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


@dataclass(frozen=True)
class Sense:
    """A gold sense: its gloss by screen language, whether the corpora attest it."""

    gloss: dict[str, str]
    attested: bool


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


def senses(language: str, word: str) -> dict[str, Sense]:
    """Return the gold senses of a word by their ids; nothing for a word that is not shipped."""
    return _all_senses(shelf.data() / "contexts" / "senses.toml").get((language, word), {})


@cached(1)
def _all_senses(path: Path) -> dict[tuple[str, str], dict[str, Sense]]:
    """Return the gold senses of every shipped word, by language and word."""
    by_word: dict[tuple[str, str], dict[str, Sense]] = {}
    for sense in tomllib.loads(path.read_text(encoding="utf-8"))["sense"]:
        senses_of_word = by_word.setdefault((sense["language"], sense["word"]), {})
        senses_of_word[str(sense["id"])] = Sense(sense["gloss"], bool(sense["attested"]))
    return by_word


@cached(4)
def uploaded_contexts(name: str, data: bytes) -> tuple[Context, ...]:
    """Return the contexts of a file that a person uploads; a refusal calls it by its own name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"contexts{Path(name).suffix.lower()}"
        path.write_bytes(data)
        try:
            return read_senses(path)
        except KlyuchError as error:
            error.fields["path"] = name
            raise


@cached(6, {Context: hash})
def exported_contexts(contexts: tuple[Context, ...], form: str) -> bytes:
    """Return contexts with their senses as a file of the form that a suffix names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"senses{form}"
        write_senses(path, contexts)
        return path.read_bytes()


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
    return _context_reader(question.entry, question.static, question.language, path)


@cached(6)
def _context_reader(entry: Entry, static: Entry | None, language: str, path: Path) -> ContextReader:
    from embeddings.probing.contexts import ContextReader

    companion = space(static, language) if static else None
    texts = tuple(context.text for context in _sentences(path))
    return ContextReader(shelf_models.reader(entry), language, companion, texts)


def in_contexts(question: Question) -> WordInContexts:
    """Return the word of a question as the network reads it; all kinds of vectors share the reading."""
    return _in_contexts(replace(question, vector=WORD))


@cached(6, {**BY_VALUE, FunctionType: lambda _: None})
def _in_contexts(question: Question, report: Report | None = None) -> WordInContexts:
    return reader(question).read(question.contexts, report)


def table(entry: Entry, language: str) -> Entry | None:
    """Return the model on the shelf that holds the network's type-averaged vectors, if there is one."""
    for model in shelf_models.static_models():
        is_table = isinstance(shelf_models.card(model).get("network"), dict)
        if model.language == language and is_table and _table(model, entry) is not None:
            return model
    return None


@cached(12)
def _table(static: Entry, network: Entry) -> ContextTable | None:
    from embeddings.probing.contextual_neighbours import check_network, open_table

    try:
        opened = open_table(static.path)
        check_network(opened, network.path)
    except (KlyuchError, OSError):  # of another network, or damaged
        return None
    return opened


@cached(64, BY_VALUE, is_heavy=True)
def neighbours(question: Question, row: int, table_entry: Entry) -> tuple[NearWord, ...]:
    """Return the words of a table of type-averaged vectors nearest to the word in one context, each next to random words."""
    averaged = _table(table_entry, question.entry)
    return () if averaged is None else in_contexts(question).neighbours(row, averaged)


@cached(3)
def space(entry: Entry, language: str) -> WordSpace:
    """Return the lemmas of a static model as contexts are averaged from them."""
    return companion_space(shelf_models.vectors(entry), language)

"""Cached answers on words in contexts: sentences, their vectors in a network, baselines, substitutes.

Cached answers on the senses of a word: found in its contexts, and named.
"""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.loaders import shelf_models
from app.loaders.caching import Keys, cached, file_key, model_key
from embeddings import shelf
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.sense_contexts import Context, read_contexts, surroundings
from embeddings.corpora.sense_files import read_senses, write_senses
from embeddings.errors import KlyuchError
from embeddings.results.induced_senses import SurroundingWord
from embeddings.results.word_contexts import ConcordanceLine, WordForm
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma_key

if TYPE_CHECKING:
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.contextual_neighbours import ContextTable
    from embeddings.results.induced_senses import SenseInduction
    from embeddings.results.word_contexts import (
        Baseline,
        ContextMap,
        LikenessMatrix,
        Separation,
        Substitutes,
        WordStates,
    )


Occurrence = tuple[str, tuple[int, int]]  # a text, and the characters of a word in it
SENTENCES, WORDS = 80, 3  # read for the baseline: so many, and so many words of each
STANDINS = 12  # substitutes shown of one context
VECTORS = (
    "both",
    "around",
    "word",
    "blank",
)  # what a context's vector is; the one that tells senses best first
AROUND = VECTORS[:2]  # from the words around, not from the word


@dataclass(frozen=True)
class Question:
    """What the network is asked: the vectors of a word's contexts, of one of the kinds `VECTORS`.

    ``static`` is the companion that weighs the words around, and stands beside the network where ``vector`` is "both".
    """

    entry: Entry
    language: str
    contexts: tuple[Context, ...]
    vector: str
    static: Entry | None = None

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and place of the word in each context."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)


@dataclass(frozen=True)
class Sense:
    """A gold sense: its gloss by screen language, whether the corpora attest it."""

    gloss: dict[str, str]
    attested: bool


def _question_key(question: Question) -> tuple[object, ...]:
    """Return what an answer is made from: the question, both models, the sentences of the baseline."""
    models = (model_key(question.entry), model_key(question.static))
    return hash(question), *models, file_key(_shipped_path(question.language))


BY_VALUE: Keys = {
    Question: _question_key,
    Context: hash,  # hundreds of sentences, looked up many times a page
}


def shipped(language: str) -> tuple[Context, ...]:
    """Return the project's own sentences of a language, their senses marked."""
    return _sentences(_shipped_path(language))


def _shipped_path(language: str) -> Path:
    """Return the file of the project's own sentences of a language."""
    return shelf.data() / "contexts" / f"{language}.tsv"


@cached(3)
def _sentences(path: Path) -> tuple[Context, ...]:
    return read_contexts(path)


def senses(language: str, word: str) -> dict[str, Sense]:
    """Return the gold senses of a word by their ids; nothing for a word that is not shipped."""
    return _senses(shelf.data() / "contexts" / "senses.toml", language, word)


@cached(32)
def _senses(path: Path, language: str, word: str) -> dict[str, Sense]:
    return {
        str(sense["id"]): Sense(sense["gloss"], bool(sense["attested"]))
        for sense in tomllib.loads(path.read_text(encoding="utf-8"))["sense"]
        if (sense["language"], sense["word"]) == (language, word)
    }


@cached(32)
def concordance_lines(
    path: Path, word: str, language: str, limit: int
) -> tuple[tuple[WordForm, ...], tuple[ConcordanceLine, ...]]:
    """Return the forms of a word in the corpus, and lines that have it."""
    concordance = Concordance.open(path)
    return concordance.forms(word, language), concordance.find(word, language, limit)


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


def exported_contexts(contexts: tuple[Context, ...], form: str) -> bytes:
    """Return contexts with their senses as a file of the form that a suffix names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"senses{form}"
        write_senses(path, contexts)
        return path.read_bytes()


@cached(12, BY_VALUE)
def states(question: Question) -> WordStates:
    """Return the vector of each context at every layer, of the kind that is asked for."""
    from embeddings.probing.anisotropy import blanked
    from embeddings.probing.context_states import word_states
    from embeddings.probing.surrounding_states import context_states

    reader = shelf_models.reader(question.entry)
    if question.vector in AROUND:
        weights = space(question.static, question.language) if question.static else None
        alone = question.vector == "around"
        return context_states(reader, question.contexts, question.language, weights, alone=alone)
    if question.vector == "blank":
        return word_states(reader, blanked(reader, question.occurrences))
    return word_states(reader, question.occurrences)


def baseline(question: Question) -> Baseline:
    """Return what random vectors of the same kind, from the project's own sentences, have in common."""
    path = _shipped_path(question.language)
    return _baseline(question.entry, path, question.language, question.vector, question.static)


@cached(12)
def _baseline(
    entry: Entry, path: Path, language: str, vector: str, static: Entry | None
) -> Baseline:
    """Read random words, blanks or contexts."""
    from embeddings.probing.anisotropy import baseline_of, blank_baseline
    from embeddings.probing.surrounding_states import context_baseline

    if vector == "word":
        states, owners = _random_words(entry, path)
        return baseline_of(states.vectors, owners)
    reader = shelf_models.reader(entry)
    if vector == "blank":
        return blank_baseline(reader, [context.text for context in _sentences(path)])
    weights = space(static, language) if static else None
    return context_baseline(reader, _some(path), language, weights, alone=vector == "around")


def _some(path: Path) -> list[str]:
    """Return some of the project's own sentences, spread over all of them."""
    texts = [context.text for context in _sentences(path)]
    return texts[:: max(1, len(texts) // SENTENCES)]


def random_words(entry: Entry, language: str) -> tuple[WordStates, list[int]]:
    """Return the states of random words in the project's own sentences, and which sentence each is of."""
    return _random_words(entry, _shipped_path(language))


@cached(6)
def _random_words(entry: Entry, path: Path) -> tuple[WordStates, list[int]]:
    from embeddings.probing import anisotropy
    from embeddings.probing.context_states import word_states

    drawn, owners = anisotropy.random_words(_some(path), words=WORDS)
    return word_states(shelf_models.reader(entry), drawn), owners


@cached(24, BY_VALUE)
def maps(question: Question, rows: tuple[int, ...]) -> tuple[ContextMap, ...]:
    """Return a map of every layer, its axes fitted on ``rows``."""
    from embeddings.analysis.projection import context_maps

    return context_maps(states(question).vectors, rows)


@cached(48, BY_VALUE)
def sweep(question: Question, groups: tuple[str, ...], rows: tuple[int, ...]) -> Separation:
    """Return how far groups of contexts lie apart at every layer, looking at ``rows`` alone."""
    from embeddings.probing.anisotropy import separation

    whole, chosen = states(question), list(rows)
    part = replace(
        whole,
        vectors=whole.vectors[chosen],
        truncated=whole.truncated[chosen],
        unknown=whole.unknown[chosen],
        tokens=tuple(whole.tokens[row] for row in chosen),
    )
    return separation(part, [groups[row] for row in chosen], baseline(question))


@cached(24, BY_VALUE)
def likeness(question: Question, layer: int) -> LikenessMatrix:
    """Return the cosines of all contexts with each other at one layer, beside the random ones."""
    from embeddings.probing.anisotropy import likeness_matrix

    return likeness_matrix(states(question), layer, baseline(question))


@cached(64)
def substitutes(entry: Entry, occurrence: Occurrence) -> Substitutes:
    """Return what the network would put in the place of a word in one sentence."""
    from embeddings.probing.substitutes import substitutes as find_substitutes

    return find_substitutes(shelf_models.reader(entry), [occurrence], STANDINS)


def table(entry: Entry, language: str) -> ContextTable | None:
    """Return the network's table of type-averaged vectors on the shelf, if there is one."""
    for model in shelf_models.static_models():
        if model.language == language and isinstance(shelf_models.card(model).get("network"), dict):
            opened = _table(model, entry)
            if opened is not None:
                return opened
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


@cached(3)
def space(entry: Entry, language: str) -> WordSpace:
    """Return the lemmas of a static model as contexts are averaged from them."""
    from embeddings.analysis.sense_induction import word_space

    return word_space(shelf_models.vectors(entry), lambda form: lemma_key(form, language))


NAMING = 200  # substitutes read to name senses


@cached(24, BY_VALUE)
def induced_by_static(
    static: Entry, language: str, contexts: tuple[Context, ...]
) -> SenseInduction:
    """Return the senses that the words around tell, by a static model."""
    from embeddings.analysis.sense_induction import induce

    return induce(_beside(contexts, language), space(static, language), contexts[0].word)


@cached(24, BY_VALUE)
def induced_by_both(question: Question) -> SenseInduction:
    """Return the senses that the words around tell, as the network reads them, beside a static model."""
    from embeddings.probing.network_senses import induce_with

    companion = space(question.static, question.language) if question.static else None
    return induce_with(
        shelf_models.reader(question.entry), question.contexts, question.language, companion
    )


@cached(24, BY_VALUE)
def induced_at_layer(question: Question, layer: int) -> SenseInduction:
    """Return the senses that the vectors of the map tell at a layer."""
    from embeddings.analysis.sense_induction import check_enough, induce_from
    from embeddings.vectors.table import normalize_rows

    check_enough(len(question.contexts), "")
    centred = states(question).vectors[:, layer] - baseline(question).mean[layer]
    return induce_from(normalize_rows(centred))


@cached(24, BY_VALUE)
def sense_names(question: Question, labels: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the substitutes that tell some senses apart, with a static model words of the language alone."""
    from embeddings.analysis.sense_induction import closeness
    from embeddings.probing.network_senses import telling_substitutes

    try:
        guesses = _many_substitutes(question.entry, question.language, question.occurrences)
    except KlyuchError:  # a network without an MLM head
        return ((),) * (max(labels) + 1)
    itself = lemma_key(question.contexts[0].word, question.language)
    rows, near = np.array(labels), None
    if question.static:
        companion = space(question.static, question.language)
        near = closeness(_beside(question.contexts, question.language), rows, companion)
    return telling_substitutes(guesses, rows, max(labels) + 1, question.language, {itself}, near)


@cached(24, BY_VALUE)
def words_around(
    static: Entry, language: str, contexts: tuple[Context, ...], labels: tuple[int, ...]
) -> tuple[tuple[str, ...], ...]:
    """Return the words of the contexts that tell some senses apart, by a static model."""
    from embeddings.analysis.sense_induction import telling_words

    return telling_words(_beside(contexts, language), np.array(labels), space(static, language))


@cached(12)
def _many_substitutes(
    entry: Entry, language: str, occurrences: tuple[Occurrence, ...]
) -> Substitutes:
    """Return enough substitutes of each context to name senses by."""
    from embeddings.probing.network_with_tokenizer import whole_words
    from embeddings.probing.substitutes import SubstitutesConfig
    from embeddings.probing.substitutes import substitutes as find_substitutes

    reader = shelf_models.reader(entry)
    topn = min(NAMING, int(whole_words(reader).sum()))
    config = SubstitutesConfig(masked=1.0, embedding=0.5)
    return find_substitutes(reader, occurrences, topn, config, language=language)


def _beside(contexts: tuple[Context, ...], language: str) -> list[tuple[SurroundingWord, ...]]:
    """Return the words around the word in each context."""
    return [surroundings(context, language, strict=False) for context in contexts]

"""Cached answers on words in contexts: sentences, what a network and a static model make of them, the senses, their names.

The page asks `answer`; lessons ask for its parts.
"""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.answers import Keys, cached, file_key, model_key
from app.loaders import shelf_models
from embeddings import shelf
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.sense_contexts import Context, read_contexts, surroundings
from embeddings.corpora.sense_files import read_senses, write_senses
from embeddings.errors import KlyuchError
from embeddings.results.word_contexts import ConcordanceLine, WordForm
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma_key

if TYPE_CHECKING:
    from embeddings.analysis.sense_induction import WordSpace
    from embeddings.probing.context_reading import ContextReading
    from embeddings.probing.contextual_neighbours import ContextTable, TableBaselines
    from embeddings.results import Neighbour, Report
    from embeddings.results.induced_senses import SenseInduction
    from embeddings.results.word_contexts import (
        Baseline,
        ContextMap,
        LikenessMatrix,
        NearWord,
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
INDUCTION_METHODS = ("together", "around", "inside")  # the best measured first
NEIGHBOURS = 10  # words near a context


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

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and place of the word in each context."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)


@dataclass(frozen=True)
class ContextAnswer:
    """What the page shows of a question.

    Attributes
    ----------
    states : WordStates
    maps : tuple of ContextMap
        One a layer.
    best_layer : int
        Where the annotated senses, or else those found, lie furthest apart.
    induction : SenseInduction or None
        The senses that the words around tell; None where they are sought in the vectors of a layer, or were refused.
    refusal : KlyuchError or None
        Why none were found.
    """

    states: WordStates
    maps: tuple[ContextMap, ...]
    best_layer: int
    induction: SenseInduction | None = None
    refusal: KlyuchError | None = None


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
    return _all_senses(shelf.data() / "contexts" / "senses.toml").get((language, word), {})


@cached(1)
def _all_senses(path: Path) -> dict[tuple[str, str], dict[str, Sense]]:
    """Return the gold senses of every shipped word, by language and word."""
    by_word: dict[tuple[str, str], dict[str, Sense]] = {}
    for sense in tomllib.loads(path.read_text(encoding="utf-8"))["sense"]:
        senses_of_word = by_word.setdefault((sense["language"], sense["word"]), {})
        senses_of_word[str(sense["id"])] = Sense(sense["gloss"], bool(sense["attested"]))
    return by_word


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


@cached(6, {Context: hash})
def exported_contexts(contexts: tuple[Context, ...], form: str) -> bytes:
    """Return contexts with their senses as a file of the form that a suffix names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"senses{form}"
        write_senses(path, contexts)
        return path.read_bytes()


@cached(24, BY_VALUE, is_heavy=True)
def answer(question: Question, rows: tuple[int, ...], method: str) -> ContextAnswer:
    """Return what a network says of a word's contexts, next to a static model.

    Parameters
    ----------
    question : Question
    rows : tuple of int
        The contexts whose annotated senses count: axes are fitted on them, and separation is measured.
    method : str
        How senses are found, one of `INDUCTION_METHODS`.

    Raises
    ------
    KlyuchError
        If there are too few contexts for a map, or a model is damaged.
    """
    _read(question)  # the network reads all its texts now: the contexts,
    _naming_substitutes(question)  # and what names senses, however they are grouped later
    read = states(question)
    map_of_layers = maps(question, rows)
    golds = tuple(context.gold for context in question.contexts)
    found: SenseInduction | None = None
    refusal: KlyuchError | None = None
    if method != INDUCTION_METHODS[2] or not all(golds):
        found, refusal = senses_around(question, method)
    if all(golds):
        best_layer = sweep(question, golds, rows).best
    elif found is None:
        best_layer = read.layers
    else:
        labels = tuple(str(label) for label in found.labels)
        best_layer = sweep(question, labels, tuple(range(len(labels)))).best
    if method == INDUCTION_METHODS[2]:
        found, refusal = None, None
    return ContextAnswer(read, map_of_layers, best_layer, found, refusal)


_prepared: dict[object, None] = {}  # questions whose texts this server has read
_MOST_PREPARED = 256


def prepare(question: Question, report: Report) -> None:
    """Let a large network read all texts of a question, with its progress; what is asked afterwards finds their states kept.

    A cached loader may draw nothing, so this one is not cached: it runs once for each question.
    """
    reader = shelf_models.reader(question.entry)
    key = _question_key(replace(question, vector="word", static=None))
    if reader.cache is None or key in _prepared:
        return
    from embeddings.probing.context_reading import read_ahead

    read_ahead(reader, question.contexts, _some(_shipped_path(question.language)), report)
    _prepared[key] = None
    while len(_prepared) > _MOST_PREPARED:
        _prepared.pop(next(iter(_prepared)), None)


@cached(4, BY_VALUE)
def _reading(question: Question) -> ContextReading:
    """Return what a network reads in the contexts, whatever is made of it."""
    from embeddings.probing.context_reading import read_contexts_of

    contexts, language = question.contexts, question.language
    beside = [surroundings(context, language, strict=False) for context in contexts]
    return read_contexts_of(shelf_models.reader(question.entry), contexts, beside, language)


def _read(question: Question) -> ContextReading:
    """Return the reading that all kinds of vectors of some contexts share."""
    return _reading(replace(question, vector="word", static=None))


def _companion(question: Question) -> WordSpace | None:
    """Return the lemmas of the static model next to the network."""
    return space(question.static, question.language) if question.static else None


@cached(12, BY_VALUE)
def states(question: Question) -> WordStates:
    """Return the vector of each context at every layer, of the kind that is asked for."""
    if question.vector == "blank":
        return _blank_states(question)
    if question.vector == "word":
        return _read(question).word
    return _read(question).around(_companion(question), alone=question.vector == "around")


def _blank_states(question: Question) -> WordStates:
    """Return what a network expects in the place of the word."""
    from embeddings.probing.anisotropy import blanked
    from embeddings.probing.context_states import word_states

    reader = shelf_models.reader(question.entry)
    return word_states(reader, blanked(reader, question.occurrences))


def baseline(question: Question) -> Baseline:
    """Return what random vectors of the same kind, from the project's own sentences, have in common."""
    path = _shipped_path(question.language)
    return _baseline(question.entry, path, question.language, question.vector, question.static)


@cached(12)
def _baseline(
    entry: Entry, path: Path, language: str, vector: str, static: Entry | None
) -> Baseline:
    """Read random words, blanks or contexts."""
    from embeddings.analysis.context_separation import baseline_of
    from embeddings.probing.anisotropy import blank_baseline
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


def sweep(question: Question, groups: tuple[str, ...], rows: tuple[int, ...]) -> Separation:
    """Return how far groups of contexts lie apart at every layer, looking at ``rows`` alone."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return _separation(question, tuple(numbers[group] for group in groups), rows)


@cached(48, BY_VALUE)
def _separation(question: Question, groups: tuple[int, ...], rows: tuple[int, ...]) -> Separation:
    """Return the separation of groups, whatever they are called."""
    from embeddings.analysis.context_separation import separation

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
    """Return the cosines of all contexts with each other at one layer, next to the random ones."""
    from embeddings.analysis.context_separation import likeness_matrix

    return likeness_matrix(states(question), layer, baseline(question))


@cached(256)
def substitutes(entry: Entry, occurrence: Occurrence) -> Substitutes:
    """Return what the network would put in the place of a word in one sentence."""
    from embeddings.probing.substitutes import substitutes as find_substitutes

    return find_substitutes(shelf_models.reader(entry), [occurrence], STANDINS)


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
def neighbours(
    question: Question, row: int, table_entry: Entry
) -> tuple[tuple[Neighbour, ...], NearWord | None]:
    """Return the words of a table of type-averaged vectors nearest to the word in one context, the first beside random words."""
    from embeddings.probing.contextual_neighbours import beside_baselines, near
    from embeddings.text.lemmas import forms_among

    averaged = _table(table_entry, question.entry)
    if averaged is None:
        return (), None
    forms = forms_among(question.contexts[row].word, averaged.vectors.words, question.language)
    state = _read(question).word.vectors[row]
    nearest = near(averaged, state, NEIGHBOURS, without=forms)
    if not nearest:
        return nearest, None
    baselines = _table_baselines(table_entry, question.entry, _shipped_path(question.language))
    return nearest, beside_baselines(averaged, state, nearest[:1], baselines)[0]


@cached(12)
def _table_baselines(static: Entry, network: Entry, path: Path) -> TableBaselines:
    from embeddings.probing.contextual_neighbours import table_baselines

    averaged = _table(static, network)
    assert averaged is not None
    return table_baselines(averaged, _random_words(network, path)[0].vectors)


@cached(3)
def space(entry: Entry, language: str) -> WordSpace:
    """Return the lemmas of a static model as contexts are averaged from them."""
    from embeddings.analysis.sense_induction import word_space

    return word_space(shelf_models.vectors(entry), lambda form: lemma_key(form, language))


def senses_around(
    question: Question, method: str
) -> tuple[SenseInduction | None, KlyuchError | None]:
    """Return the senses that the words around tell, by a static model alone or with the word's own state next to it; or the refusal."""
    by_static = method == "around" and question.static is not None
    try:
        return _induced(replace(question, vector="word"), by_static), None
    except KlyuchError as error:  # too few contexts, or a damaged model
        return None, error


@cached(24, BY_VALUE)
def _induced(question: Question, by_static: bool) -> SenseInduction:
    from embeddings.analysis.sense_induction import Companion, induce, induce_beside

    reading, word = _read(question), question.contexts[0].word
    static = _companion(question)
    if by_static and static is not None:
        return induce(reading.beside, static, word)
    part = reading.sense_vectors(alone=static is None)
    companion = None if static is None else Companion(static)
    found = induce_beside(part, reading.beside, word, companion)
    truncated = reading.surrounding.truncated if static is None else reading.word.truncated
    return replace(found, truncated=int(truncated.sum()))


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
    from embeddings.probing.network_senses import frequent_words
    from embeddings.probing.substitutes import telling_substitutes

    number, substituted = max(labels) + 1, _naming_substitutes(question)
    if substituted is None:
        return frequent_words(_read(question).beside, np.array(labels), question.language)
    itself = lemma_key(question.contexts[0].word, question.language)
    rows, static = np.array(labels), _companion(question)
    near = None if static is None else closeness(_read(question).beside, rows, static)
    return telling_substitutes(substituted, rows, number, question.language, {itself}, near)


def _naming_substitutes(question: Question) -> Substitutes | None:
    """Return the substitutes by which senses are named, whatever vectors tell them apart; None without an MLM head."""
    return _substituted(replace(question, vector="word", static=None))


@cached(4, BY_VALUE)
def _substituted(question: Question) -> Substitutes | None:
    from embeddings.probing.substitutes import naming_substitutes

    return naming_substitutes(shelf_models.reader(question.entry), question.occurrences)


@cached(24, BY_VALUE)
def words_around(question: Question, labels: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the words of the contexts that tell some senses apart, by the static model; none without one."""
    from embeddings.analysis.sense_induction import telling_words

    if (static := _companion(question)) is None:
        return ((),) * (max(labels) + 1)
    return telling_words(_read(question).beside, np.array(labels), static)

"""A word in its contexts, as a network reads them: the one place that pages, commands and Python ask.

A context is a vector at every layer, of one of three kinds (`VECTORS`): the network's own of the word ("word"), if no other is named;
the words around in the network next to a static companion ("both") or alone ("around").
To find senses with a companion, a context is two vectors side by side: the weighted mean of
the static vectors of the words around, and, times ``SHARE``, the state of the word itself at the last layer less what its form brings
(`embeddings.probing.context_states`). Without one it is the weighted mean of the states of the words around,

    c = sum over words w of a / (a + p(w)) / sqrt(d(w)) * (h(w) - m) / |h(w) - m|

with m the mean over all words around (p, a, d as in `embeddings.analysis.sense_induction`), unit length: alone, the word's own state
separates senses worse in a small network (benchmarks/results/senses.json). Senses are named by the words around where a companion knows
them, else by substitutes: the tokens that the network would put there, likelier in the sense's contexts than in the others; with a
companion, words that it knows (so no parts of words, and none of another language), each by how close it stands to the sense's contexts.
A network without an MLM head has no substitutes: the words around name its senses.
"""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from embeddings.analysis import sense_induction
from embeddings.analysis.context_answers import (
    Baseline,
    ContextMap,
    LikenessMatrix,
    SenseFrequencies,
    SenseInduction,
    SenseNames,
    Separation,
    WordStates,
)
from embeddings.analysis.context_separation import baseline_of, likeness_matrix, separation
from embeddings.analysis.projection import context_maps
from embeddings.analysis.sense_grouping import cut_into, frequencies_by
from embeddings.arrays import Float64s, Int64s
from embeddings.configuration import check_choice
from embeddings.corpora.corpus_answers import Surroundings, SurroundingWord
from embeddings.corpora.sense_contexts import Context, read_contexts, surroundings
from embeddings.errors import InputError
from embeddings.probing import context_states
from embeddings.probing.context_states import (
    Occurrence,
    check_layer,
    without_form,
    word_states,
)
from embeddings.probing.contextual_neighbours import (
    ContextTable,
    near,
    table_baselines,
)
from embeddings.probing.network import Network
from embeddings.probing.sentence_answers import VECTORS, WORD, Guess, NearWord, Substitutes
from embeddings.probing.substitutes import (
    NAMING,
    most_telling,
    naming_substitutes,
    substitutes,
    telling_substitutes,
)
from embeddings.probing.surrounding_states import SurroundingStates, first_span, readable_words
from embeddings.results import Report, Rows, Value
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table
from embeddings.saved_page.html_page import labels as saved_labels
from embeddings.text.lemmas import forms_among, function_words, lemma_key
from embeddings.text.words import normalize
from embeddings.vectors.vector_rows import normalize_rows

RANDOM_SENTENCES, RANDOM_WORDS = 80, 3  # read for the baseline: so many, and so many words of each
SUBSTITUTES = 12  # shown of one context
Labels = Int64s
T = TypeVar("T")
S = TypeVar("S")
P = ParamSpec("P")


def once(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let an object keep what a method returns for the same arguments, which can be hashed or are lists of what can be."""
    signature = inspect.signature(method)

    @wraps(method)
    def answer(self: S, /, *args: P.args, **options: P.kwargs) -> T:
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        answers: dict[Hashable, T] = vars(self).setdefault("_answers", {})
        _, *given = bound.arguments.values()
        key = (method.__name__, *(tuple(v) if isinstance(v, list) else v for v in given))
        if key not in answers:
            answers[key] = method(self, *args, **options)
        return answers[key]

    return answer


class ContextReader(Value, eq=False):
    """A network that reads words in contexts of one language, and what all of them are compared with.

    Attributes
    ----------
    network : Network
    language : str
        "en", "ru" or "de".
    companion : WordSpace or None
        The static model that weighs the words around.
    sentences : Path or None
        A table of contexts, as those of ``data/contexts``: random words of its sentences are the baseline.
    """

    network: Network
    language: str
    companion: sense_induction.WordSpace | None = None
    sentences: Path | None = None

    def read(self, contexts: Sequence[Context], report: Report | None = None) -> WordInContexts:
        """Let the network read the contexts of a word; in each the first place of the word counts.

        ``report`` is called with how many texts are read.

        Raises
        ------
        InputError
            If a text is empty, or a word gives no token.
        """
        network, language = self.network, self.language
        beside = tuple(surroundings(context, language, strict=False) for context in contexts)
        readable = readable_words(network, contexts, beside, language)
        around, places = len(readable.occurrences), located_words(contexts, language)
        read = word_states(network, [*readable.occurrences, *places.values()], report=report)
        count = len(contexts)
        vectors = np.zeros((count, *read.vectors.shape[1:]), np.float32)
        truncated, unknown = np.zeros(count, bool), np.zeros(count, bool)
        tokens: list[tuple[str, ...]] = [()] * count
        for number, row in enumerate(places, around):
            vectors[row], tokens[row] = read.vectors[number], read.tokens[number]
            truncated[row], unknown[row] = read.truncated[number], read.unknown[number]
        itself = WordStates(vectors, truncated, unknown, tuple(tokens))
        surrounding = readable.read(read.vectors[:around])
        return WordInContexts(self, tuple(contexts), beside, surrounding, itself)

    @once
    def random_words(self) -> tuple[WordStates, list[int]]:
        """Return the states of random words, and which sentence each is of."""
        drawn, owners = self._drawn()
        return word_states(self.network, drawn), owners

    @once
    def baseline(self, vector: str = WORD) -> Baseline:
        """Return what any two random words or contexts have in common: of one of the kinds `VECTORS`.

        Raises
        ------
        InputError
            If fewer than two of the sentences hold a word.
        """
        check_choice("vector", vector, VECTORS)
        if vector == "word":
            states, owners = self.random_words()
        else:
            drawn, owners = self._drawn()
            words = (
                (text, span, normalize(text[slice(*span)], lower=False)) for text, span in drawn
            )
            contexts = [Context("", word, "", "", (span,), text) for text, span, word in words]
            states = self.read(contexts).states(vector)
        return baseline_of(states.vectors, owners)

    @once
    def table_baselines(self, table: ContextTable) -> tuple[float, float]:
        """Return what random words in their sentences have in common with the rows of a table, as `table_baselines`."""
        return table_baselines(table, self.random_words()[0].vectors)

    @once
    def _drawn(self) -> tuple[list[Occurrence], list[int]]:
        """Draw random words of some sentences, spread over all of them, and tell which sentence each is of."""
        contexts = read_contexts(self.sentences) if self.sentences else ()
        some = [context.text for context in contexts][:: max(1, len(contexts) // RANDOM_SENTENCES)]
        return context_states.random_words(some, RANDOM_WORDS)


class WordInContexts(Value, eq=False):
    """A word and what a network has of its n contexts; every question about them is a method.

    Attributes
    ----------
    reader : ContextReader
        The network, its companion, and what random words have in common.
    contexts : tuple of Context
        A context that lacks the word counts with all its words.
    beside : tuple of tuple of SurroundingWord
        The words around in each context.
    surrounding : SurroundingStates
        The states of those that the network reads together with the word.
    itself : WordStates
        The states of the word; zero, and without tokens, where a context lacks it.
    """

    reader: ContextReader
    contexts: tuple[Context, ...]
    beside: tuple[tuple[SurroundingWord, ...], ...]
    surrounding: SurroundingStates
    itself: WordStates

    @property
    def word(self) -> str:
        """The word in question."""
        return self.contexts[0].word if self.contexts else ""

    @property
    def layers(self) -> int:
        """Layers of the network; there is one vector more."""
        return self.itself.layers

    def __repr__(self) -> str:
        count = len(self.contexts)
        return f"<WordInContexts {self.word}: {count} contexts, {self.reader.network.name}>"

    @once
    def states(self, vector: str = WORD) -> WordStates:
        """Return the vector of each context at every layer, of one of the kinds `VECTORS`."""
        check_choice("vector", vector, VECTORS)
        if vector == "word":
            return self.itself
        return self.surrounding.of_contexts(self.reader.companion, alone=vector == "around")

    @once
    def maps(self, vector: str = WORD, rows: Sequence[int] = ()) -> Rows[ContextMap]:
        """Return a map of every layer, the axes fitted on some contexts; on all if none are named.

        Raises
        ------
        InputError
            If there are too few contexts.
        """
        return Rows(context_maps(self.states(vector).vectors, rows))

    def map(
        self, layer: int | None = None, vector: str = WORD, rows: Sequence[int] = ()
    ) -> ContextMap:
        """Return the map of one layer, as `maps`; of the best one (`best_layer`) if none is named."""
        return replace(self.maps(vector, rows)[self._layer(layer, vector)], draw=self._drawn)

    @once
    def separation(
        self, groups: Sequence[object] = (), vector: str = WORD, rows: Sequence[int] = ()
    ) -> Separation:
        """Measure how far groups of contexts lie apart at every layer, looking at some contexts alone if ``rows`` names them.

        Without ``groups`` they are the annotated senses; if a context has none, the senses found.
        """
        labels = groups or self.golds or self.induction().labels.tolist()
        chosen = list(rows or range(len(self.contexts)))
        states, names = self.states(vector).vectors[chosen], [str(labels[row]) for row in chosen]
        return separation(states, names, self.reader.baseline(vector))

    @once
    def similarity(self, layer: int | None = None, vector: str = WORD) -> LikenessMatrix:
        """Return the cosines of all contexts with each other at one layer, next to the random ones."""
        chosen = self._layer(layer, vector)
        return likeness_matrix(self.states(vector).vectors, chosen, self.reader.baseline(vector))

    @property
    def golds(self) -> tuple[str, ...]:
        """The annotated sense of each context; () if a context has none."""
        senses = tuple(context.gold for context in self.contexts)
        return senses if all(senses) else ()

    def best_layer(self, vector: str = WORD, rows: Sequence[int] = ()) -> int:
        """Return the layer at which the annotated senses, or else those found, lie furthest apart.

        The last one where there are too few contexts to find senses. ``rows``: the contexts whose annotated senses count.
        """
        if self.golds:
            return self.separation(self.golds, vector, rows).best
        try:
            labels = self.induction().labels
        except InputError:
            return self.layers
        return self.separation(labels.tolist(), vector).best

    def senses(self, number: int = 0) -> SenseInduction:
        """Find the senses of the word, how many there are, and name them; one where `SenseInduction.separates` is False.

        Parameters
        ----------
        number : int, default 0
            So many senses; found if 0.

        Raises
        ------
        InputError
            If there are fewer than three contexts, or than senses asked for.
        """
        found = self.induction()
        labels = cut_into(found.agreement, number) if number else found.division()[0]
        pairs = zip(self.words_around(labels), self.substitute_names(labels), strict=True)
        names = SenseNames(around or instead for around, instead in pairs)
        return replace(found, labels=labels, number=len(names), names=names)

    def frequencies(self, column: str = "file", number: int = 0) -> SenseFrequencies:
        """Count the senses by a further column of the contexts, as `embeddings.analysis.sense_grouping.frequencies_by`."""
        return frequencies_by(self.contexts, self.senses(number=number).labels.tolist(), column)

    def explore(self, layer: int | None = None, vector: str = WORD) -> SavedAnswer:
        """Return the contexts on a map with their senses and sentences: ``.save("word.html")`` writes a file.

        The result is a page to look at. `map` and `senses` return its numbers, as a frame or JSON.

        Raises
        ------
        InputError
            As `senses` and `map`.
        """
        return self._drawn(self.map(layer, vector))

    def _drawn(self, layer_map: ContextMap) -> SavedAnswer:
        """Return a map with the senses and sentences of its points."""
        senses = self.senses()
        titles = [f"{n}: {', '.join(words[:3])}" for n, words in enumerate(senses.names, 1)]
        labels, said = senses.labels.tolist(), saved_labels("en")
        rows, points = [], []
        for row, (context, (x, y)) in enumerate(
            zip(self.contexts, layer_map.coordinates.tolist(), strict=True)
        ):
            start, end = context.positions[0] if context.positions else (0, 0)
            text, title = context.text, titles[labels[row]]
            rows.append(
                Row(str(row + 1), (None, (text[:start], text[start:end], text[end:]), title))
            )
            points.append(Point(str(row + 1), x, y, title))
        table = Table(said["contexts"], ("#", said["sentence"], said["sense"]), tuple(rows))
        source = Source((self.reader.network.name,), day=datetime.date.today().isoformat())
        figure = Scatter(said["contexts"], tuple(points), dict.fromkeys(titles, ""))
        return SavedAnswer(self.word, said["senses_question"], source, (table,), figure)

    @once
    def induction(self) -> SenseInduction:
        """Return the senses as `senses`, not named yet: by both models, or by the network alone."""
        sense_induction.check_enough(len(self.contexts), self.word)
        space = self.reader.companion
        found = sense_induction.induce_beside(self.sense_vectors(), self.beside, self.word, space)
        truncated = self.surrounding.truncated if space is None else self.itself.truncated
        return replace(found, truncated=int(truncated.sum()))

    def words_around(self, labels: Sequence[int] | Labels) -> SenseNames:
        """Return the words of the contexts that tell some senses apart, by the companion; none without one."""
        senses = np.asarray(labels, np.int64)
        if self.reader.companion is None:
            return SenseNames(((),) * (int(senses.max()) + 1))
        return sense_induction.telling_words(self.beside, senses, self.reader.companion)

    def substitute_names(self, labels: Sequence[int] | Labels) -> SenseNames:
        """Return the substitutes that tell some senses apart, with a companion words of the language alone.

        Without substitutes they are the words around that are commoner in a sense than elsewhere.
        """
        senses, language = np.asarray(labels, np.int64), self.reader.language
        if (substituted := self.naming_substitutes()) is None:
            return frequent_words(self.beside, senses, language)
        space, itself = self.reader.companion, {lemma_key(self.word, language)}
        close = None if space is None else sense_induction.closeness(self.beside, senses, space)
        number, located = int(senses.max()) + 1, senses[list(self.occurrences)]
        return telling_substitutes(substituted, located, number, language, itself, close)

    @once
    def naming_substitutes(self) -> Substitutes | None:
        """Return the substitutes by which senses are named; None without an MLM head, or if no context has the word."""
        places = list(self.occurrences.values())
        return naming_substitutes(self.reader.network, places) if places else None

    def substitutes(self, row: int, topn: int = SUBSTITUTES) -> Rows[Guess]:
        """Return what the network would put in the place of the word in one context, as senses are named, the likeliest first.

        Raises
        ------
        InputError
            If the network has no MLM head.
        """
        place = self.occurrences[row]
        best = substitutes(self.reader.network, [place], topn, NAMING)
        return Rows(best.guesses(0, topn))

    def neighbours(self, row: int, table: ContextTable, topn: int = 10) -> Rows[NearWord]:
        """Return the words of a table of type-averaged vectors nearest to the word in one context, each next to random words."""
        forms = forms_among(self.word, table.vectors.words, self.reader.language)
        baselines = self.reader.table_baselines(table)
        return Rows(near(table, self.itself.vectors[row], baselines, topn, forms))

    @property
    def occurrences(self) -> dict[int, Occurrence]:
        """Text and place of the word, by the row of each context that has it."""
        return located_words(self.contexts, self.reader.language)

    def sense_vectors(self) -> sense_induction.NetworkPart:
        """Return what senses are found by, at the last layer: the word less what its form brings; without a companion the words around."""
        name = self.reader.network.name
        if self.reader.companion is None:  # the words around, weighed by distance, do better
            weights = [sense_induction.word_weights(near, None) for near in self.surrounding.words]
            points = self.surrounding.means(weights)[:, -1]
            return sense_induction.NetworkPart(points, np.asarray(points.any(1)), name)
        places, last = self.occurrences, self.itself.vectors[:, -1]
        points, is_read = np.zeros_like(last), np.zeros(len(last), bool)
        if places:
            rows, forms = list(places), [text[slice(*span)] for text, span in places.values()]
            points[rows], is_read[rows] = normalize_rows(without_form(last[rows], forms)), True
        return sense_induction.NetworkPart(points, is_read, name)

    def _layer(self, layer: int | None, vector: str) -> int:
        """Return the layer asked for, from 0; the best one for None."""
        return self.best_layer(vector) if layer is None else check_layer(self.reader.network, layer)


def located_words(contexts: Sequence[Context], language: str) -> dict[int, Occurrence]:
    """Return text and first place of the word, by the row of each context that has it."""
    spans = {row: first_span(context, language) for row, context in enumerate(contexts)}
    return {row: (contexts[row].text, span) for row, span in spans.items() if span}


def frequent_words(contexts: Surroundings, labels: Int64s, language: str) -> SenseNames:
    """Return the words of each sense's contexts that are commoner there than in the others, by `most_telling`.

    A word of one context alone says nothing, nor does one of one or two letters.
    """
    closed, number = function_words(language), int(labels.max()) + 1
    counts: dict[str, Float64s] = {}
    for words, label in zip(contexts, labels, strict=True):
        for word in {word for one in words if len(word := one.word.lower()) > 2} - closed:
            counts.setdefault(word, np.zeros(number))[label] += 1
    ordered = dict(sorted(counts.items()))
    several = {word: of_senses > 1 for word, of_senses in counts.items()}
    return most_telling(ordered, labels, number, 0.01, several)

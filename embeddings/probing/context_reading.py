"""The states that a network has of the contexts of a word, whatever is then made of them: nothing is read twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.sense_induction import NetworkPart, WordSpace, word_weights
from embeddings.corpora.sense_contexts import Context
from embeddings.probing.anisotropy import blanked
from embeddings.probing.context_states import word_states
from embeddings.probing.form_centred_states import without_form
from embeddings.probing.network_with_tokenizer import Reader
from embeddings.probing.surrounding_states import (
    SurroundingStates,
    readable_words,
    states_around,
)
from embeddings.probing.text_states import keep_states
from embeddings.results import Report
from embeddings.results.induced_senses import SurroundingWord
from embeddings.results.word_contexts import WordStates
from embeddings.vectors.table import normalize_rows


@dataclass(frozen=True, slots=True, eq=False)
class ContextReading:
    """What a network has of the n contexts of a word.

    Attributes
    ----------
    name : str
        The network's.
    contexts : tuple of Context
    beside : tuple of tuple of SurroundingWord
        The words around in each.
    surrounding : SurroundingStates
        The states of those that the network reads together with the word.
    word : WordStates
        The states of the word itself.
    without_form : NDArray of float32, shape (n, hidden_size)
        Those of the last layer less what the word's form brings (`embeddings.probing.form_centred_states`), unit rows.
    """

    name: str
    contexts: tuple[Context, ...]
    beside: tuple[tuple[SurroundingWord, ...], ...]
    surrounding: SurroundingStates
    word: WordStates
    without_form: NDArray[np.float32]

    def around(self, space: WordSpace | None, *, alone: bool = False) -> WordStates:
        """Return the vectors of the contexts by the words around, as `embeddings.probing.surrounding_states.context_states`."""
        words = [context.word for context in self.contexts]
        return states_around(self.beside, self.surrounding, words, space, alone=alone)

    def sense_vectors(self, *, alone: bool) -> NetworkPart:
        """Return what senses are found by, at the last layer: the word itself less what its form brings, or the words around.

        ``alone``: no static model stands beside; the words around, weighed by distance, then tell senses better.
        """
        if alone:
            weights = [word_weights(near, None) for near in self.surrounding.words]
            points = self.surrounding.means(weights)[:, -1]
            return NetworkPart(points, np.asarray(points.any(1)), self.name)
        return NetworkPart(self.without_form, np.ones(len(self.contexts), bool), self.name)


def read_contexts_of(
    reader: Reader,
    contexts: Sequence[Context],
    beside: Sequence[Sequence[SurroundingWord]],
    language: str,
) -> ContextReading:
    """Read the contexts of a word, which stands at the first of their positions.

    Parameters
    ----------
    reader : Reader
    contexts : sequence of Context
    beside : sequence of sequence of SurroundingWord
        The words around in each (`embeddings.corpora.sense_contexts.surroundings`).
    language : str
        "en", "ru" or "de".

    Raises
    ------
    InputError
        As `embeddings.probing.context_states.word_states`.
    """
    readable = readable_words(reader, contexts, beside, language)
    around = len(readable.occurrences)
    places = [(context.text, context.positions[0]) for context in contexts]
    read = word_states(reader, [*readable.occurrences, *places])
    word = WordStates(
        read.vectors[around:].copy(),
        read.truncated[around:],
        read.unknown[around:],
        read.tokens[around:],
    )
    forms = [context.text[slice(*context.positions[0])] for context in contexts]
    return ContextReading(
        reader.name,
        tuple(contexts),
        tuple(map(tuple, beside)),
        readable.states(read.vectors[:around]),
        word,
        normalize_rows(without_form(word.vectors[:, -1], forms)),
    )


def read_ahead(
    reader: Reader, contexts: Sequence[Context], others: Sequence[str], report: Report
) -> None:
    """Read into the reader's cache the texts that `read_contexts_of` asks for, and other texts; each once, with its progress.

    What is asked afterwards finds their states kept. Without a cache nothing is done.
    """
    if reader.cache is None:
        return
    last = reader.config.num_hidden_layers
    texts = [*(context.text for context in contexts), *others]
    asked = [(reader.wordpiece.encode(text), tuple(range(last + 1))) for text in texts]
    if reader.network.tokens is not None:  # substitutes name the senses
        places = [(context.text, context.positions[0]) for context in contexts]
        blanks = blanked(reader, places)
        asked += [(reader.wordpiece.encode(text), (last,)) for text, _ in blanks]
    keep_states(reader, asked, report)

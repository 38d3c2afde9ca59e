"""The word's own state in each of its contexts, less what its form brings: what is left tells more of the sense.

    c_l = unit(r_l - mean of all r_l),  r_l = h_l - m_l - n / (n + 2) * (f_l - m_l)

with h_l the state of the word at layer l, m_l its mean over all contexts, f_l the mean over the n contexts that have the word in the same
form (capitals do not count), unit(x) = x / |x|. The state of an inflected word says much of its case and number. A form that comes once
keeps two thirds of what sets it apart, one that comes twenty times a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.corpora.sense_contexts import Context
from embeddings.probing.context_states import word_states
from embeddings.probing.network import Network
from embeddings.probing.surrounding_states import first_span
from embeddings.results.sentence_answers import WordStates
from embeddings.vectors.table import normalize_rows

HELD = 2  # contexts that the mean of a form is held against


def form_centred_states(reader: Network, contexts: Sequence[Context], language: str) -> WordStates:
    """Return the word's states less the mean of its form, unit rows; zero where the word is not in its context.

    Parameters
    ----------
    reader : Network
        The network.
    contexts : sequence of Context
        Of one word.
    language : str
        "en", "ru" or "de".

    Returns
    -------
    WordStates
        ``vectors`` of shape (n, layers + 1, hidden_size); ``tokens`` are those of the word.
    """
    count, config = len(contexts), reader.config
    vectors = np.zeros((count, config.num_hidden_layers + 1, config.hidden_size), np.float32)
    truncated, unknown = np.zeros(count, bool), np.zeros(count, bool)
    tokens: list[tuple[str, ...]] = [()] * count
    placed = {
        row: span for row, context in enumerate(contexts) if (span := first_span(context, language))
    }
    if placed:
        rows = list(placed)
        states = word_states(reader, [(contexts[row].text, placed[row]) for row in rows])
        rest = without_form(
            states.vectors, [contexts[row].text[slice(*placed[row])] for row in rows]
        )
        vectors[rows] = normalize_rows(rest)
        truncated[rows], unknown[rows] = states.truncated, states.unknown
        for row, of_word in zip(rows, states.tokens, strict=True):
            tokens[row] = of_word
    return WordStates(vectors, truncated, unknown, tuple(tokens))


def without_form(states: NDArray[np.float32], forms: Sequence[str]) -> NDArray[np.float32]:
    """Subtract the mean of all states, of the rest the mean of each form, shrunk as if by `HELD` contexts, and the mean again."""
    rest = states - states.mean(0)
    keys = [form.lower() for form in forms]
    _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), *rest.shape[1:]), np.float32)
    np.add.at(sums, groups, rest)
    shares = (counts + HELD).astype(np.float32).reshape(-1, *[1] * (rest.ndim - 1))
    rest = rest - (sums / shares)[groups]
    return np.asarray(rest - rest.mean(0), np.float32)

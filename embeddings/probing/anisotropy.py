"""Random words and blanks as a network reads them: what any two have in common (`embeddings.analysis.context_separation`).

The blank in a word's place: what the network expects there before it sees the word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.analysis.context_separation import baseline_of
from embeddings.configuration import check_range
from embeddings.errors import InputError
from embeddings.probing.context_states import Occurrence, word_states
from embeddings.probing.network import Network, mask_name
from embeddings.results.sentence_answers import Baseline
from embeddings.text.word_positions import words_at


def random_words(
    texts: Sequence[str], words: int = 5, seed: int = 1
) -> tuple[list[Occurrence], list[int]]:
    """Draw words of some sentences, and tell which sentence each is of, numbered from 0.

    Parameters
    ----------
    texts : sequence of str
        At least two sentences with words, as those of ``data/contexts``.
    words : int, default 5
        Words drawn from a sentence, without replacement; fewer if it has fewer.
    seed : int, default 1
        Of the drawing.

    Raises
    ------
    InputError
        If fewer than two of the texts hold a word.
    """
    check_range("words", words, 1, 10_000)
    generator = np.random.default_rng(seed)
    chosen: list[Occurrence] = []
    owners: list[int] = []
    for text in texts:
        spans = [(start, end) for _, start, end in words_at(text)]
        drawn = generator.permutation(len(spans))[:words]
        chosen += [(text, spans[i]) for i in drawn]
        owners += [owners[-1] + 1 if owners else 0] * len(drawn)
    if not owners or owners[-1] < 1:
        raise InputError("baseline_few", texts=len(texts))
    return chosen, owners


def blanked(reader: Network, contexts: Sequence[Occurrence]) -> list[Occurrence]:
    """Write the network's mask into the place of each word; the span is then the mask's."""
    mask = mask_name(reader)
    return [
        (text[:start] + mask + text[end:], (start, start + len(mask)))
        for text, (start, end) in contexts
    ]


def blank_baseline(reader: Network, texts: Sequence[str], seed: int = 1) -> Baseline:
    """Blank one random word of each text: what any two blanks have in common at each layer.

    b_l = (|sum_i u_i|^2 - n) / (n (n - 1)), u_i the unit vectors of the n blanks.

    Parameters
    ----------
    reader : Network
    texts : sequence of str
        At least two sentences with words.
    seed : int, default 1
        Of the drawing.

    Raises
    ------
    InputError
        If fewer than two of the texts hold a word.
    """
    generator = np.random.default_rng(seed)
    chosen: list[Occurrence] = []
    for text in texts:
        spans = [(start, end) for _, start, end in words_at(text)]
        if spans:
            chosen.append((text, spans[int(generator.integers(len(spans)))]))
    if len(chosen) < 2:
        raise InputError("baseline_few", texts=len(texts))
    return baseline_of(word_states(reader, blanked(reader, chosen)).vectors, range(len(chosen)))

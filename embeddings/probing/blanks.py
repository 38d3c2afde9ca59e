"""The blank in a word's place: what the network expects there before it sees the word.

Its state knows the sentence alone. At layer 0 all blanks are one token and differ by position only, whatever form the word
has: a static vector in the full sense, from which the layers make many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.errors import InputError
from embeddings.probing.baseline import baseline_of
from embeddings.probing.places import Occurrence
from embeddings.probing.reader import Reader
from embeddings.probing.states import word_states
from embeddings.probing.vocabulary import mask_name
from embeddings.results.likeness import Baseline
from embeddings.text.occurrences import words_at


def blanked(reader: Reader, contexts: Sequence[Occurrence]) -> list[Occurrence]:
    """Write the network's mask into the place of each word; the span is then the mask's."""
    mask = mask_name(reader)
    return [
        (text[:start] + mask + text[end:], (start, start + len(mask)))
        for text, (start, end) in contexts
    ]


def blank_baseline(reader: Reader, texts: Sequence[str], seed: int = 1) -> Baseline:
    """Blank one random word of each text: what any two blanks have in common at each layer.

    b_l = (|sum_i u_i|^2 - n) / (n (n - 1)), u_i the unit vectors of the n blanks.

    Parameters
    ----------
    reader : Reader
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

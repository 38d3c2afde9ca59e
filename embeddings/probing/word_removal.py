"""What each word does for a guess at a blank: the guess with that word masked too, next to the attention that it gets.

Attention is often read as an explanation; leaving a word out says what it changes. The two need not agree
(Jain and Wallace 2019, section 4.1.1).
"""

from __future__ import annotations

import math
import re

import numpy as np
from scipy.stats import spearmanr

from embeddings.errors import InputError
from embeddings.probing.attention_maps import word_level
from embeddings.probing.attention_weights import attention
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import MASK, Network
from embeddings.results.word_contexts import WordRemovals

WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")


def word_removals(reader: Network, text: str, word: str) -> WordRemovals:
    """Return by how much log p(word) at the blank falls when each other word is masked, and the blank's attention to it.

    Parameters
    ----------
    reader : Network
        A network with its MLM head.
    text : str
        One sentence with exactly one [MASK] and at least two more words.
    word : str
        Of the network's vocabulary.

    Raises
    ------
    InputError
        If there is no or more than one [MASK], fewer than two words next to it, or ``word`` is not in the vocabulary.

    References
    ----------
    Jain and Wallace (2019), "Attention is not Explanation", section 4.1.1: leave-one-out compared with attention.
    """
    spans = [match.span() for match in WORD.finditer(text.replace(MASK, " " * len(MASK)))]
    if text.count(MASK) != 1 or len(spans) < 2:
        raise InputError("removal_text", masks=text.count(MASK), words=len(spans))
    blank = text.index(MASK)
    whole = _log_probability(reader, text, word, 0)
    effects = [
        whole - _log_probability(reader, text[:start] + MASK + text[end:], word, int(start < blank))
        for start, end in spans
    ]
    weights = _attention_from(reader, text, blank, spans)
    correlation = float(spearmanr(effects, weights).statistic)
    words = tuple(text[start:end] for start, end in spans)
    return WordRemovals(text, word, words, np.array(effects), np.array(weights), correlation)


def _log_probability(reader: Network, text: str, word: str, mask: int) -> float:
    """Return log p of a word at one of the masks of a text, nats."""
    requested = fill(reader, text, 1, words=(word,)).masks[mask].requested
    if not requested:
        raise InputError("removal_word", word=word)
    return math.log(requested[0].probability)


def _attention_from(
    reader: Network, text: str, blank: int, spans: list[tuple[int, int]]
) -> list[float]:
    """Return the mean weight over layers and heads from the blank to the words at ``spans``."""
    shown = word_level(attention(reader, text))
    offsets = shown.to_side.offsets
    row = next(i for i, (start, end) in enumerate(offsets) if start <= blank < end)
    weights = shown.weights[:, :, row].mean((0, 1))
    return [
        float(
            sum(weights[i] for i, (a, b) in enumerate(offsets) if start <= a and b <= end and a < b)
        )
        for start, end in spans
    ]

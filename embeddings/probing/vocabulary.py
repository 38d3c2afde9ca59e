"""The vocabulary of a network as words: which tokens stand for a whole word, what the mask is called."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.probing.reader import Reader

MASK = "[MASK]"  # what people write, whatever the tokenizer calls it
_HEAD = "▁"  # begins a word in SentencePiece vocabularies, as ALBERT's from elsewhere


@lru_cache(maxsize=4)
def token_names(reader: Reader) -> tuple[str, ...]:
    """All tokens in the order of their ids."""
    return reader.wordpiece.words


@lru_cache(maxsize=4)
def whole_words(reader: Reader) -> NDArray[np.bool_]:
    """Which rows of the network's output are whole words of letters, shape (vocab_size,).

    Tails (##), signs, digits, special tokens and rows without a token are not.
    """
    names = token_names(reader)
    headed = any(name.startswith(_HEAD) for name in names)
    found = np.zeros(reader.config.vocab_size, bool)
    for row, name in enumerate(names):
        word = name.removeprefix(_HEAD)
        found[row] = word.isalpha() and (not headed or name != word)
    return found


def mask_name(reader: Reader) -> str:
    """Return what the tokenizer calls its mask: [MASK], elsewhere <mask>."""
    return str(reader.wordpiece.tokenizer.id_to_token(reader.wordpiece.mask_id))

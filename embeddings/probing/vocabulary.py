"""The vocabulary of a network as words: which tokens stand for a whole word, what the mask is called."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.probing.reader import Reader
from embeddings.text.byte_names import HEAD
from embeddings.text.wordpiece import Tokens

MASK = "[MASK]"  # what people write, whatever the tokenizer calls it


@lru_cache(maxsize=4)
def token_names(reader: Reader) -> tuple[str, ...]:
    """All tokens in the order of their ids."""
    return reader.wordpiece.words


@lru_cache(maxsize=4)
def whole_words(reader: Reader, *, unspaced: bool = False) -> NDArray[np.bool_]:
    """Which rows of the network's output are whole words of letters, shape (vocab_size,).

    Tails (##), signs, digits, special tokens and rows without a token are not. In a vocabulary that marks beginnings (▁)
    only marked ones are; ``unspaced``: only those without, which stand where no space is before.
    """
    names = token_names(reader)
    headed = any(name.startswith(HEAD) for name in names)
    found = np.zeros(reader.config.vocab_size, bool)
    for row, name in enumerate(names):
        word = name.removeprefix(HEAD)
        found[row] = word.isalpha() and (not headed or (name == word) == unspaced)
    return found


@lru_cache(maxsize=4)
def candidates(reader: Reader) -> NDArray[np.bool_]:
    """Which rows of the network's output can stand in a text, shape (vocab_size,): all tokens but the special ones."""
    piece = reader.wordpiece
    found = np.arange(reader.config.vocab_size) < len(token_names(reader))
    found[[piece.pad_id, piece.unk_id, piece.cls_id, piece.sep_id, piece.mask_id]] = False
    for row, token in piece.tokenizer.get_added_tokens_decoder().items():
        found[row] &= not token.special
    return found


def unknown_parts(reader: Reader, tokens: Tokens, texts: tuple[str, str]) -> tuple[str, ...]:
    """Return what [UNK] stands for in a text and its second sentence, each once."""
    places = zip(tokens.ids, tokens.offsets, tokens.segments, strict=True)
    found = [texts[s][a:b] for i, (a, b), s in places if i == reader.wordpiece.unk_id]
    return tuple(dict.fromkeys(found))


def mask_name(reader: Reader) -> str:
    """Return what the tokenizer calls its mask: [MASK], elsewhere <mask>."""
    return str(reader.wordpiece.tokenizer.id_to_token(reader.wordpiece.mask_id))

"""Where a word stands among the tokens of its text; a text that is too long is cut around it."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.errors import InputError
from embeddings.probing.network_with_tokenizer import Reader
from embeddings.text.wordpiece import Tokens

Occurrence = tuple[
    str, tuple[int, int]
]  # a text, and the first and past-the-last character of a word


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A text as the network reads it, and the ``positions`` of the word's tokens in it.

    ``truncated``: the text was longer than the network takes.
    """

    tokens: Tokens
    positions: tuple[int, ...]
    truncated: bool


def token_span(
    reader: Reader, text: str, span: tuple[int, int], read: Tokens | None = None
) -> TokenSpan:
    """Find the tokens of ``text[start:end]``, in a text cut around them to what the network takes.

    ``read``: the text's tokens, where they are known already.

    Raises
    ------
    InputError
        If the text is empty, the span lies outside it, or the word gives no token.
    """
    start, end = span
    if not text.strip():
        raise InputError("occurrence_empty")
    if not 0 <= start < end <= len(text):
        raise InputError(
            "occurrence_span", start=start, end=end, length=len(text), text=shortened(text)
        )
    tokens = read or reader.wordpiece.encode(text)
    positions = tokens.covering(start, end)
    if not positions:
        raise InputError("occurrence_no_token", word=text[start:end], text=shortened(text))
    if len(tokens.ids) <= reader.longest:
        return TokenSpan(tokens, positions, truncated=False)
    room = reader.longest - 2  # between [CLS] and [SEP]
    middle = (positions[0] + positions[-1] + 1) // 2
    first = min(max(1, middle - room // 2), len(tokens.ids) - 1 - room)
    window = (0, *range(first, first + room), len(tokens.ids) - 1)
    new = {old: position for position, old in enumerate(window)}
    return TokenSpan(
        Tokens(
            tuple(tokens.ids[i] for i in window),
            tuple(tokens.tokens[i] for i in window),
            tuple(tokens.offsets[i] for i in window),
            tuple(tokens.segments[i] for i in window),
        ),
        tuple(new[i] for i in positions if i in new),
        truncated=True,
    )


def shortened(text: str) -> str:
    """Return the beginning of a text, for a sentence on screen."""
    return text if len(text) <= 60 else text[:59] + "…"

"""Tokens of a byte-level vocabulary (GPT-2, RoBERTa) as people read them.

Such a vocabulary writes each byte as a letter: printable Latin-1 as itself, the others as the letters from U+0100 on
(Radford et al. 2019), so that «Ðº» is the Russian к.
"""

from __future__ import annotations

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(256 + n): b for n, b in enumerate(_OTHERS)}
HEAD = "▁"  # a space, as SentencePiece vocabularies write it


def readable(token: str) -> str:
    """Return a token of bytes as text, a space as ▁; one that is no text, as a part of a letter, by its bytes.

    Examples
    --------
    >>> [readable(token) for token in ("ĠÐºÐ»ÑİÑĩ", "Ð")]
    ['▁ключ', '<0xD0>']
    """
    if not all(letter in BYTES for letter in token):  # not of this kind
        return token
    held = bytes(BYTES[letter] for letter in token)
    text = held.decode("utf-8", errors="replace").replace(" ", HEAD)
    is_text = text.isprintable() and "\N{REPLACEMENT CHARACTER}" not in text
    return text if is_text else "".join(f"<0x{byte:02X}>" for byte in held)

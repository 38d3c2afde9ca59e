"""Senses of a word as a static model keeps them: a vector each, a name, a share of the uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WordSense:
    """One sense of a word.

    Attributes
    ----------
    word : str
        As it is asked for: ``ключ#2``.
    number : int
        From 1, by falling share.
    name : tuple of str
        Words near this sense and not near the others: родник, вода.
    share : float
        Of the word's uses in the corpus, in (0, 1].
    examples : tuple of str
        Sentences of the corpus, if some were to be kept: words as they were encoded.
    """

    word: str
    number: int
    name: tuple[str, ...]
    share: float
    examples: tuple[str, ...] = ()

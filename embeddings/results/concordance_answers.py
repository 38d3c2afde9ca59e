"""What a search in a concordance finds: lines, and the words that stand by the word more often than chance."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.results.word_contexts import ConcordanceLine, WordForm


@dataclass(frozen=True, slots=True)
class ConcordanceAnswer:
    """Lines that a search finds.

    Attributes
    ----------
    lines : tuple of ConcordanceLine
        In the order asked for; the first span of each is the word.
    forms : tuple of WordForm
        Of the word, the commonest first.
    examined : int
        Paragraphs that were looked at.
    is_complete : bool
        Whether these are all paragraphs that could have it; else they are spread evenly over the corpus.
    """

    lines: tuple[ConcordanceLine, ...]
    forms: tuple[WordForm, ...]
    examined: int
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Collocate:
    """A word that stands by another.

    Attributes
    ----------
    word : str
    together : int
        Paragraphs in which the two stand within the window.
    paragraphs : int
        Paragraphs of the corpus that have the word.
    log_likelihood : float
        Dunning's G², signed: negative where they stand together less often than chance would give.
    log_dice : float
        14 + log2 of the Dice coefficient; at most 14.
    """

    word: str
    together: int
    paragraphs: int
    log_likelihood: float
    log_dice: float

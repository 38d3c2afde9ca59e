"""Contexts: a word and the sentences that are read, wherever they come from."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from app.loaders.context_answers import Occurrence, Sense
from embeddings.corpora.sense_contexts import Context

EXAMPLE_WORDS = {"en": "bank", "ru": "ключ", "de": "Schloss"}  # in a lesson, and to be searched for
FIRST_WORDS = {
    "en": "rock",
    "ru": "ключ",
    "de": "Bank",
}  # the network separates their attested senses
HARD_WORDS = {"en": "bank", "ru": "мир", "de": "Schloss"}  # adjusted Rand index below 0.5
MAX_OCCURRENCES = 400  # occurrences that the page reads


@dataclass(frozen=True)
class ChosenContexts:
    """A word and its contexts, one occurrence each; ``places`` says where a line is from."""

    word: str
    source: str
    contexts: tuple[Context, ...]
    places: tuple[str, ...] = ()
    cut: tuple[bool, ...] = ()
    senses: Mapping[str, Sense] = field(default_factory=dict)

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Text and span of the word in each context, as the network is asked."""
        return tuple((context.text, context.positions[0]) for context in self.contexts)

    @property
    def is_annotated(self) -> bool:
        """Whether every context has its sense annotated."""
        return all(context.gold for context in self.contexts)

    @property
    def key(self) -> str:
        """What these contexts are known by: word, texts, positions and the senses that a file gives, in their order."""
        whole = repr([(c.word, c.text, c.positions, c.predicted) for c in self.contexts])
        return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]

    def without(self, numbers: Collection[str]) -> ChosenContexts:
        """Return all but some contexts, given by their numbers from 1."""
        rows = [row for row in range(len(self.contexts)) if str(row + 1) not in numbers]
        return replace(
            self,
            contexts=tuple(self.contexts[row] for row in rows),
            places=tuple(self.places[row] for row in rows) if self.places else (),
            cut=tuple(self.cut[row] for row in rows) if self.cut else (),
        )

    @property
    def attested_rows(self) -> tuple[int, ...]:
        """The contexts whose annotated sense the corpora attest often enough."""
        return tuple(row for row in range(len(self.contexts)) if self.is_attested(row))

    @property
    def unattested_rows(self) -> list[int]:
        """The contexts whose annotated sense the corpora do not attest often enough."""
        return sorted(set(range(len(self.contexts))) - set(self.attested_rows))

    def is_attested(self, row: int) -> bool:
        """Whether the corpora attest the annotated sense of a context often enough."""
        sense = self.senses.get(self.contexts[row].gold)
        return sense is None or sense.attested


def bracketed(context: Context, around: int | None = None) -> str:
    """Return a context as plain text with the occurrence in brackets, cut to so many characters on either side.

    Examples
    --------
    >>> bracketed(Context("1", "bank", "", "", ((6, 10),), "Bank, bank!"))
    'Bank, [bank]!'
    """
    text, (start, end) = context.text, context.positions[0]
    before, after = text[:start], text[end:]
    if around is not None:
        before = before if len(before) <= around else f"…{before[-around:]}"
        after = after if len(after) <= around else f"{after[:around]}…"
    return f"{before}[{text[start:end]}]{after}"

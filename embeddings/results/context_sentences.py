"""Sentences in which a word stands by a context, and which text they come from."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.results.word_contexts import ConcordanceLine

TRAINED, OTHER, UNKNOWN = "trained", "other", "unknown"
"""Of a text beside a model: it is the model's training corpus or a part of it; another one; nothing is recorded by which to tell."""


@dataclass(frozen=True, slots=True)
class ContextSentence:
    """A line with ``word``; ``context`` is the context word near it, "" where the line has the word alone."""

    word: str
    context: str
    line: ConcordanceLine

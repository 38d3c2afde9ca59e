"""A list of frequencies that is wanted: what counts as a word, how rare it may be, where the list goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from embeddings.configuration import check_fields, setting
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.text.lemmas import LANGUAGES


@dataclass(frozen=True, slots=True)
class FrequencyList:
    """A file of words with their counts: ``path``, and ``config`` with what a word is and how rare it may be."""

    path: Path
    config: EncodingConfig


@dataclass(frozen=True, slots=True)
class FrequencyConfig:
    """What is counted as a word of a list of frequencies."""

    min_count: int = setting(
        1, "With --frequencies: rarer words are left out of the list.", 1, 2**40
    )
    lower: bool = setting(
        True, "With --frequencies: lower-case all words.", flag="--lower/--keep-case"
    )
    lemmas: str = setting(
        "",
        "With --frequencies: count lemmas in this language: en, ru, de, fr, uk and 49 more.",
        choices=("", *LANGUAGES),
    )

    def __post_init__(self) -> None:
        check_fields(self)

    def list_in(self, path: Path) -> FrequencyList:
        """Return the list in a file, of the words that a corpus encoded so would have."""
        config = EncodingConfig(min_count=self.min_count, lower=self.lower, lemmas=self.lemmas)
        return FrequencyList(path, config)

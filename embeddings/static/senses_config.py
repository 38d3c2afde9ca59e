"""The settings by which senses of words are found."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.configuration import check_fields, setting
from embeddings.text.lemmas import LANGUAGES


@dataclass(frozen=True, slots=True)
class SensesConfig:
    """How senses are found."""

    lemmas: str = setting(
        "",
        "Forms of a lemma in this language share their senses: en, ru, de, fr, uk and 49 more.",
        choices=("", *LANGUAGES),
    )
    window: int = setting(15, "Words on either side that make a context.", 1, 255)
    min_uses: int = setting(200, "Minimum count of a word with several senses.", 10, 10**9)
    contexts: int = setting(
        1000, "Largest number of contexts of a word that are clustered.", 20, 100_000
    )
    clusters: int = setting(16, "Clusters at first.", 2, 100)
    max_cosine_of_senses: float = setting(
        0.27, "The mean contexts of two senses have a cosine below this.", -1, 1, former="--apart"
    )
    share: float = setting(0.03, "Minimum share of a sense in a word's uses.", 0, 0.5)
    max_repeats: int = setting(
        0,
        "Largest weight, in contexts, of contexts that repeat each other; 0: each counts.",
        0,
        100_000,
        former="--alike",
    )
    words: int = setting(
        0, "Largest number of words, those whose uses differ most; 0: all.", 0, 10**6
    )
    max_share: float = setting(
        1e-3, "A word with a larger share of the text keeps one sense.", 0, 1, former="--common"
    )
    function_word_bits: float = setting(
        0.0,
        "Bits of residual inverse document frequency below which a word is a function word and keeps one sense; 0: no word is.",
        0,
        10,
        former="--content",
    )
    function_word_bits_nearby: float = setting(
        0.0,
        "Bits below which a word near a sense counts as a function word; 0: the value of --function-word-bits.",
        0,
        10,
        former="--among",
    )
    min_coherence: float = setting(
        0.0,
        "Minimum mean cosine of two contexts of a sense; other senses are dissolved.",
        0,
        1,
        former="--coherent",
    )
    merge_above_cosine: float = setting(
        1.0,
        "The vectors of two senses have a cosine below this; others are merged.",
        -1,
        1,
        former="--distinct",
    )
    region_balance: float = setting(
        0.0,
        "How evenly uses are taken from all parts of the text: 0: as they are, 1: equally many from each part.",
        0,
        1,
        former="--evenness",
    )
    examples: int = setting(3, "Example sentences of each sense; 0: none.", 0, 20)
    seed: int = setting(1, "Seed of the random numbers.", 0, 2**31 - 1)
    workers: int = setting(2, "Threads.", 1, 256)

    def __post_init__(self) -> None:
        check_fields(self)

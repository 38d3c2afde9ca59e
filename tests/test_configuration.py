"""Settings out of range or not known are refused in words that a person can act on."""

import math
from dataclasses import fields

import pytest

from embeddings.configuration import (
    CheckedConfig,
    Reach,
    check_choice,
    check_range,
    describe,
    from_json,
    reach_of,
    setting,
    setting_like,
)
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.sentence_sampling import TableConfig
from embeddings.errors import FormatError, InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.static.context_counting import ContextConfig
from embeddings.static.cooccurrence import CooccurrenceConfig
from embeddings.static.fasttext import FastTextConfig
from embeddings.static.glove import GloveConfig
from embeddings.static.settings import AveragingConfig, SensesConfig, SpreadConfig, Word2VecConfig
from embeddings.training.classification.fine_tuning_run import ClassificationTraining
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.translation.translation_run import TranslationTraining


@pytest.mark.parametrize("value", [1, 7, 1e300, math.inf])
def test_a_bound_can_be_open_above(value):
    check_range("topn", value, 1, math.inf)


@pytest.mark.parametrize(
    ("value", "high", "sentence"),
    [
        (0, 9, r"topn=0 is out of range: it must lie between 1 and 9\."),
        (10, 9, r"topn=10 is out of range: it must lie between 1 and 9\."),
        (math.nan, 9, r"topn=nan is out of range: it must lie between 1 and 9\."),
        (0, math.inf, r"topn=0 is out of range: it must be at least 1\."),
        (math.nan, math.inf, r"topn=nan is out of range: it must be at least 1\."),
    ],
)
def test_what_lies_outside_is_told_its_bounds(value, high, sentence):
    with pytest.raises(InputError, match=sentence):
        check_range("topn", value, 1, high)


def test_the_empty_choice_can_be_read():
    with pytest.raises(InputError, match=r'fr is not known\. Choose one of: "", en, ru'):
        check_choice("lemmas", "fr", ("", "en", "ru"))


class Baking(CheckedConfig):
    minutes: int = setting(30, "Minutes in the oven.", 1, 90, reach=Reach(1, 9, 10))
    flour: str = setting("rye", "What the bread is of.", choices=("rye", "wheat"))
    loaves: int = setting(1, "Loaves.", 1)
    salted: bool = setting(True, "With salt.")


class Slow(Baking):
    minutes: int = setting_like(Baking, "minutes", 80)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"minutes": 91}, "minutes=91 is out of range: it must lie between 1 and 90"),
        ({"loaves": 0}, "loaves=0 is out of range: it must be at least 1"),
        ({"flour": "oats"}, "flour=oats is not known. Choose one of: rye, wheat"),
    ],
)
@pytest.mark.parametrize("kind", [Baking, Slow])
def test_a_config_is_held_to_the_bounds_of_its_fields(kind, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        kind(**settings)


def test_a_setting_like_another_has_its_bounds_its_help_and_a_default_of_its_own():
    assert Slow().minutes == 80
    assert reach_of(Slow, "minutes") == Reach(1, 9, 10)
    assert [describe(known) for known in fields(Slow)] == [
        "Minutes in the oven; 1 to 90.",
        "What the bread is of.",
        "Loaves; at least 1.",
        "With salt.",
    ]


CONFIGS = (
    *(EncodingConfig, TableConfig, DecodingConfig, ContextConfig, GloveConfig),
    *(CooccurrenceConfig, Word2VecConfig, FastTextConfig, AveragingConfig, SensesConfig),
    *(SpreadConfig, ClassificationTraining, PretrainingConfig, TranslationTraining),
)
BOUNDED = [(kind, known.name) for kind in CONFIGS for known in fields(kind) if "low" in known.metadata]  # fmt: skip


@pytest.mark.bookkeeping
@pytest.mark.parametrize(("kind", "name"), BOUNDED)
def test_a_setting_beyond_its_bounds_is_named(kind, name):
    """The bounds themselves: docs/cli.md."""
    bounds = kind.__dataclass_fields__[name].metadata
    beyond = [bounds["low"] - 1, math.nan]
    beyond += [bounds["high"] * 2] if math.isfinite(bounds["high"]) else []
    for value in beyond:
        with pytest.raises(InputError, match=f"^{name}={value} is out of range"):
            kind(**{name: value})


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        (FastTextConfig, {"min_n": 4, "max_n": 3}, "max_n=3 is out of range: it must lie between 4 and 20"),
        (FastTextConfig, {"min_alpha": 1.0}, "min_alpha=1.0 is out of range"),
        (Word2VecConfig, {"alpha": 0.025, "min_alpha": 0.5}, "min_alpha=0.5 is out of range"),
        (Word2VecConfig, {"alpha": 0.0}, "alpha=0.0 is out of range"),
        (ClassificationTraining, {"pooling": "max"}, "pooling=max is not known"),
        (EncodingConfig, {"lemmas": "xx"}, 'lemmas=xx is not known. Choose one of: "", en, ru, de'),
    ],
)  # fmt: skip
def test_a_setting_is_held_to_another_one_and_to_its_choices(kind, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        kind(**settings)


@pytest.mark.parametrize("key", ["wide", ""])
def test_a_setting_that_is_not_known_is_refused_also_without_a_name(key):
    with pytest.raises(FormatError, match="Known are: sg") as raised:
        from_json(Word2VecConfig, {"window": 5, key: 5})
    assert raised.value.fields["key"] == key

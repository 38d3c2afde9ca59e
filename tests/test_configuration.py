"""Settings out of range or not known are refused in words that a person can act on."""

import math

import pytest

from embeddings.configuration import check_choice, check_range
from embeddings.errors import InputError


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

"""Sizes as a person reads them."""

import pytest

from app.wording import wording


@pytest.mark.parametrize(
    ("language", "written"), [("en", "1.2 kB"), ("ru", "1,2 КБ"), ("de", "1,2 kB")]
)
def test_a_small_text_is_not_nothing(language, written):
    assert wording(language).size(1234) == written

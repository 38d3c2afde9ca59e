"""The small corpus, made once a file."""

import pytest

from tests.pretraining.small_corpora import small_corpus


@pytest.fixture(scope="module")
def corpus():
    return small_corpus()

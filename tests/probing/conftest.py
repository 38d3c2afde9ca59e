"""A small BERT, opened."""

import pytest

from embeddings.probing.network import open_reader


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)

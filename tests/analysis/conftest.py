"""Five words whose analogies are known."""

import numpy as np
import pytest

from embeddings import Vectors


@pytest.fixture
def royal():
    words = ["man", "woman", "king", "queen", "apple"]
    rows = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, -1]]
    return Vectors(words, np.array(rows, np.float32), np.array([9, 8, 7, 6, 5]))

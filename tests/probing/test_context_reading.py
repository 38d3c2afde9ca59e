"""What a network reads in contexts at once is what each question alone would have it read."""

import numpy as np
import pytest

from embeddings.corpora.sense_contexts import Context
from embeddings.probing.context_states import word_states
from embeddings.probing.contexts import ContextReader
from embeddings.probing.network import whole_words
from embeddings.probing.substitutes import naming_substitutes, substitutes
from embeddings.probing.surrounding_states import context_states
from tests.probing.conftest import occurrence

TEXTS = (
    "She opened a savings account at the bank on the corner.",
    "The bank refused to lend the farmer any more money.",
    f"{'They sat and watched the boats. ' * 12}Willows grew along the bank of the river.",
)


PLACES = [occurrence(text, "bank") for text in TEXTS]


@pytest.fixture(scope="module")
def contexts():
    return [Context(str(n), "bank", "", "", (s,), text) for n, (text, s) in enumerate(PLACES)]


@pytest.fixture(scope="module")
def reading(reader, contexts):
    return ContextReader(reader, "en").read(contexts)


def test_words_around_and_the_word_are_those_of_two_readings(reader, contexts, reading):
    around = context_states(reader, contexts, "en")
    word = word_states(reader, PLACES)
    np.testing.assert_allclose(reading.states("around").vectors, around.vectors, atol=1e-4)
    np.testing.assert_allclose(reading.itself.vectors, word.vectors, atol=1e-4)
    assert reading.itself.truncated.tolist() == word.truncated.tolist() == [False, False, True]
    assert reading.states("around").tokens == around.tokens
    assert reading.itself.tokens == word.tokens


def test_naming_substitutes_are_of_the_word_in_each_context(reader):
    naming = naming_substitutes(reader, PLACES)
    topn = naming.ids.shape[1]
    assert topn == min(200, whole_words(reader).sum())
    alone = substitutes(reader, PLACES, topn, 0.5)
    np.testing.assert_allclose(naming.probabilities, alone.probabilities, rtol=1e-3, atol=1e-7)


def test_senses_are_found_by_the_words_around_where_no_companion_stands_beside(
    reader, contexts, reading, space
):
    part = reading.sense_vectors()
    assert part.name == reader.name
    assert part.is_read.tolist() == [True, True, True]
    np.testing.assert_allclose(np.linalg.norm(part.points, axis=1), 1, atol=1e-5)
    own = ContextReader(reader, "en", space).read(contexts).sense_vectors()
    assert not np.allclose(part.points, own.points, atol=0.1)

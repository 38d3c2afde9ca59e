"""The word's own states less what its form brings: by hand, and against states read one by one."""

import numpy as np
from sklearn.preprocessing import normalize

from embeddings.corpora.sense_contexts import Context
from embeddings.probing.context_states import without_form, word_states
from embeddings.probing.contexts import ContextReader

TEXTS = ("The bank was open.", "Banks lend money.", "The water was low.", "On the bank of a river.")


def test_a_state_loses_the_mean_of_its_form_held_against_two_contexts():
    """States -1, 0, 1 of one form and 4 of another, mean 1: -2, -1, 0 less -3 / (3 + 2), 3 less 3 / (1 + 2), then their mean -0.2 / 4."""
    states = np.array([[-1.0], [0.0], [1.0], [4.0]], np.float32)
    rest = without_form(states, ["ключа", "Ключа", "ключа", "ключи"])
    expected = np.array([-1.4, -0.4, 0.6, 2.0]) - 0.2
    np.testing.assert_allclose(rest[:, 0], expected, atol=1e-6)


def test_states_are_those_of_the_word_less_its_form_and_zero_where_it_is_absent(reader, space):
    contexts = [Context(str(row), "bank", "", "", (), text) for row, text in enumerate(TEXTS)]
    centred = ContextReader(reader, "en", space).read(contexts).sense_vectors()
    spans = [(TEXTS[0], (4, 8)), (TEXTS[1], (0, 5)), (TEXTS[3], (7, 11))]
    states = word_states(reader, spans).vectors[:, -1].astype(np.float64)
    rest = states - states.mean(0)
    rest[[0, 2]] -= rest[[0, 2]].sum(0) / 4
    rest[1] -= rest[1] / 3
    rest = normalize(rest - rest.mean(0))
    np.testing.assert_allclose(centred.points[[0, 1, 3]], rest, atol=1e-4)
    assert not centred.points[2].any()
    assert centred.is_read.tolist() == [True, True, False, True]
    without = [Context(str(row), "bank", "", "", (), TEXTS[2]) for row in range(3)]
    assert not ContextReader(reader, "en", space).read(without).sense_vectors().points.any()

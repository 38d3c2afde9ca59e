"""States of the words around: their weighted means by hand, texts cut around the word, the static companion beside."""

import numpy as np
import pytest

from embeddings.analysis.sense_induction import context_vectors
from embeddings.corpora.sense_contexts import Context, surroundings, write_contexts
from embeddings.probing import contexts
from embeddings.probing.context_states import word_states
from embeddings.probing.surrounding_states import (
    AKIN,
    SHARE,
    context_states,
    readable_words,
)
from tests.probing.conftest import BANK


@pytest.fixture(scope="module")
def beside(bank):
    return [surroundings(context, "en") for context in bank]


def test_a_context_is_the_weighted_mean_of_centred_states_around(reader, bank, beside):
    words = [(row, word) for row, around in enumerate(beside) for word in around]
    states = word_states(reader, [(BANK[row], word.span) for row, word in words]).vectors
    states -= states.mean(0)
    states /= np.linalg.norm(states, axis=2, keepdims=True)
    readable = readable_words(reader, bank, beside, "en")
    found = readable.read(word_states(reader, readable.occurrences).vectors)
    weights = [np.array([word.distance for word in around], np.float32) for around in found.words]
    means = found.means(weights)
    assert means.shape == (5, 3, 24)
    for row in range(5):
        total = sum(
            state * word.distance
            for state, (owner, word) in zip(states, words, strict=True)
            if owner == row
        )
        expected = total / np.linalg.norm(total, axis=1, keepdims=True)
        np.testing.assert_allclose(means[row], expected, atol=1e-5)


def test_words_that_do_not_fit_with_the_word_are_left_out(reader):
    far = "water boats river " * 40
    contexts = [
        Context("1", "bank", "", "", (), f"{far}the bank was closed."),
        Context("2", "bank", "", "", (), f"money money {far}the bank was closed."),
        Context("3", "bank", "", "", (), "The bank was open."),
    ]
    found = context_states(reader, contexts, "en")
    assert found.tokens[0] == found.tokens[1]
    assert 3 < len(found.tokens[0]) < 60
    assert found.truncated.tolist() == [True, True, False]
    np.testing.assert_allclose(found.vectors[0], found.vectors[1], atol=1e-5)
    assert not np.allclose(found.vectors[0], found.vectors[2], atol=1e-2)


def test_the_companion_stands_first_and_is_the_same_at_every_layer(reader, bank, beside, space):
    found = contexts.ContextReader(reader, "en", space).read(bank).states("both")
    static = context_vectors(beside, space, "bank", AKIN)
    assert found.vectors.shape == (5, 3, 34)
    for layer in range(3):
        np.testing.assert_allclose(found.vectors[:, layer, :10], static, atol=1e-6)
    lengths = np.linalg.norm(found.vectors[:, :, 10:], axis=2)
    np.testing.assert_allclose(lengths, SHARE, rtol=1e-5)


def test_the_word_itself_does_not_count(reader, space):
    one = Context("1", "bank", "", "", (), "They sat on the bank, a bank of earth.")
    (read,) = context_states(reader, [one], "en").tokens
    assert read == ("they", "sit", "on", "the", "a", "of", "earth")
    alone = contexts.ContextReader(reader, "en", space).read([one]).states("around")
    assert alone.vectors.shape == (1, 3, 24)


def test_a_word_in_letters_that_the_vocabulary_lacks_is_marked(reader, bank):
    other = Context("9", "钥匙", "", "", ((5, 7),), "They 钥匙 sat by the river.")
    absent = Context("10", "钥匙", "", "", (), "Die 银行 ist zu.")
    found = context_states(reader, [*bank, other, absent], "en")
    assert found.unknown.tolist() == [False] * 5 + [True, False]


def test_a_word_alone_has_no_company(reader):
    found = context_states(reader, [Context("1", "bank", "", "", (), "Bank!")] * 2, "en")
    assert found.tokens == ((), ())
    assert not found.vectors.any()


def test_random_contexts_are_compared_across_sentences_only(reader, space, monkeypatch, tmp_path):
    def of(companion, texts):
        write_contexts(tmp_path / "en.tsv", [Context("", "bank", "", "", (), t) for t in texts])
        return contexts.ContextReader(reader, "en", companion, tmp_path / "en.tsv").baseline("both")

    monkeypatch.setattr(contexts, "RANDOM_WORDS", 2)
    base = of(space, BANK)
    assert (base.words, base.sentences) == (10, 5)
    assert base.mean.shape == (3, 34)
    monkeypatch.setattr(contexts, "RANDOM_WORDS", 1)
    pairs = of(None, BANK[:2])
    rows = pairs.mean[0] * 2  # the sum of two unit vectors: |u + v|^2 = 2 + 2 cos
    assert pairs.cosine[0] == pytest.approx(float(rows @ rows) / 2 - 1, abs=1e-5)

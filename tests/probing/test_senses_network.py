"""Senses by a network: vectors of both models, names from substitutes."""

import copy
from dataclasses import replace

import numpy as np

from embeddings.analysis.sense_induction import Closeness, WordSpace
from embeddings.corpora.corpus_answers import SurroundingWord
from embeddings.corpora.sense_contexts import Context
from embeddings.probing.contexts import ContextReader, frequent_words
from embeddings.probing.sentence_answers import Substitutes
from embeddings.probing.substitutes import telling_substitutes


def senses(reader, contexts, space=None):
    return ContextReader(reader, "en", space).read(contexts).senses()


def test_senses_come_with_vectors_of_both_and_say_so(reader, bank, space):
    alone = senses(reader, bank)
    both, again = (senses(reader, bank, space) for _ in range(2))
    assert (both.labels.tolist(), both.names) == (again.labels.tolist(), again.names)
    assert alone.vectors.shape == (5, 24)
    assert both.vectors.shape == (5, 34)
    own = np.linalg.norm(both.vectors[:, 10:], axis=1)
    static = np.linalg.norm(both.vectors[:, :10], axis=1)
    np.testing.assert_allclose(own / static, 0.5, rtol=1e-4)
    assert alone.method == "states of the words of the context, tiny-bert"
    assert both.method == "states of the word, tiny-bert x 0.5, beside toy"
    assert len(alone.names) == alone.number == alone.labels.max() + 1


def test_a_sense_is_named_by_substitutes_likelier_there():
    found = Substitutes(
        np.array([[0, 2, 4], [1, 2, 4], [3, 2, 4]], np.int32),
        np.array([[0.5, 0.3, 0.2], [0.4, 0.3, 0.2], [0.6, 0.3, 0.1]], np.float32),
        ("house", "houses", "tree", "river", "##s"),
        np.zeros(3, bool),
    )
    labels = np.array([0, 0, 1])
    assert telling_substitutes(found, labels, 2, "en") == (("house",), ("river",))
    assert telling_substitutes(found, labels, 2, "en", {"river"}) == (("house",), ())
    assert telling_substitutes(found, labels, 3, "en")[2] == ()


def test_a_name_is_a_word_of_the_companion_and_close_to_the_contexts_of_its_sense():
    """Rows of three words, two senses along x and y: "tree" is likely but stands between them, "b" is no word there."""
    matrix = np.array([[1, 0], [0, 1], [0.6, 0.8], [1, 0]], np.float32)
    index = {"house": 0, "river": 1, "tree": 2, "the": 3}
    shares = np.array([1e-5, 1e-5, 1e-5, 0.05])
    space = WordSpace(index, matrix, shares, "toy", str.lower)
    near = Closeness(np.array([[1, 0], [0, 1]], np.float32), space)
    found = Substitutes(
        np.array([[0, 2, 4, 5], [3, 2, 4, 5]], np.int32),
        np.array([[0.2, 0.3, 0.9, 0.9], [0.2, 0.05, 0.1, 0.1]], np.float32),
        ("house", "houses", "tree", "river", "b", "the"),
        np.zeros(2, bool),
    )
    labels = np.array([0, 1])
    plain = telling_substitutes(found, labels, 2, "en")
    assert {"b", "the"} < set(plain[0])
    # 0.3 log(0.3 / 0.05) 0.6 = .322 for tree; 0.2 log(0.2 / 1e-5) 1 = 1.98 for house
    assert telling_substitutes(found, labels, 2, "en", (), near) == (("house", "tree"), ("river",))


def test_contexts_without_the_word_count_and_those_cut_around_it_are_counted(reader, bank):
    absent = [*bank[:3], Context("9", "bank", "", "", (), "The water was low.")]
    long = Context("9", "bank", "", "", (), "The bank " + "of the river " * 40)
    assert len(senses(reader, absent).labels) == 4
    assert [senses(reader, contexts).truncated for contexts in (absent, [*bank, long])] == [0, 1]


def test_contexts_without_a_word_around_are_counted_however_the_word_is_spelled(
    reader, bank, space
):
    alone = [replace(one, text="bank") for one in bank[:2]]
    strange = [replace(one, word="bank銀", text=one.text.replace("bank", "bank銀")) for one in bank]
    for companion in (None, space):
        assert senses(reader, [*bank, *alone], companion).unknown == 2
        assert senses(reader, strange, companion).unknown == 0


def test_a_network_without_an_mlm_head_names_senses_by_the_words_around(reader, bank):
    network = copy.deepcopy(reader.network)
    network.tokens = None
    headless = replace(reader, network=network)
    induced = senses(headless, bank)
    assert induced.labels.tolist() == senses(reader, bank).labels.tolist()
    for label, names in enumerate(induced.names):
        inside = [
            c.text.lower() for c, own in zip(bank, induced.labels, strict=True) if own == label
        ]
        for name in names:
            assert sum(name in text for text in inside) >= 2


def test_words_that_are_commoner_in_a_sense_name_it():
    def words(text):
        return [SurroundingWord(word, (word,), 1) for word in text.split()]

    texts = ["river water the", "river fish the", "money loan the", "money rates the"]
    names = frequent_words([words(text) for text in texts], np.array([0, 0, 1, 1]), "en")
    assert names == (("river",), ("money",))

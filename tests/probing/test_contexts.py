"""A word in contexts: sentences become contexts, and what is not asked for is decided once."""

import numpy as np
import pytest

from embeddings import shelf
from embeddings.analysis.context_separation import baseline_of, separation
from embeddings.corpora.sense_contexts import Context, read_contexts
from embeddings.errors import InputError
from embeddings.probing.context_states import random_words, word_states
from embeddings.saved_page.html_page import saved_page
from embeddings.shelf.companions import contexts, shipped_sentences
from tests.saved_page.contract import cells, data_of

SENTENCES = (
    "The bank on the corner; no other bank lends money.",
    "They sat on the bank of the river.",
    "Willows grew along the banks where the water was low.",
)


@pytest.fixture(scope="module")
def shipped():
    return [c for c in read_contexts(shipped_sentences("en")) if c.word == "bank"]


def test_each_place_of_the_word_in_any_form_is_a_context(reader):
    read = contexts(reader, "bank", SENTENCES, companion="none")
    assert [c.text[slice(*c.positions[0])] for c in read.contexts] == ["bank"] * 3 + ["banks"]
    places = [(SENTENCES[0], (4, 8)), (SENTENCES[0], (32, 36))]
    expected = word_states(reader, places).vectors
    np.testing.assert_allclose(read.states("word").vectors[:2], expected, atol=1e-4)


def test_a_sentence_without_the_word_is_refused_by_name(reader):
    with pytest.raises(InputError, match="Nothing here"):
        contexts(reader, "bank", [*SENTENCES, "Nothing here."])


def test_the_companion_is_the_first_of_the_language_unless_another_or_none_is_asked_for(reader):
    asked = {"": "en-skipgram", "en-glove": "en-glove"}
    for companion, name in asked.items():
        read = contexts(reader, "bank", SENTENCES, companion=companion)
        assert read.reader.companion.name == name
        np.testing.assert_array_equal(read.states().vectors, read.itself.vectors)
    alone = contexts(reader, "bank", SENTENCES, companion="none")
    assert alone.reader.companion is None
    np.testing.assert_array_equal(alone.states().vectors, alone.itself.vectors)


def test_random_words_are_three_of_every_second_sentence_that_ships(reader):
    texts = [context.text for context in read_contexts(shelf.data() / "contexts" / "en.tsv")]
    base = contexts(reader, "bank", SENTENCES, companion="none").reader.baseline("word")
    assert base.sentences == len(texts[::2])
    words, owners = random_words(texts[::2], words=3)
    expected = baseline_of(word_states(reader, words).vectors, owners)
    np.testing.assert_allclose(base.cosine, expected.cosine, atol=1e-6)


def test_the_layer_is_where_annotated_senses_or_those_found_lie_furthest_apart(reader, shipped):
    read = contexts(reader, "bank", shipped)
    golds = [context.gold for context in shipped]
    expected = separation(read.states().vectors, golds, read.reader.baseline())
    assert read.best_layer() == expected.best
    np.testing.assert_allclose(read.separation().silhouette, expected.silhouette)
    assert read.similarity().layer == expected.best
    np.testing.assert_array_equal(read.map().coordinates, read.maps()[expected.best].coordinates)
    unmarked = [Context(c.context_id, c.word, "", "", c.positions, c.text) for c in shipped]
    read = contexts(reader, "bank", unmarked)
    labels = read.senses().labels.tolist()
    assert (
        read.best_layer() == separation(read.states().vectors, labels, read.reader.baseline()).best
    )


def test_as_many_senses_as_asked_for_each_with_a_name_of_its_own(reader, shipped):
    found = contexts(reader, "bank", shipped).senses(number=3)
    assert found.number == len(found.names) == 3
    assert sorted(set(found.labels.tolist())) == [0, 1, 2]
    assert contexts(reader, "bank", shipped[:2]).best_layer() >= 1
    with pytest.raises(InputError, match="Contexts of “bank”: 2"):
        contexts(reader, "bank", shipped[:2]).senses()


def test_a_file_of_contexts_has_each_sentence_with_its_sense_and_its_point(reader, shipped):
    read = contexts(reader, "bank", shipped)
    data = data_of(saved_page(read.explore()))
    senses, (table,) = read.senses(), data["tables"]
    rows = cells(data, table["rows"])
    assert ["".join(row[1]) for row in rows] == [context.text for context in shipped]
    assert all(row[1][1].lower().startswith("bank") for row in rows)
    assert [int(row[2].partition(":")[0]) - 1 for row in rows] == senses.labels.tolist()
    places = [point[1:3] for point in data["figure"]["points"]]
    np.testing.assert_allclose(places, read.map().coordinates, atol=1e-4)
    groups = [data["figure"]["groups"][point[3]][0] for point in data["figure"]["points"]]
    assert groups == [row[2] for row in rows]

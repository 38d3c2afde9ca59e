"""What pages show before anybody types is in every model that ships."""

import pytest

from app.widgets.inputs import split_list
from app.wording import TEXT_LANGUAGES, examples
from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.vectors.cooccurrence_table import load_cooccurrence

METHODS = {"skipgram", "cbow", "glove"}
LISTS = ("pair", "odd", "ends", "between", "two", "probes", "compared")


@pytest.fixture(scope="module", params=TEXT_LANGUAGES)
def shipped(request):
    entries = [
        entry
        for entry in shelf.list_models()
        if entry.path.is_relative_to(shelf.data())
        and (entry.kind, entry.language) == ("static", request.param)
        and entry.method in METHODS  # tables of BERT and of lemmas hold other words
    ]
    assert {entry.method for entry in entries} == METHODS
    return request.param, entries


def test_every_example_word_has_a_vector(shipped):
    language, entries = shipped
    texts = examples(language)
    words = {word for text in texts["words"].split(" | ") for word in split_list(text)}
    words |= {word for text in texts["compared_lists"].split(" | ") for word in split_list(text)}
    words |= {word for name in LISTS for word in split_list(texts[name])}
    for entry in entries:
        vectors = shelf.load_vectors(entry.name)
        assert [word for word in sorted(words) if word not in vectors] == []
        for formula in texts["formulas"].split(" | "):
            assert solve(vectors, formula).answers


def test_every_example_of_ratios_has_counts(shipped):
    language, entries = shipped
    texts = examples(language)
    for entry in (entry for entry in entries if entry.method == "glove"):
        table = load_cooccurrence(entry.path).vectors
        lists = texts["ratio_pairs"].replace(" = ", " | ").split(" | ")
        assert [texts["two"], texts["probes"]] == lists[:2]
        words = [word for text in lists for word in split_list(text)]
        assert [word for word in words if word not in table] == []

"""Senses that ship: those of a word are different points, each among words of its own company; Explore and a formula open them."""

import pytest

from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.vectors.sense_table import FILE
from tests.app.visits import open_page, page_text

# (model, word, words of one company, words of another): each is the company of one sense at least, and of no sense both
COMPANIES = [
    (
        "en-skipgram",
        "bank",
        {"river", "rivers", "west", "near"},
        {"banking", "monetary", "currency", "financial"},
    ),
    (
        "de-skipgram",
        "schloß",
        {"burg", "palast", "hofe", "mauern"},
        {"thür", "türe", "öffnete", "verschloß"},
    ),
]


@pytest.mark.parametrize(("model", "word", "first", "second"), COMPANIES)
def test_a_word_s_senses_are_points_of_their_own_each_in_its_company(model, word, first, second):
    vectors = shelf.load_vectors(model)
    senses = vectors.senses_of(word)
    near = [{w for w, _ in vectors.most_similar(sense.word, topn=12)} for sense in senses]
    of_first = {place for place, words in enumerate(near) if len(words & first) >= 2}
    of_second = {place for place, words in enumerate(near) if len(words & second) >= 2}
    assert of_first
    assert of_second
    assert not of_first & of_second
    assert sum(sense.share for sense in senses) == pytest.approx(1, abs=0.01)
    for place in range(len(senses)):
        answers = solve(
            vectors, f"{senses[place].word} - {sorted(first)[0]} + {sorted(second)[0]}"
        ).answers
        assert answers


@pytest.mark.parametrize("model", sorted({row[0] for row in COMPANIES}))
def test_function_words_have_one_sense_and_the_table_is_small(model):
    entry = shelf.find(model)
    table = shelf.load_vectors(model).senses
    common = {
        "en": ("the", "and", "but", "without", "between", "where", "more", "other", "first"),
        "de": ("und", "aber", "ohne", "zwischen", "wo", "mehr", "anderen", "ersten"),
    }
    assert [word for word in common[entry.language] if word in table] == []
    assert len(table) >= 200
    assert (entry.path / FILE).stat().st_size < 1_000_000


def test_explore_opens_the_senses_of_a_shipped_word():
    app = open_page(lang="de", text="de", models="de-skipgram", word="schloß")
    assert not app.exception
    assert "schloss\\#1" in page_text(app)
    assert "schloss\\#2" in page_text(app)

"""Senses that ship: those of a word are different points, each among words of its own company; Explore and a formula open them."""

from collections import Counter
from itertools import combinations
from operator import itemgetter
from pathlib import Path

import pytest

from embeddings import shelf
from embeddings.analysis.analogies import solve
from embeddings.analysis.sense_grouping import CLEAR, assign_senses
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.text.lemmas import function_words, lemma_key
from embeddings.vectors.sense_table import SENSES_FILE
from tests.app.visits import open_page, page_text

CONTEXTS = Path(__file__).resolve().parents[2] / "data" / "contexts" / "ru.tsv"
# (model, word, companies): each is the company of one sense at least, and no sense has two
COMPANIES = [
    ("en-skipgram", "bank", ("river rivers west near", "banking monetary currency financial")),
    (
        "de-skipgram",
        "schloss",
        (
            "burg burgen residenz schönbrunn sanssouci",
            "tür türe schlüssel riegel öffnete verschloss",
        ),
    ),
    (
        "de-skipgram",
        "bank",
        ("sparkassen zentralbank einlagen eigenkapital", "stuhl stühle sitzen tisch steinbank"),
    ),
    (
        "ru-skipgram",
        "ключ",
        (
            "дверь двери запер отпер",
            "ручей вода река озера",
            "шифрования асимметричного симметричного зашифрованного",
        ),
    ),
    ("ru-skipgram", "замок", ("дворец дворце развалины крепости", "дверь заперта отпер настежь")),
]
MODELS = sorted({row[0] for row in COMPANIES})


@pytest.mark.parametrize(("model", "word", "companies"), COMPANIES)
def test_a_word_s_senses_are_points_of_their_own_each_in_its_company(model, word, companies):
    vectors = shelf.load_vectors(model)
    senses = vectors.senses_of(word)
    near = [{w for w, _ in vectors.most_similar(sense.word, topn=12)} for sense in senses]
    places = [
        {place for place, words in enumerate(near) if len(words & {*company.split()}) >= 2}
        for company in companies
    ]
    assert all(places)
    assert not any(first & second for first, second in combinations(places, 2))
    assert sum(sense.share for sense in senses) == pytest.approx(1, abs=0.01)
    first, second = (min(company.split()) for company in companies[:2])
    for sense in senses:
        assert solve(vectors, f"{sense.word} - {first} + {second}").answers


@pytest.mark.parametrize("model", MODELS)
def test_function_words_have_one_sense_and_the_table_is_small(model):
    entry = shelf.find(model)
    table = shelf.load_vectors(model).senses
    common = {
        "en": ("the", "and", "but", "without", "between", "where", "more", "other", "first"),
        "ru": ("и", "но", "без", "между", "где", "более", "другие", "первый", "когда", "даже"),
        "de": ("und", "aber", "ohne", "zwischen", "wo", "mehr", "anderen", "ersten"),
    }
    assert [word for word in common[entry.language] if word in table] == []
    assert len(table) >= 200
    assert (entry.path / SENSES_FILE).stat().st_size < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_senses_of_a_word_are_no_two_alike_and_lie_among_words_of_content(model):
    """One sense in fifty may: words that are spread unevenly count as words of content without being in the list of closed classes."""
    vectors = shelf.load_vectors(model)
    table, language = vectors.senses, shelf.find(model).language
    listed = {w for w in vectors.words if lemma_key(w, language) in function_words(language)}
    for first, end in zip(table.bounds[:-1], table.bounds[1:], strict=True):
        for row, other in combinations(range(first, end), 2):
            assert table.vectors[row] @ table.vectors[other] < 0.61
    labels = list(table.labels)[::10]
    among = [{w for w, _ in vectors.most_similar(label, topn=10)} & listed for label in labels]
    assert sum(len(words) >= 5 for words in among) <= len(labels) / 50


def test_the_sentences_shown_beside_the_senses_of_ключ_are_mostly_of_one_annotated_sense_each():
    """Door and spring have four or more, cipher two; the corpus knows neither clef nor wrench: of their sentences few are shown."""
    vectors = shelf.load_vectors("ru-skipgram")
    contexts = [c for c in read_contexts(CONTEXTS) if c.word == "ключ"]
    assigned = assign_senses(vectors, contexts, "ru", **CLEAR)
    golds = Counter(zip(assigned, (context.gold for context in contexts), strict=True))
    for gold, least in (("1", 4), ("2", 4), ("5", 2)):
        sense, shown = max(
            ((s, n) for (s, g), n in golds.items() if s and g == gold), key=itemgetter(1)
        )
        assert shown >= least
        assert shown >= 0.75 * sum(n for (s, _), n in golds.items() if s == sense)
    assert sum(n for (s, g), n in golds.items() if s and g in "34") <= 3


@pytest.mark.parametrize(
    ("language", "word", "senses"),
    [
        ("de", "schloß", ("schloss\\#1", "schloss\\#2")),
        ("ru", "ключом", tuple(f"ключ\\#{number}" for number in range(1, 5))),
    ],
)
def test_explore_opens_the_senses_of_a_shipped_word(language, word, senses):
    app = open_page(
        lang=language, text=language, models=f"{language}-skipgram", word=word, view="senses"
    )
    assert not app.exception
    text = page_text(app)
    assert [sense for sense in senses if sense not in text] == []

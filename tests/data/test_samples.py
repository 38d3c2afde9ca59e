"""The sentences that ship as concordances: all of this project's own, some for each word that pages begin with."""

import pytest

from app.widgets.inputs import split_list
from app.wording import TEXT_LANGUAGES, examples
from embeddings.corpora.concordance import Concordance
from embeddings.corpora.concordance_search import ConcordanceQuery, search
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.errors import MissingFileError
from embeddings.shelf import data
from embeddings.shelf.locations import concordances_of, find_concordance, sample_concordance

FEWEST = 3  # sentences for a word that a page begins with
LISTS = ("pair", "odd", "ends", "between", "two", "compared")


@pytest.fixture(params=TEXT_LANGUAGES)
def language(request):
    return request.param


def written(language):
    """Every sentence that the index is made of."""
    text = (data() / "sentences" / "samples" / f"{language}.txt").read_text(encoding="utf-8")
    contexts = read_contexts(data() / "contexts" / f"{language}.tsv")
    return [line for line in text.splitlines() if line] + [context.text for context in contexts]


def test_the_index_holds_every_sentence_and_no_other(language):
    concordance = Concordance.open(sample_concordance(f"sample-{language}"))
    sentences = written(language)
    assert concordance.paragraphs == len(sentences) > 300
    assert len(set(sentences)) == len(sentences)


def test_the_words_that_pages_begin_with_have_sentences(language):
    concordance = Concordance.open(sample_concordance(f"sample-{language}"))
    sentences, texts = set(written(language)), examples(language)
    first = [split_list(text)[0] for text in texts["words"].split(" | ")]
    for word in first:
        lines = search(concordance, ConcordanceQuery(word, language)).lines
        assert len(lines) >= FEWEST, word
        assert {line.text for line in lines} <= sentences
    words = {word for name in LISTS for word in split_list(texts[name])}
    without = [
        word
        for word in sorted(words)
        if not search(concordance, ConcordanceQuery(word, language)).lines
    ]
    assert len(without) <= len(words) // 10, without


def test_a_users_concordance_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    assert find_concordance("sample-en") == sample_concordance("sample-en")
    (tmp_path / "concordances").mkdir()
    own = tmp_path / "concordances" / "sample-en.sqlite"
    own.touch()
    assert find_concordance("sample-en") == own == concordances_of("en")["sample-en"]
    assert list(concordances_of("de")) == ["sample-en", "sample-de"]


def test_a_name_that_leads_elsewhere_finds_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    assert sample_concordance("../concordances/sample-en") is None
    with pytest.raises(MissingFileError):
        Concordance.open(find_concordance("sample-fr"))

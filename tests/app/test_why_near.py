"""Explore explains two near words: shared contexts from the shelf, own models without contexts left alone."""

import pytest

from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import wording
from embeddings.analysis.shared_contexts import shared_contexts
from embeddings.shelf import find, load_vectors, open_contexts
from tests.app.conftest import index_text
from tests.app.visits import open_page, page_text


def test_shared_contexts_stand_below_the_neighbours():
    word, near, say = "король", "корона", wording("ru")
    app = open_page(lang="ru", text="ru", word=word, view="why")
    assert say("why_near.title") in [header.value for header in app.header]
    options = app.selectbox(key="why").options
    other = near if near in options else options[0]
    app.selectbox(key="why").select(other).run()
    contexts, vectors = open_contexts(find("ru-skipgram")), load_vectors("ru-skipgram")
    answer = shared_contexts(contexts, word, other, vectors=vectors)
    table = next(t.value for t in app.dataframe if say("why_near.context") in t.value.columns)
    assert table[say("why_near.context")].tolist() == [s.context for s in answer.shared]
    shares = table[say("why_near.share")]
    assert shares.sum() == pytest.approx(1 - answer.others_contribution / answer.ppmi_cosine)
    assert say.number(answer.cosine, 3) in page_text(app)


def test_a_concordance_brings_sentences_with_both_words_marked(own_home, monkeypatch):
    text = "The king was crowned at Westminster.\n\nThe queen was crowned too.\n"
    index_text(own_home, "court", text)
    monkeypatch.setattr(PageState, "label", lambda *_: "_mine_")  # a name that Markdown would slant
    app = open_page(lang="en", word="king", why="queen", view="why")
    shown = page_text(app)
    sentence = wording("en")("why_near.own_text", model=outputs.plain("_mine_"))
    assert sentence in [caption.value for caption in app.caption]
    assert "The **king** was **crowned** at Westminster" in shown
    assert "The **queen** was **crowned** too" in shown


def test_sentences_that_ship_are_shown_where_there_is_no_own_corpus(own_home):
    say = wording("de")
    app = open_page(lang="de", text="de", word="könig", view="why")
    assert app.selectbox(key="why_corpus").options == [say("sample_sentences.name")]
    shown = page_text(app).lower()
    assert say("sample_sentences.note").lower() in shown
    assert "**könig" in shown
    assert say("why_near.no_sentences").lower() in shown


@pytest.mark.parametrize("view", ["why", "sentences"])
def test_sentences_in_the_language_of_the_model_come_before_an_english_corpus(view, own_home):
    index_text(own_home, "court", "The king was crowned at Westminster.\n")
    app = open_page(lang="en", text="ru", word="король", view=view)
    corpus = app.selectbox(key=f"{view}_corpus")
    assert corpus.options == [wording("en")("sample_sentences.name"), "court"]
    shown = [page_text(app), *(table.value.to_string() for table in app.dataframe)]
    assert "**король**" in shown[0].lower() or any("король" in text.lower() for text in shown[1:])
    assert "Westminster" not in "".join(shown)


def test_a_model_without_contexts_shows_no_explanation(small_shelf):
    app, say = open_page(lang="en", word="king", view="why"), wording("en")
    assert say("why_near.title") not in [header.value for header in app.header]
    assert [info.value for info in app.info] == [say("explore.no_contexts")]


def test_marked_words_are_bold_and_the_rest_stays_as_it_is():
    assert outputs.marked("a *b* c", [(6, 7), (0, 1)]) == f"**a** {outputs.plain('*b*')} **c**"

"""Explore answers why two words are near and which set is nearer to what, as a person asks it, in a real chromium."""

import re

import pytest
from playwright.sync_api import expect

from app.wording import wording
from embeddings.analysis.association import association_test
from embeddings.analysis.shared_contexts import context_sentences, shared_contexts
from embeddings.analysis.similarity import neighbours
from embeddings.corpora.concordance import Concordance
from embeddings.shelf import association_tests, find, load_vectors, open_contexts
from embeddings.shelf.locations import sample_concordance
from tests.browser.settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
expect.set_options(timeout=120_000)
MODEL = "en-skipgram"
ROW = 35  # pixels of a row of a table
CHOSEN = 2  # of the neighbours, from 0: the first is explained without a click
SAY = wording("en")


def test_a_selected_neighbour_is_explained_by_contexts_and_sentences(page, address):
    page.goto(f"{address}/?lang=en&text=en&word=king&models={MODEL}")
    expect(page.locator("h1")).to_have_text(SAY("explore.title"))
    settle(page)
    vectors = load_vectors(MODEL)
    clicked = neighbours(vectors, "king", 10)[CHOSEN].word
    grid = page.locator(".st-key-neighbours").get_by_test_id("stDataFrame")
    grid.click(position={"x": 60, "y": (CHOSEN + 1.5) * ROW})
    expect(page.locator(".st-key-walk")).to_contain_text(clicked)
    settle(page)
    page.locator(".st-key-view").get_by_text(SAY("view.why"), exact=True).click()
    expect(page).to_have_url(re.compile(f"why={clicked}"))
    settle(page)
    expect(page.get_by_role("heading", name=SAY("why_near.title"))).to_be_visible()
    answer = shared_contexts(open_contexts(find(MODEL)), "king", clicked, vectors=vectors)
    sample = Concordance.open(sample_concordance("sample-en"))
    sentence = context_sentences(sample, answer, "king", 1, "en")[0]
    expect(page.get_by_text(sentence.line.text).first).to_be_visible()
    expect(page.get_by_text(SAY("sample_sentences.note")).first).to_be_visible()


def test_an_association_test_shows_effect_size_and_p(page, address):
    name, sets = next(iter(association_tests("en").items()))
    answer = association_test(load_vectors(MODEL), sets)
    page.goto(f"{address}/associations?lang=en&text=en&models={MODEL}&view=test&weat={name}")
    expect(page.locator("h1")).to_have_text(SAY("associations.title"))
    table = page.get_by_test_id("stTable").filter(has_text=SAY("association.effect"))
    expect(table).to_contain_text(SAY("association.one_sided"))
    expect(table).to_contain_text(SAY.number(answer.effect_size, 2))
    expect(table).to_contain_text(re.compile(r"0\.\d{2,}"))

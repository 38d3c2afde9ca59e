"""The glossary: the same terms in every language, each on a page that exists, shown there and in docs/glossary.md."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from app.views.inside.decoder_steps import DECODER
from app.views.inside.encoder_steps import ENCODER
from app.widgets.footer import formulas
from app.wording import LANGUAGES, wording
from app.wording.glossary import DOCUMENT, TERMS, anchor, document, page_terms
from tests.app.visits import open_page
from tests.product_sources import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")


def headings(text):
    """The anchors of a document's sections."""
    return {name.lower().replace(" ", "-") for name in re.findall(r"^## (.+)$", text, re.MULTILINE)}


def explained_pages():
    """The explanations that pages ask for, read off their code; those of experiments are one."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))
    calls = re.findall(r"draw_footer\(\s*page,\s*(?:drawn,\s*)?f?\"(\w+)", code)
    return {name.rstrip("_") for name in calls} | {"inside", "decoder"}


def test_the_document_is_what_the_glossary_makes():
    assert DOCUMENT.read_text(encoding="utf-8") == document()


def test_every_term_and_formula_belongs_to_an_explanation_that_a_page_shows():
    assert {ENCODER.name, DECODER.name} == {"inside", "decoder"}  # the footers of Inside
    assert {*TERMS.values(), *formulas("explanations")} - explained_pages() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_explains_every_term_once_and_in_one_sentence(language):
    say = wording(language)
    keys = {key.partition(".")[2] for key in say.sentences if key.startswith("glossary_term.")}
    assert keys == set(TERMS)
    for name in TERMS:
        meaning = say(f"glossary_meaning.{name}")
        assert re.fullmatch(r"\S.*[^.!?\s][.?]", meaning), name
        assert not re.search(r"[^\W\d]{3}[.!?] ", meaning), name
    assert len({say(f"glossary_term.{name}").casefold() for name in TERMS}) == len(TERMS)


def test_the_terms_of_an_explanation_come_with_their_meanings():
    pairs = page_terms(wording("de"), "lab_depth")
    assert [term for term, _ in pairs] == [
        "NSP, SOP",
        "Seed",
        "Standardfehler",
        "Standardabweichung (SD)",
        "Perzentil",
    ]
    assert page_terms(wording("de"), "nowhere") == []


def help_of(language, name):
    """The paragraphs with which a page explains itself."""

    def script(language, name):
        from app.widgets import footer
        from app.wording import wording

        footer.explain(wording(language), name)

    app = AppTest.from_function(script, args=(language, name), default_timeout=60).run()
    return [text.value for text in app.markdown]


def test_a_page_shows_its_terms_where_it_explains_itself():
    shown = help_of("ru", "fill")[-2]
    assert shown.startswith("**Термины этой страницы**")
    assert "- **logit lens**: Голова MLM, применённая" in shown
    assert shown.count("\n- ") == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_link_in_the_help_of_a_page_opens_every_term_with_links_to_pages_that_exist(language):
    shown = help_of(language, "change")[-1]  # a part without terms of its own
    target = urlsplit(LINK.search(shown)[1])
    assert (ROOT / "app" / "views" / target.path / f"{target.path}.py").is_file()
    app = open_page(target.path, **dict(parse_qsl(target.query)))
    table = next(each.value for each in app.markdown if each.value.startswith("| "))
    say = wording(language)
    for name in TERMS:
        cells = (say(f"glossary_term.{name}"), say(f"glossary_meaning.{name}"))
        assert f"| {cells[0]} | {cells[1]} |" in table, name
    links = [urlsplit(link) for link in LINK.findall(table)]
    assert len(links) == len(TERMS)
    for link in links:
        assert (ROOT / "app" / "views" / link.path / f"{link.path}.py").is_file(), link
        assert dict(parse_qsl(link.query))["lang"] == language


def test_every_link_of_the_document_leads_to_a_section_and_one_to_nothing_is_told():
    def dead():
        links = LINK.findall(document())
        assert len(links) == len(TERMS) * len(LANGUAGES)
        return [link for link in links if urlsplit(link).fragment not in sections]

    sections = headings((ROOT / "docs" / "pages.md").read_text(encoding="utf-8"))
    assert dead() == []
    sections.remove(anchor("shelf"))
    assert set(dead()) == {"pages.md#shelf"}

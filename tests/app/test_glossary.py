"""The glossary: the same terms in every language, each on a page that exists, shown there and in docs/glossary.md."""

import re
from pathlib import Path

import pytest

from app.wording import LANGUAGES, wording
from app.wording.glossary import DOCUMENT, PARTS, TERMS, document, page_terms

ROOT = Path(__file__).resolve().parents[2]


def explained_pages():
    """The explanations that pages ask for, read off their code; those of experiments are one."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))
    calls = re.findall(r"outputs\.explain\(\s*(?:page\.)?say,\s*f?\"(\w+)", code)
    return {name.rstrip("_") for name in calls} | {"inside", "decoder"}


def test_the_document_is_what_the_glossary_makes():
    assert DOCUMENT.read_text(encoding="utf-8") == document()


def test_every_term_belongs_to_an_explanation_that_a_page_shows():
    code = (ROOT / "app" / "views" / "inside" / "inside.py").read_text(encoding="utf-8")
    assert '"decoder" if half == "decoder" else "inside"' in code
    assert set(TERMS.values()) - explained_pages() == set()


def test_every_page_has_terms():
    pages = {PARTS.get(explanation, explanation) for explanation in TERMS.values()}
    folders = {path.parent.name for path in (ROOT / "app" / "views").glob("*/__init__.py")}
    assert pages == folders


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_explains_every_term_in_one_sentence(language):
    say = wording(language)
    keys = {key.partition(".")[2] for key in say.sentences if key.startswith("glossary_term.")}
    assert keys == set(TERMS)
    for name in TERMS:
        meaning = say(f"glossary_meaning.{name}")
        assert re.fullmatch(r"\S.*[^.!?\s][.?]", meaning), name
        assert not re.search(r"[^\W\d]{3}[.!?] ", meaning), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_term_is_explained_twice(language):
    say = wording(language)
    terms = [say(f"glossary_term.{name}").casefold() for name in TERMS]
    assert len(set(terms)) == len(terms)


def test_the_terms_of_an_explanation_come_with_their_meanings():
    pairs = page_terms(wording("de"), "lab_depth")
    assert [term for term, _ in pairs] == ["NSP, SOP", "Seed", "Standardfehler"]
    assert page_terms(wording("de"), "nowhere") == []


def test_a_page_shows_its_terms_where_it_explains_itself():
    from streamlit.testing.v1 import AppTest

    def script():
        from app.widgets import outputs
        from app.wording import wording

        outputs.explain(wording("ru"), "fill")

    shown = AppTest.from_function(script, default_timeout=60).run().expander[0].markdown[-1].value
    assert shown.startswith("**Термины этой страницы**")
    assert "- **logit lens**: Голова MLM, применённая" in shown
    assert shown.count("\n- ") == 3

"""The glossary: which term is explained on which page; ``python -m app.wording.glossary`` writes docs/glossary.md.

The terms and their meanings are in ``glossary.toml`` of each language, their explanations in ``glossary_pages.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from app.wording import LANGUAGES, WORDING_FOLDER, Wording, wording

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
# Explanations that are a part of another page.
PARTS = {"map": "explore", "association": "associations", "spread": "explore", "decoder": "inside"}
PAGES = tomllib.loads((WORDING_FOLDER / "glossary_pages.toml").read_text(encoding="utf-8"))
TERMS = {term: explanation for explanation, terms in PAGES.items() for term in terms}


def page_terms(say: Wording, explanation: str) -> list[tuple[str, str]]:
    """Return the terms of an explanation with their meanings.

    Parameters
    ----------
    explanation : str
        The section of its sentence, as "map"; those of experiments begin with ``lab_``.
    """
    page = explanation.partition("_")[0]
    return [
        (say(f"glossary_term.{name}"), say(f"glossary_meaning.{name}"))
        for name, home in TERMS.items()
        if home == page
    ]


def address(say: Wording) -> str:
    """Return the relative address of the whole glossary, a part of the page Learn, in the language of the screen."""
    return f"learn?lang={say.language}&learn_shown=glossary"


def glossary_rows(say: Wording) -> list[tuple[str, str, str]]:
    """Return each term, its meaning and the page that explains it, in the order of the alphabet."""
    rows = [
        (say(f"glossary_term.{name}"), say(f"glossary_meaning.{name}"), PARTS.get(home, home))
        for name, home in TERMS.items()
    ]
    return sorted(rows, key=lambda row: row[0].casefold())


def table(say: Wording, link: Callable[[str], str]) -> str:
    """Return the whole glossary as a Markdown table; ``link`` gives the address of a page."""
    heading = f"| {say('glossary.term')} | {say('glossary.meaning')} | {say('glossary.page')} |"
    rows = [
        f"| {term} | {meaning} | [{say(f'{page}.nav')}]({link(page)}) |"
        for term, meaning, page in glossary_rows(say)
    ]
    return "\n".join([heading, "|---|---|---|", *rows])


def anchor(page: str) -> str:
    """Return the anchor of a page's section in docs/pages.md: its English name."""
    return wording("en")(f"{page}.nav").lower().replace(" ", "-")


def document() -> str:
    """Return the glossary of all languages as Markdown, each language in its alphabet."""
    lines = [
        "# Glossary",
        "",
        "Each term with its meaning in a sentence and the page where one sees it. The pages show their own terms under "
        "“What is this?”, with a link to all of them on the page Learn.",
    ]
    for code, language in LANGUAGES.items():
        pages = table(wording(code), lambda page: f"pages.md#{anchor(page)}")
        lines += ["", f"## {language}", "", pages]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")

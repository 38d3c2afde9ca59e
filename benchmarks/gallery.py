"""Answers of the shipped models and lessons as files that need no server, with an index: ``python -m benchmarks.gallery FOLDER``.

Each file is what a page saves; the attention view writes its own.
"""

from __future__ import annotations

import datetime
import logging
import os
import shlex
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from app.views.learn import lesson_files
from app.views.learn.lesson_pages import LESSONS
from app.widgets import footer
from app.widgets.frame import PageState
from app.wording import LANGUAGES, wording
from embeddings.attention_view.html_page import standalone
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.saved_page.answer import Source
from embeddings.saved_page.html_page import offline_page

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = "http://localhost:8501"  # where `make run` answers: no public server is known
SENTENCE = "The animal did not cross the street because it was too tired."
TITLE = "Klyuch: what models learn about words"
LEAD = (
    "Each file opens without a server and without a network: point at a word to find it in the figure and in the tables, search, print. "
    "The models are those that ship with Klyuch."
)


class Item(NamedTuple):
    """A file of the gallery: its name, the page that saves it, what the page is asked, the line in the index."""

    name: str
    page: str
    asked: dict[str, str]
    about: str


ITEMS = (
    Item(
        "king",
        "analogies",
        {"lang": "en", "formula": "king - man + woman"},
        "king - man + woman: the answers of three models, and their plane",
    ),
    Item(
        "klyuch",
        "explore",
        {"lang": "ru", "word": "ключ"},
        "ключ: 200 nearest words in three models, each with its own nearest (Russian)",
    ),
    Item(
        "klyuch-senses",
        "contexts",
        {"lang": "ru", "contexts_word": "ключ"},
        "ключ: its meanings in sentences, as a network reads them (Russian)",
    ),
    Item(
        "schloss",
        "contexts",
        {"lang": "de", "contexts_word": "Schloss"},
        "Schloss: castle or lock (German)",
    ),
    Item(
        "bank",
        "contexts",
        {"lang": "en", "contexts_word": "bank"},
        "bank: the meanings of one word in sentences",
    ),
    Item(
        "grammar",
        "grammar",
        {"lang": "en"},
        "Grammar: which sentence a network prefers, token by token",
    ),
    Item(
        "change",
        "change",
        {"lang": "en", "change_report": "en-fiction-wikipedia"},
        "Words that mean something else in fiction than in an encyclopaedia",
    ),
)


def page_file(item: Item) -> str:
    """Return the file that a page saves."""
    import streamlit as st  # noqa: TID251 - asks the pages
    from streamlit.testing.v1 import AppTest  # noqa: TID251

    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300)
    app.query_params.update({"text": item.asked["lang"], **item.asked})
    app.switch_page(f"views/{item.page}/{item.page}.py")
    with patch.object(type(st.context), "url", f"{ADDRESS}/{item.page}"):
        app.run()
    if app.exception:
        raise RuntimeError(f"{item.page}: {app.exception[0].message}")
    written: str = app.session_state["_shown"].write()
    return written


def attention_file() -> str:
    """Return the attention of “it”, open at the head that links it most with the animal."""
    from embeddings import attention, load
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.shelf import find

    entry = find("bert-en")
    weights = attention(load("bert-en"), SENTENCE)
    shown = prepare(weights, level="word")
    it, animal = (shown.from_side.labels.index(word) for word in ("it", "animal"))
    heads = [head for head in shown.heads if head.isdecimal()]
    best = max(
        ((layer, head) for layer in range(1, shown.layers + 1) for head in heads),
        key=lambda at: shown.head_weights(*at)[it, animal],
    )
    layer, head = best
    command = ["klyuch", "attention", SENTENCE, "--model", entry.name, "--word-level"]
    command += ["--layer", str(layer), "--head", head, "--output", "it.html"]
    source = Source(
        tuple(footer.cited([entry], [f"layer {layer}", f"head {head}", "level word"])),
        {"Network": entry.name, "Sentence": SENTENCE},
        wording("en").date(datetime.date.today().isoformat()),
        shlex.join(command),
    )
    panel = Panel(shown, head_profiles(weights), SENTENCE, "it")
    at = ViewState(layer, head, word=it)
    heading = "What does “it” look at?"
    return standalone([panel], at, heading=heading, source=source, about=SENTENCE)


def lessons(language: str) -> dict[str, tuple[str, str]]:
    """Return the lessons in a language, each a file that checks the guesses: title and page by name."""
    say = wording(language)
    page = PageState(say, language, (), (), name="learn")
    return {
        f"lesson-{lesson.name}-{language}": (
            say(f"learn_lesson.{lesson.name}"),
            lesson_files.sheet(page, lesson, has_answers=False),
        )
        for lesson in LESSONS
    }


def index(groups: dict[str, dict[str, str]]) -> str:
    """Return the index; a group has a line by name of the file."""
    parts = []
    for title, files in groups.items():
        lines = "".join(
            f'<li><a href="{escape(name)}.html">{escape(about)}</a></li>'
            for name, about in files.items()
        )
        parts.append(f"<h2>{escape(title)}</h2><ul>{lines}</ul>")
    body = f"<header><h1>{escape(TITLE)}</h1><p>{escape(LEAD)}</p></header><main>{''.join(parts)}</main>"
    return offline_page(TITLE, body, {}, "none", "li { margin: 8px 0; }", "")


def write_gallery(folder: Path) -> list[Path]:
    """Write all files and the index into a folder, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {item.name: page_file(item) for item in ITEMS}
    abouts = {item.name: item.about for item in ITEMS}
    pages["it"], abouts["it"] = attention_file(), "Attention: what “it” looks at in a sentence"
    groups = {"Answers": abouts}
    for language in LANGUAGES:
        made = lessons(language)
        pages |= {name: page for name, (_, page) in made.items()}
        title = f"{wording(language)('learn.nav')} ({LANGUAGES[language]})"
        groups[title] = {name: about for name, (about, _) in made.items()}
    pages["index"] = index(groups)
    paths = []
    for name, page in pages.items():
        paths.append(folder / f"{name}.html")
        paths[-1].write_text(page, encoding="utf-8")
    return paths


if __name__ == "__main__":
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # no server runs here
    with tempfile.TemporaryDirectory() as home:  # of nobody: the shipped models alone
        os.environ["KLYUCH_HOME"] = home
        for path in write_gallery(Path(sys.argv[1])):
            print(f"{path} {path.stat().st_size // 1000} kB")

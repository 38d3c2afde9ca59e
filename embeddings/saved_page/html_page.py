"""One HTML file that loads nothing: its own script and style alone may run, told by their digests."""

from __future__ import annotations

import json
import tomllib
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings._version import __version__
from embeddings.errors import InputError

if TYPE_CHECKING:
    from embeddings.saved_page.answer import SavedAnswer, Source

SAVED_PAGE_FOLDER = Path(__file__).resolve().parent
WORDING = SAVED_PAGE_FOLDER.parent / "wording" / "saved_page.toml"
MAX_BYTES = 1_000_000  # of a saved answer
PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:;
 script-src {script_digest}; style-src {style_digest}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="{data_id}">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@cache
def labels(language: str) -> dict[str, str]:
    """Return what a file says in a language, by key; in English where it has no words of its own."""
    texts = tomllib.loads(WORDING.read_text(encoding="utf-8"))
    return {key: said.get(language, said["en"]) for key, said in texts.items()}


def offline_page(  # noqa: PLR0913 - the parts of a page
    title: str, body: str, data: object, data_id: str, style: str, script: str, language: str = "en"
) -> str:
    """Return a page whose ``script`` reads ``data`` as JSON from the element ``data_id``; ``body`` is HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    page_style = (SAVED_PAGE_FOLDER / "page.css").read_text(encoding="utf-8") + style
    code = f"\n{script}\n"
    return PAGE.format(
        language=escape(language),
        title=escape(title),
        style=page_style,
        style_digest=_digest(page_style),
        script=code,
        script_digest=_digest(code),
        body=body,
        data_id=data_id,
        data=text,
    )


def style() -> str:
    """Return the CSS of an answer's drawing."""
    return (SAVED_PAGE_FOLDER / "answer.css").read_text(encoding="utf-8")


def script() -> str:
    """Return the ES module with ``drawAnswer``."""
    return (SAVED_PAGE_FOLDER / "drawing.js").read_text(encoding="utf-8")


def saved_page(answer: SavedAnswer) -> str:
    """Return the file of an answer.

    Raises
    ------
    InputError
        If it is larger than `MAX_BYTES`.
    """
    page = offline_page(
        f"{answer.title} · Klyuch",
        _body(answer),
        answer.payload(),
        "answer",
        style(),
        script()
        + 'drawAnswer(document.getElementById("drawing"), JSON.parse(document.getElementById("answer").textContent));',
        answer.source.language,
    )
    if (size := len(page.encode("utf-8"))) > MAX_BYTES:
        raise InputError("saved_page_size", size=size, limit=MAX_BYTES)
    return page


def _digest(text: str) -> str:
    """Return the source of a content policy that allows exactly this text."""
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _body(answer: SavedAnswer) -> str:
    """Return the page without what its script draws: question, notes, where the answer comes from."""
    notes = "".join(f'<p dir="auto">{escape(note)}</p>' for note in answer.notes)
    script_needed = escape(labels(answer.source.language)["script"])
    return (
        f'<header><h1 dir="auto">{escape(answer.title)}</h1><p class="about" dir="auto">{escape(answer.question)}</p>'
        f'{notes}</header><main id="drawing"><noscript>{script_needed}</noscript></main>'
        f"{source_footer(answer.source)}"
    )


def source_footer(source: Source) -> str:
    """Return where an answer comes from, as HTML: day, version, settings, citations, and the way back."""
    said = labels(source.language)
    facts = {said["day"]: source.day, said["version"]: f"Klyuch {__version__}", **source.settings}
    terms = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items() if value
    )
    cited = "".join(f'<li dir="auto">{escape(line)}</li>' for line in source.citations)
    cited = f"<h3>{escape(said['cite'])}</h3><ul>{cited}</ul>" if cited else ""
    back = f"<p>{escape(said['command'])} <code>{escape(source.address)}</code></p>"
    if source.address.startswith(("http://", "https://")):
        link = f'<a href="{escape(source.address)}" rel="noreferrer">{escape(said["back"])}</a>'
        back = f"<p>{link}</p>"
    back = back if source.address else ""
    return f"<footer><h2>{escape(said['source'])}</h2><dl>{terms}</dl>{cited}{back}</footer>"

"""The view as one HTML file: nothing is loaded, and nothing but the view's own script may run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path

from embeddings.attention_view.drawing import as_css, as_javascript
from embeddings.attention_view.payload import Panel, ViewState, payload

FOLDER = Path(__file__).parent
PARTS = ("decode", "elements", "lines", "matrix", "grid", "controls", "save", "view")
LARGEST = 12_000_000  # bytes of weights in a file

PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>{page_style}{style}</style>
</head>
<body>
<h1>{heading}</h1>
<p class="about">{about}</p>
<div class="klyuch-attention"></div>
<script type="application/json" id="attention">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@lru_cache(maxsize=1)
def style() -> str:
    """Return the view's CSS, the colours of the drawing before it."""
    return as_css() + (FOLDER / "view.css").read_text(encoding="utf-8")


@lru_cache(maxsize=2)
def script(last: str) -> str:
    """Return the view's JavaScript: how it is drawn, its parts, and the ``last`` one, which starts it."""
    parts = ((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in (*PARTS, last))
    return "\n".join((as_javascript(), *parts))


def fitting(
    panels: Sequence[Panel], at: ViewState, largest: int = LARGEST
) -> list[tuple[int, str]]:
    """Return the heads whose weights fit into ``largest`` bytes: all, or those of the layer shown, or the one shown."""
    first = panels[0].shown
    each = sum(2 * len(p.shown.from_side) * len(p.shown.to_side) for p in panels)
    layers = range(1, first.layers + 1)
    for chosen in (layers, [at.layer]):
        if each * len(chosen) * len(first.heads) <= largest:
            return [(layer, head) for layer in chosen for head in first.heads]
    return [(at.layer, at.head)]


def standalone(
    panels: Sequence[Panel],
    at: ViewState,
    *,
    heading: str,
    about: str = "",
    labels: Mapping[str, str] | None = None,
    language: str = "en",
) -> str:
    """Return the HTML of a file that shows the texts; ``heading`` and ``about`` stand above."""
    data = payload(panels, at, fitting(panels, at), labels=labels, language=language)
    text = json.dumps({**data, "complete": True}, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    code = f"\n{script('standalone')}\n"
    return PAGE.format(
        language=escape(language),
        digest=b64encode(sha256(code.encode("utf-8")).digest()).decode("ascii"),
        title=escape(heading),
        heading=escape(heading),
        about=escape(about),
        page_style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        style=style(),
        data=text,
        script=code,
    )

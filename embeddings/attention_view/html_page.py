"""The view as one HTML file: nothing is loaded, and nothing but the view's own script may run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from embeddings.attention_view.drawing import as_css, as_javascript
from embeddings.attention_view.payload import Panel, ViewState, payload
from embeddings.probing.attention_answers import AVERAGE, AttentionMap
from embeddings.saved_page.answer import Source
from embeddings.saved_page.html_page import offline_page, source_footer
from embeddings.saved_page.widget import widget_bundle

ATTENTION_VIEW_FOLDER = Path(__file__).parent
VIEW_SCRIPTS = ("decode", "elements", "lines", "matrix", "grid", "controls", "save", "view")
LARGEST = 12_000_000  # bytes of weights in a file


@lru_cache(maxsize=1)
def style() -> str:
    """Return the view's CSS, the colours of the drawing before it."""
    return as_css() + (ATTENTION_VIEW_FOLDER / "view.css").read_text(encoding="utf-8")


@lru_cache(maxsize=2)
def script(last: str) -> str:
    """Return the view's JavaScript: how it is drawn, its parts, and the ``last`` one, which starts it."""
    files = (ATTENTION_VIEW_FOLDER / f"{name}.js" for name in (*VIEW_SCRIPTS, last))
    return "\n".join((as_javascript(), *(file.read_text(encoding="utf-8") for file in files)))


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
    source: Source,
    about: str = "",
    labels: Mapping[str, str] | None = None,
) -> str:
    """Return the HTML of a file that shows the texts: ``heading`` and ``about`` are above, ``source`` is below."""
    body = (
        f'<header><h1>{escape(heading)}</h1><p class="about">{escape(about)}</p></header>'
        f'<main><div class="klyuch-attention"></div></main>{source_footer(source)}'
    )
    language = source.language
    data = _complete(panels, at, labels, language)
    return offline_page(heading, body, data, "attention", style(), script("standalone"), language)


def notebook_view(attention: AttentionMap, **options: Any) -> Any:
    """Return what a notebook displays of a map, as it was computed or prepared: the view at its most telling head."""
    shown = attention if AVERAGE in attention.heads else attention.prepare()
    panel = Panel(shown, attention.head_profiles())
    at = ViewState(*shown.telling_head())
    return widget_bundle(
        script("notebook"), style(), "drawAttention", lambda: _complete([panel], at), **options
    )


def _complete(
    panels: Sequence[Panel],
    at: ViewState,
    labels: Mapping[str, str] | None = None,
    language: str = "en",
) -> dict[str, object]:
    """Return the view with all the heads that it will ever show."""
    data = payload(panels, at, fitting(panels, at), labels=labels, language=language)
    return {**data, "complete": True}

"""One head as an SVG without a browser: lines or matrix, dark ink on white, every text escaped.

The view as one HTML file: nothing is loaded, and nothing but the view's own script may run.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path
from xml.sax.saxutils import escape as escape_xml

import numpy as np
from numpy.typing import NDArray

from embeddings.attention_view.payload import (
    LABELS,
    Panel,
    ViewState,
    payload,
    scale_end,
    thumbnails,
)
from embeddings.results.attention_map import AttentionMap, Side

COLOURS = ("#0072B2", "#D55E00")  # first and second sentence (Okabe and Ito)
INK, MUTED = "#22201c", "#6b6760"
MOST_LINES = 1200  # the strongest
FAINT = 0.004  # of the strongest: fainter marks cannot be seen
ROW, LETTER, GAP, TOP = 24.0, 8.2, 32.0, 76.0
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold


def picture(panels: Sequence[Panel], at: ViewState) -> str:
    """Return an SVG of texts beside each other; weights are drawn relative to the largest of all."""
    top = max(_largest(panel.shown, at) for panel in panels)
    drawing = {"lines": _lines, "matrix": _matrix, "grid": _grid}[at.view]
    x, height, body = GAP, 0.0, []
    for panel in panels:
        marks, wide, high = drawing(panel.shown, at, top)
        where = f"{LABELS['layer']} {at.layer}, {LABELS['head']} {LABELS.get(at.head, at.head)}"
        caption = " · ".join(filter(None, ["" if at.view == "grid" else where, panel.title]))
        if len(panels) == 1:  # else the neighbour stands there
            wide = max(wide, min(900.0, LETTER * len(caption)))
        body.append(_text(x, 28, _clip(caption, wide), size=14))
        body.append(f'<g transform="translate({x:.1f} {TOP})">{"".join(marks)}</g>')
        x, height = x + wide + GAP, max(height, high)
    height += TOP + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {x:.0f} {height:.0f}" font-family="sans-serif">'
        f'<rect width="{x:.0f}" height="{height:.0f}" fill="#ffffff"/>{"".join(body)}</svg>\n'
    )


def _largest(shown: AttentionMap, at: ViewState) -> float:
    """Return the largest weight of the head shown, or where the scale has to end at least."""
    return float(shown.head_weights(at.layer, at.head).max(initial=scale_end(len(shown.to_side))))


def _lines(shown: AttentionMap, at: ViewState, top: float) -> tuple[list[str], float, float]:
    """Draw two columns of words and the strongest lines between them."""
    weights = shown.head_weights(at.layer, at.head)
    left = min(220.0, _widest(shown.from_side) + 14)
    right = left + 300.0
    strength = weights.ravel() / top
    chosen = np.flatnonzero(strength >= max(FAINT, 0.02))
    chosen = chosen[np.argsort(strength[chosen])][-MOST_LINES:]
    named = (
        _text(left, -14, LABELS["from"], "end", 12, MUTED),
        _text(right, -14, LABELS["to"], size=12, ink=MUTED),
    )
    marks = list(named)
    for cell in chosen:
        row, column = divmod(int(cell), weights.shape[1])
        strength_of = float(strength[cell])
        y, z = ROW * (row + 0.5), ROW * (column + 0.5)
        middle = (left + right) / 2
        marks.append(
            f'<path d="M{left:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {z:.1f} {right:.1f} {z:.1f}"'
            f' fill="none" stroke="{_colour(shown.from_side, row)}" stroke-width="{0.8 + 2.6 * strength_of:.2f}"'
            f' stroke-opacity="{0.02 + 0.98 * strength_of**1.4:.3f}"/>'
        )
    for side, x, anchor in (
        (shown.from_side, left - 8, "end"),
        (shown.to_side, right + 8, "start"),
    ):
        for row, label in enumerate(side.labels):
            text = _clip(label, 210)
            marks.append(_text(x, ROW * (row + 0.5), text, anchor, ink=_ink(side, row)))
    wide = right + min(220.0, _widest(shown.to_side) + 14)
    return marks, wide, ROW * max(len(shown.from_side), len(shown.to_side))


def _matrix(shown: AttentionMap, at: ViewState, top: float) -> tuple[list[str], float, float]:
    """Draw a shaded cell for each pair of words."""
    weights = shown.head_weights(at.layer, at.head)
    left, above = (min(150.0, _widest(side) + 12) for side in (shown.from_side, shown.to_side))
    cell = min(34.0, max(11.0, 700.0 / max(1, weights.shape[1])))
    marks = _cells(shown.from_side, weights / top, (left, above), (cell, cell))
    size = min(14.0, cell * 0.95)
    for row, label in enumerate(shown.from_side.labels):
        y, ink = above + cell * (row + 0.5), _ink(shown.from_side, row)
        marks.append(_text(left - 6, y, _clip(label, left - 8), "end", size=size, ink=ink))
    for column, label in enumerate(shown.to_side.labels):
        x, ink = left + cell * (column + 0.5), _ink(shown.to_side, column)
        text = _text(0, 0, _clip(label, above - 8), size=size, ink=ink)
        marks.append(f'<g transform="translate({x:.1f} {above - 6:.1f}) rotate(-90)">{text}</g>')
    rows, columns = weights.shape
    return marks, left + columns * cell, above + rows * cell


def _grid(shown: AttentionMap, at: ViewState, top: float) -> tuple[list[str], float, float]:  # noqa: ARG001
    """Draw every head small, a row a layer, each relative to its own largest value."""
    small = thumbnails(shown.weights).astype(np.float32) / 255
    edge, step, marks = 84.0, 96.0, []
    rows, columns = small.shape[-2:]
    size = (edge / max(1, columns), edge / max(1, rows))
    for column, head in enumerate(shown.heads):
        marks.append(_text(30 + column * step + edge / 2, 8, LABELS.get(head, head), "middle", 12))
    for layer in range(shown.layers):
        y = 24 + layer * step
        marks.append(_text(8, y + edge / 2, str(layer + 1), size=12))
        for column in range(len(shown.heads)):
            x = 30 + column * step
            frame = f'x="{x}" y="{y}" width="{edge}" height="{edge}"'
            marks.append(f'<rect {frame} fill="none" stroke="#bbb6a8"/>')
            marks += _cells(shown.from_side, small[layer, column], (x, y), size)
    return marks, 30 + len(shown.heads) * step, 24 + shown.layers * step


def _cells(
    side: Side,
    strength: NDArray[np.float32],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> list[str]:
    """Return a rectangle for each value that can be seen, in the colour of its row's sentence."""
    rows, columns = np.nonzero(strength >= FAINT)
    units = len(side) / max(1, len(strength))  # units that a row stands for
    return [
        f'<rect x="{corner[0] + size[0] * column:.1f}" y="{corner[1] + size[1] * row:.1f}"'
        f' width="{size[0]:.2f}" height="{size[1]:.2f}" fill="{_colour(side, int(row * units))}"'
        f' fill-opacity="{strength[row, column]:.3f}"/>'
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _colour(side: Side, row: int) -> str:
    """Return the colour of a unit's sentence."""
    return COLOURS[min(side.segments[row], 1)]


def _ink(side: Side, row: int) -> str:
    """Return the colour of a unit's text."""
    return MUTED if side.special[row] else INK


def _widest(side: Side) -> float:
    """Return the width of the longest label, in pixels, by and large."""
    return LETTER * max((len(label) for label in side.labels), default=0)


def _clip(text: str, width: float) -> str:
    """Cut a label that is too wide."""
    most = max(2, int(width / LETTER))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(
    x: float, y: float, text: str, anchor: str = "start", size: float = 14, ink: str = INK
) -> str:
    """Return a text whose middle line is at ``y``."""
    text = escape_xml(_CONTROL.sub("\ufffd", text))
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central"'
        f' font-size="{size:.1f}" fill="{ink}">{text}</text>'
    )


FOLDER = Path(__file__).parent
PARTS = ("decode", "drawing", "lines", "matrix", "grid", "controls", "save", "view")
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
    """Return the view's CSS."""
    return (FOLDER / "view.css").read_text(encoding="utf-8")


@lru_cache(maxsize=2)
def script(last: str) -> str:
    """Return the view's JavaScript: its parts, and the ``last`` one, which starts it."""
    return "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in (*PARTS, last))


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

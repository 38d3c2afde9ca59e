"""Heads as an SVG without a browser: lines, a matrix or all heads small; dark ink on white, every text escaped.

What is drawn and how is `embeddings.attention_view.drawing`'s, as in the browser; only the widths of texts are estimated.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from embeddings.attention_view import payload
from embeddings.attention_view.drawing import DRAWING, stroke, strongest_lines
from embeddings.probing.attention_answers import AttentionMap, Side
from embeddings.results import Value

LETTER_WIDTH = 8.2  # pixels of a letter of `DRAWING.size`, by and large
TOP_MARGIN, BOTTOM_MARGIN = 76.0, 24.0  # above the marks, for the caption, and below them
WIDEST_WORD, BETWEEN = 220.0, 300.0  # of a column of words; from one column to the other
MATRIX, CAPTION = 700.0, 900.0  # widths that are aimed at
THUMBNAIL_EDGE, THUMBNAIL_STEP, HEAD_ROW, LAYER_COLUMN = 84.0, 96.0, 24.0, 30.0  # of the thumbnails
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold


class SvgElements(Value):
    """Elements of SVG, and the width and height that they take."""

    elements: list[str]
    width: float
    height: float


def picture(panel: payload.Panel, at: payload.ViewState) -> str:
    """Return an SVG of a text; weights are drawn relative to the head's largest, or `scale_end`."""
    shown, small = panel.shown, at.view == "grid"
    weights = shown.head_weights(at.layer, at.head)
    strength = weights / float(weights.max(initial=payload.scale_end(len(shown.to_side))))
    draw = {"lines": _lines, "matrix": _matrix, "grid": _grid}[at.view]
    marks = draw(shown, strength)
    head = f"{payload.LABELS['layer']} {at.layer}, {payload.LABELS['head']} {payload.LABELS.get(at.head, at.head)}"
    caption = " · ".join(filter(None, ["" if small else head, panel.title]))
    inner = max(marks.width, min(CAPTION, LETTER_WIDTH * len(caption)))
    width, height = inner + 2 * DRAWING.gap, marks.height + TOP_MARGIN + BOTTOM_MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="{DRAWING.font}">'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{DRAWING.paper}"/>'
        f"{_text(DRAWING.gap, 28, _clip(caption, inner))}"
        f'<g transform="translate({DRAWING.gap:.1f} {TOP_MARGIN})">{"".join(marks.elements)}</g></svg>\n'
    )


def _lines(shown: AttentionMap, strength: NDArray[np.float32]) -> SvgElements:
    """Draw two columns of words and the strongest lines between them."""
    units = max(len(shown.from_side), len(shown.to_side))
    row_height = DRAWING.row_long if units > DRAWING.long else DRAWING.row
    size = DRAWING.line_size_long if units > DRAWING.long else DRAWING.line_size
    left = min(WIDEST_WORD, _widest(shown.from_side) + DRAWING.margin)
    right = left + BETWEEN
    small, muted = DRAWING.small, DRAWING.muted
    elements = [
        _text(left, -14, payload.LABELS["from"], "end", small, muted),
        _text(right, -14, payload.LABELS["to"], size=small, ink=muted),
    ]
    for cell in strongest_lines(strength, 1.0).tolist():
        row, column = divmod(cell, strength.shape[1])
        width, opacity = stroke(float(strength[row, column]))
        curve = DRAWING.curve.format(
            left=f"{left:.1f}",
            middle=f"{(left + right) / 2:.1f}",
            right=f"{right:.1f}",
            start=f"{row_height * (row + 0.5):.1f}",
            end=f"{row_height * (column + 0.5):.1f}",
        )
        elements.append(
            f'<path d="{curve}" fill="none" stroke="{_colour(shown.from_side, row)}"'
            f' stroke-width="{width}" stroke-opacity="{opacity}"/>'
        )
    for side, x, anchor in (
        (shown.from_side, left - DRAWING.beside, "end"),
        (shown.to_side, right + DRAWING.beside, "start"),
    ):
        for row, label in enumerate(side.labels):
            word, y = _clip(label, WIDEST_WORD - 10), row_height * (row + 0.5)
            elements.append(_text(x, y, word, anchor, size, _ink(side, row)))
    width = right + min(WIDEST_WORD, _widest(shown.to_side) + DRAWING.margin)
    return SvgElements(elements, width, row_height * units)


def _matrix(shown: AttentionMap, strength: NDArray[np.float32]) -> SvgElements:
    """Draw a shaded cell for each pair of words."""
    rows, columns = strength.shape
    margin = DRAWING.label_margin
    left = min(DRAWING.label_width, _widest(shown.from_side) + margin)
    above = min(DRAWING.label_height, _widest(shown.to_side) + margin)
    smallest, largest = DRAWING.cell
    cell = min(largest, max(smallest, MATRIX / max(1, columns)))
    elements = _cells(shown.from_side, strength, (left, above), (cell, cell))
    size = min(DRAWING.size, cell * DRAWING.letter_of_cell)
    for row, label in enumerate(shown.from_side.labels):
        y, ink = above + cell * (row + 0.5), _ink(shown.from_side, row)
        elements.append(_text(left - 6, y, _clip(label, left - 8), "end", size, ink))
    for column, label in enumerate(shown.to_side.labels):
        x, ink = left + cell * (column + 0.5), _ink(shown.to_side, column)
        word = _text(0, 0, _clip(label, above - 8), size=size, ink=ink)
        elements.append(f'<g transform="translate({x:.1f} {above - 6:.1f}) rotate(-90)">{word}</g>')
    return SvgElements(elements, left + columns * cell, above + rows * cell)


def _grid(shown: AttentionMap, strength: NDArray[np.float32]) -> SvgElements:  # noqa: ARG001
    """Draw every head small, a row a layer, each relative to its own largest value."""
    small = payload.thumbnails(shown.weights).astype(np.float32) / 255
    rows, columns = small.shape[-2:]
    cell = (THUMBNAIL_EDGE / max(1, columns), THUMBNAIL_EDGE / max(1, rows))
    elements = []
    for column, head in enumerate(shown.heads):
        x = LAYER_COLUMN + column * THUMBNAIL_STEP + THUMBNAIL_EDGE / 2
        elements.append(_text(x, 8, payload.LABELS.get(head, head), "middle", DRAWING.small))
    for layer in range(shown.layers):
        y = HEAD_ROW + layer * THUMBNAIL_STEP
        elements.append(_text(8, y + THUMBNAIL_EDGE / 2, str(layer + 1), size=DRAWING.small))
        for column in range(len(shown.heads)):
            x = LAYER_COLUMN + column * THUMBNAIL_STEP
            frame = f'x="{x}" y="{y}" width="{THUMBNAIL_EDGE}" height="{THUMBNAIL_EDGE}"'
            elements.append(f'<rect {frame} fill="none" stroke="{DRAWING.frame}"/>')
            elements += _cells(shown.from_side, small[layer, column], (x, y), cell)
    return SvgElements(
        elements,
        LAYER_COLUMN + len(shown.heads) * THUMBNAIL_STEP,
        HEAD_ROW + shown.layers * THUMBNAIL_STEP,
    )


def _cells(
    side: Side,
    strength: NDArray[np.float32],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> list[str]:
    """Return a rectangle for each value that can be seen, in the colour of its row's sentence."""
    rows, columns = np.nonzero(strength >= DRAWING.faint)
    units = len(side) / max(1, len(strength))  # units that a row stands for
    return [
        f'<rect x="{corner[0] + size[0] * column:.1f}" y="{corner[1] + size[1] * row:.1f}"'
        f' width="{size[0]:.2f}" height="{size[1]:.2f}" fill="{_colour(side, int(row * units))}"'
        f' fill-opacity="{strength[row, column]:.3f}"/>'
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _colour(side: Side, row: int) -> str:
    """Return the colour of a unit's sentence."""
    return DRAWING.segments[side.segments[row]]


def _ink(side: Side, row: int) -> str:
    """Return the colour of a unit's text."""
    return DRAWING.muted if side.special[row] else DRAWING.ink


def _widest(side: Side) -> float:
    """Return the width of the longest label, in pixels, by and large."""
    return LETTER_WIDTH * max((len(label) for label in side.labels), default=0)


def _clip(text: str, width: float) -> str:
    """Cut a label that is too wide."""
    most = max(2, int(width / LETTER_WIDTH))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(
    x: float,
    y: float,
    text: str,
    anchor: str = "start",
    size: float = DRAWING.size,
    ink: str = DRAWING.ink,
) -> str:
    """Return a text whose middle line is at ``y``."""
    text = escape(_CONTROL.sub("\ufffd", text))
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central"'
        f' font-size="{size:.1f}" fill="{ink}">{text}</text>'
    )

"""How attention is drawn: colours, sizes and which lines are drawn, said once for the browser and for the picture.

The view's JavaScript gets `DRAWING` as a constant of that name (`as_javascript`), its style sheet the colours as variables (`as_css`);
`embeddings.attention_view.svg_picture` draws from the same. Widths of texts are measured in a browser and estimated there.
"""

from __future__ import annotations

import json
from dataclasses import asdict, field

import numpy as np
from numpy.typing import NDArray

from embeddings.results import Value

STEPS = 200  # of the table of strokes


def _strokes() -> tuple[tuple[float, float], ...]:
    """Width in pixels and opacity of lines by their strength in `STEPS` steps from 0 to 1: the stronger, the thicker and darker."""
    strengths = [step / STEPS for step in range(STEPS + 1)]
    return tuple((round(0.8 + 2.6 * s, 2), round(0.02 + 0.98 * s**1.4, 3)) for s in strengths)


class AttentionStyle(Value):
    """Lengths in pixels, strengths and opacities in [0, 1]: a weight over the largest of all texts shown (or `scale_end`)."""

    # colours on paper; the screen mixes them with those of its theme
    segments: tuple[str, str] = ("#0072B2", "#D55E00")  # 1st and 2nd sentence (Okabe and Ito 2008)
    ink: str = "#22201c"
    muted: str = "#6b6760"
    paper: str = "#ffffff"
    frame: str = "#bbb6a8"
    font: str = "sans-serif"

    # what is drawn
    faint: float = 0.004  # strength below which no mark can be seen
    numbered: float = 0.66  # opacity of the strongest cell that carries a number: the theme's ink is read on it at 4.5 : 1
    faint_line: float = 0.02  # the same of a line
    most_lines: int = 1200  # the strongest; a word pointed at always shows all of its own
    strokes: tuple[tuple[float, float], ...] = field(default_factory=_strokes)
    curve: str = "M{left} {start}C{middle} {start} {middle} {end} {right} {end}"

    # texts
    size: float = 14  # of a letter
    small: float = 12  # of the names of columns
    gap: float = 32  # between texts beside each other

    # lines: rows of words, smaller ones where a side has more than ``long`` of them
    long: int = 80
    row: float = 25
    row_long: float = 19
    line_size: float = 15
    line_size_long: float = 13
    beside: float = 8  # between a word and its end of a line
    margin: float = 14  # of the widest word

    # matrix
    cell: tuple[float, float] = (11, 40)  # smallest and largest edge of a cell
    label_width: float = 150
    label_height: float = 130
    label_margin: float = 12
    letter_of_cell: float = 0.95  # a letter's size in a cell's row


DRAWING = AttentionStyle()


def strongest_lines(weights: NDArray[np.floating], largest: float) -> NDArray[np.int64]:
    """Return which weights of a head are drawn as lines: the strongest that can be seen, weak ones first.

    Parameters
    ----------
    weights : NDArray of float, shape (from, to)
    largest : float
        What the head's strengths are relative to.

    Returns
    -------
    NDArray of int64, shape (lines,)
        Numbers of the cells, counted row by row.
    """
    flat = weights.ravel()
    visible = np.flatnonzero((flat > 0) & (flat >= DRAWING.faint_line * largest))
    strongest = visible[np.argsort(flat[visible], kind="stable")]
    return strongest[-DRAWING.most_lines :].astype(np.int64)


def stroke(strength: float) -> tuple[float, float]:
    """Return width and opacity of a line."""
    return DRAWING.strokes[round(min(1.0, max(0.0, strength)) * STEPS)]


def as_javascript() -> str:
    """Return the description as a constant of the view's script."""
    return f"const DRAWING = {json.dumps(asdict(DRAWING), separators=(',', ':'))};"


def as_css() -> str:
    """Return the colours as variables of the view's style sheet."""
    first, second = DRAWING.segments
    colours = {"first": first, "second": second, "ink": DRAWING.ink}
    return "".join(
        (
            ".klyuch-attention {",
            *(f" --klyuch-paper-{name}: {colour};" for name, colour in colours.items()),
            " }\n",
        )
    )

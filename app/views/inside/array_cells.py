"""Inside: where the person stands, and a matrix drawn as cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from app.figures.network_arrays import CellStyle, cells_figure
from app.widgets import outputs
from app.widgets.frame import PageState
from embeddings.results.network_walks import Walk
from embeddings.shelf import Entry

CELLS = 8  # columns whose numbers are shown at once
MOST = 12  # tokens up to which a matrix of all with all carries its numbers


class Shown(Protocol):
    """What a matrix must know of where the person stands: the sentence, the first column shown."""

    @property
    def page(self) -> PageState:
        """The page's frame."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def first(self) -> int:
        """First column shown."""


@dataclass(frozen=True)
class EncoderView:
    """A sentence in a network: ``token`` is the position followed, ``first`` the first column shown."""

    page: PageState
    entry: Entry
    text: str
    found: Walk
    token: int
    first: int


def window(
    at: Shown, values: NDArray[np.floating], rows: Sequence[str], key: str, title: str
) -> None:
    """Draw eight columns of a wide matrix with their numbers."""
    first = min(at.first, max(0, values.shape[1] - CELLS))
    part = values[:, first : first + CELLS]
    columns = [str(first + i + 1) for i in range(part.shape[1])]
    size = at.page.say("inside.of", title=title, rows=values.shape[0], columns=values.shape[1])
    drawn = cells_figure(part, rows, columns, CellStyle(size), at.page.say.separators)
    _out(at, drawn, key, title, values, rows)


def whole(
    at: EncoderView, values: NDArray[np.floating], key: str, title: str, every: int = 0
) -> None:
    """Draw a wide matrix as shades alone, a row a token."""
    whole_of(at, values, at.found.tokens, key, title, every)


def whole_of(
    at: Shown,
    values: NDArray[np.floating],
    rows: Sequence[str],
    key: str,
    title: str,
    every: int = 0,
) -> None:
    """Draw a wide matrix as shades alone."""
    columns = [str(i + 1) for i in range(values.shape[1])]
    size = at.page.say("inside.of", title=title, rows=values.shape[0], columns=values.shape[1])
    look = CellStyle(size, numbers=False, every=every)
    drawn = cells_figure(values, rows, columns, look, at.page.say.separators)
    _out(at, drawn, key, title, values, rows)


def square(
    at: EncoderView, values: NDArray[np.floating], key: str, title: str, *, share: bool = False
) -> None:
    """Draw a matrix of each token with each; a long sentence has its numbers on pointing only."""
    tokens = at.found.tokens
    each(at, values, (tokens, tokens), key, title, share=share)


def each(
    at: Shown,
    values: NDArray[np.floating],
    sides: tuple[Sequence[str], Sequence[str]],
    key: str,
    title: str,
    *,
    share: bool = False,
) -> None:
    """Draw a matrix of what looks (rows) with what is looked at; long ones have numbers on pointing."""
    rows, columns = sides
    longest = max(len(rows), len(columns))
    look = CellStyle(title, share=share, numbers=longest <= MOST)
    drawn = cells_figure(values, rows, columns, look, at.page.say.separators)
    _out(at, drawn, key, title, values, rows)
    if longest > MOST:
        st.caption(at.page.say("inside.long", tokens=longest, most=MOST))


def _out(
    at: Shown,
    drawn: go.Figure,
    key: str,
    title: str,
    values: NDArray[np.floating],
    rows: Sequence[str],
) -> None:
    """Show a figure and offer its whole matrix."""
    say = at.page.say
    outputs.figure(say, drawn, f"inside-{key}", say("inside.cells_alt", title=title, text=at.text))
    table = pd.DataFrame(values, columns=[str(i + 1) for i in range(values.shape[1])])
    table.insert(0, say("inside.token"), list(rows))
    outputs.csv(say, table, f"inside-{key}")

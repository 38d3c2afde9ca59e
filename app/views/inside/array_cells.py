"""Inside: arrays drawn as cells, and the row of buttons that leads through the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.plain_figure import Figure
from app.widgets import address, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.probing.network_walks import AttentionWalk, HeadWalk, Walk
from embeddings.shelf import Entry

COLUMNS_SHOWN = 8  # columns whose numbers are shown at once
MAX_NUMBERED_TOKENS = 12  # tokens up to which a matrix of all with all carries its numbers


class ArrayView(Protocol):
    """What drawing an array needs: the page's frame, the sentence, the first column shown."""

    @property
    def page(self) -> PageState:
        """The page's frame."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def first(self) -> int:
        """First column shown."""


View = TypeVar("View", bound=ArrayView)


@dataclass(frozen=True)
class EncoderView:
    """A sentence in a network: ``token`` is the position followed, ``first`` the first column shown."""

    page: PageState
    entry: Entry
    text: str
    walk: Walk
    token: int
    first: int


@dataclass(frozen=True)
class WalkStep(Generic[View]):
    """A step of a walk: what draws it, its formula, and what it asks for.

    ``asks`` names some of "layer", "head", "token" and "columns".
    """

    draw: Callable[[View], None]
    formula: str = ""
    asks: str = ""


def show_step(part: str, steps: Mapping[str, WalkStep[View]], step: str, view: View) -> None:
    """Write a step's heading, its sentence and formula, and draw it."""
    say, number = view.page.say, list(steps).index(step) + 1
    st.header(f"{number}. {say(f'{part}.{step}_title')}", anchor=False)
    st.markdown(say(f"{part}.{step}_lead"))
    if steps[step].formula:
        st.latex(steps[step].formula)
    steps[step].draw(view)


def draw_columns(
    view: ArrayView, values: NDArray[np.floating], rows: Sequence[str], key: str, title: str
) -> None:
    """Draw some columns of a wide matrix with their numbers."""
    first = min(view.first, max(0, values.shape[1] - COLUMNS_SHOWN))
    shown_values = values[:, first : first + COLUMNS_SHOWN]
    columns = [str(first + i + 1) for i in range(shown_values.shape[1])]
    size = view.page.say("inside.of", title=title, rows=values.shape[0], columns=values.shape[1])
    figure = cells_figure(shown_values, rows, columns, CellStyle(size), view.page.say.separators)
    _show_and_offer(view, figure, key, title, values, rows)


def draw_token_shades(
    view: EncoderView, values: NDArray[np.floating], key: str, title: str, every: int = 0
) -> None:
    """Draw a wide matrix as shades alone, a row a token."""
    draw_shades(view, values, view.walk.tokens, key, title, every)


def draw_shades(
    view: ArrayView,
    values: NDArray[np.floating],
    rows: Sequence[str],
    key: str,
    title: str,
    every: int = 0,
) -> None:
    """Draw a wide matrix as shades alone."""
    columns = [str(i + 1) for i in range(values.shape[1])]
    size = view.page.say("inside.of", title=title, rows=values.shape[0], columns=values.shape[1])
    style = CellStyle(size, numbers=False, every=every)
    figure = cells_figure(values, rows, columns, style, view.page.say.separators)
    _show_and_offer(view, figure, key, title, values, rows)


def draw_token_square(
    view: EncoderView, values: NDArray[np.floating], key: str, title: str, *, share: bool = False
) -> None:
    """Draw a matrix of each token with each; a large one shows its numbers on hover."""
    tokens = view.walk.tokens
    draw_square(view, values, (tokens, tokens), key, title, share=share)


def draw_square(
    view: ArrayView,
    values: NDArray[np.floating],
    sides: tuple[Sequence[str], Sequence[str]],
    key: str,
    title: str,
    *,
    share: bool = False,
) -> None:
    """Draw a matrix of queries (rows) by keys (columns); a large one shows its numbers on hover."""
    rows, columns = sides
    longest = max(len(rows), len(columns))
    style = CellStyle(title, share=share, numbers=longest <= MAX_NUMBERED_TOKENS)
    figure = cells_figure(values, rows, columns, style, view.page.say.separators)
    _show_and_offer(view, figure, key, title, values, rows)
    if longest > MAX_NUMBERED_TOKENS:
        st.caption(view.page.say("inside.long", tokens=longest, most=MAX_NUMBERED_TOKENS))


def show_score_row(
    page: PageState,
    attention: HeadWalk | AttentionWalk,
    names: Mapping[str, str],
    keys: Sequence[str],
    token: int,
) -> pd.DataFrame:
    """Show one token's way from scores to weights as a table; return its rows in full precision.

    ``names`` say what the stages of ``attention`` are called, the exponentials as "powers";
    ``keys`` are the tokens that are attended to.
    """
    say = page.say
    columns = {name: getattr(attention, stage)[token] for stage, name in names.items()}
    rows = pd.DataFrame({say("inside.looks_at"): list(keys), **columns})
    formatted = rows.assign(
        **{
            name: [say.number(float(value), 3) for value in values]
            for name, values in columns.items()
        }
    )
    sums = dict.fromkeys(formatted.columns, "") | {say("inside.looks_at"): say("inside.sum")}
    for stage in ("powers", "weights"):
        sums[names[stage]] = say.number(float(columns[names[stage]].sum()), 3)
    outputs.written_table(
        pd.concat([formatted, pd.DataFrame([sums])]).set_index(say("inside.looks_at"))
    )
    st.caption(say("inside.row_note"))
    return rows


def _show_and_offer(
    view: ArrayView,
    figure: Figure,
    key: str,
    title: str,
    values: NDArray[np.floating],
    rows: Sequence[str],
) -> None:
    """Show a figure and offer its whole matrix."""
    say = view.page.say
    outputs.figure(
        say, figure, f"inside-{key}", say("inside.cells_alt", title=title, text=view.text)
    )
    outputs.csv(say, lambda: _cell_rows(say("inside.token"), values, rows), f"inside-{key}")


def _cell_rows(title: str, values: NDArray[np.floating], rows: Sequence[str]) -> pd.DataFrame:
    """Return the whole matrix, with the name of each row."""
    table = pd.DataFrame(values, columns=[str(i + 1) for i in range(values.shape[1])])
    table.insert(0, title, list(rows))
    return table


def offer_next_steps(say: Wording, part: str, names: Sequence[str], step: str) -> None:
    """Offer the step before and the step after, of the "inside" (the encoder's) or the "decoder"."""
    index = names.index(step)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for key, neighbour in (("back", index - 1), ("next", index + 1)):
            if 0 <= neighbour < len(names):
                st.button(
                    say(f"inside.{key}", step=say(f"{part}_step.{names[neighbour]}")),
                    key=f"{part}-{key}",
                    on_click=address.put,
                    kwargs={f"{part}_step": names[neighbour]},
                )

"""Inside: a sentence on its way through a half of a network: its steps, what each asks for, arrays drawn as cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from app.figures.network_arrays import CellStyle, cells_figure
from app.shelf_models import ask, open_with_base
from app.widgets import footer, inputs, outputs
from app.widgets.frame import PageState
from embeddings.probing.network_walks import AttentionWalk
from embeddings.shelf import Entry

COLUMNS_SHOWN = 8  # columns whose numbers are shown at once
MAX_NUMBERED_TOKENS = 12  # tokens up to which a matrix of all with all carries its numbers
Array = NDArray[np.floating]
W = TypeVar("W")


@dataclass(frozen=True)
class WalkView(Generic[W]):
    """A sentence in a network: ``token`` is the position followed, ``first`` the first column shown."""

    page: PageState
    entry: Entry
    text: str
    walk: W
    tokens: tuple[str, ...]
    token: int
    first: int

    @property
    def followed(self) -> str:
        """The token that is followed, with its position."""
        return f"{self.token} · {self.tokens[self.token]}"

    def draw_columns(self, values: Array, key: str, title: str, rows: Sequence[str] = ()) -> None:
        """Draw some columns of a wide matrix with their numbers; its ``rows`` are the tokens if nothing else is given."""
        first = min(self.first, max(0, values.shape[1] - COLUMNS_SHOWN))
        style = CellStyle(self._sized(title, values))
        columns = slice(first, first + COLUMNS_SHOWN)
        self._draw(values, key, style, (rows or self.tokens, _numbers(values)), columns)

    def draw_shades(self, values: Array, key: str, title: str, every: int = 0) -> None:
        """Draw a wide matrix as shades alone, a row a token."""
        style = CellStyle(self._sized(title, values), numbers=False, every=every)
        self._draw(values, key, style, (self.tokens, _numbers(values)))

    def draw_parts(self, parts: Mapping[str, Array], key: str, title: str) -> None:
        """Draw several arrays for the token that is followed, a row each."""
        rows = np.stack([array[self.token] for array in parts.values()])
        self.draw_columns(rows, key, title, list(parts))

    def draw_square(
        self,
        values: Array,
        key: str,
        title: str,
        sides: tuple[Sequence[str], Sequence[str]] | None = None,
        *,
        share: bool = False,
    ) -> None:
        """Draw a matrix of queries (rows) by keys (columns), each token with each; a large one shows its numbers on hover."""
        rows, columns = sides or (self.tokens, self.tokens)
        longest = max(len(rows), len(columns))
        style = CellStyle(title, share=share, numbers=longest <= MAX_NUMBERED_TOKENS)
        self._draw(values, key, style, (rows, columns))
        if longest > MAX_NUMBERED_TOKENS:
            st.caption(self.page.say("inside.long", tokens=longest, most=MAX_NUMBERED_TOKENS))

    def draw_stage(
        self, attention: AttentionWalk, half: str, stages: Sequence[str], prefix: str
    ) -> None:
        """Ask for a stage of an attention between the same tokens, and draw it; ``prefix``: of its key."""
        say = self.page.say
        stage = inputs.choice(say, f"{half}_stage", stages)
        title, is_share = say(f"{half}_stage.{stage}"), stage == "weights"
        self.draw_square(getattr(attention, stage), f"{prefix}{stage}", title, share=is_share)
        st.caption(say(f"{half}.note_{stage}"))

    def _sized(self, title: str, values: Array) -> str:
        """Return a title with the size of the matrix."""
        return self.page.say("inside.of", title=title, rows=len(values), columns=values.shape[1])

    def _draw(
        self,
        values: Array,
        key: str,
        style: CellStyle,
        sides: tuple[Sequence[str], Sequence[str]],
        columns: slice = slice(None),
    ) -> None:
        """Draw some columns of a matrix, and offer the whole of it."""
        say, (rows, names) = self.page.say, sides
        figure = cells_figure(values[:, columns], rows, names[columns], style, say.separators)
        alt = say("inside.cells_alt", title=style.title, text=self.text)
        outputs.figure(say, figure, f"inside-{key}", alt)
        whole = pd.DataFrame(values, list(rows), _numbers(values))
        outputs.csv(say, lambda: whole.reset_index(names=say("inside.token")), f"inside-{key}")

    def show_score_row(
        self,
        attention: AttentionWalk,
        keys: Sequence[str],
        key: str,
        token: str,
        masked: str = "",
    ) -> None:
        """Show one token's way from scores to weights as a table.

        ``keys`` are the tokens that are attended to; ``masked`` is what the stage of the mask is called, if there is one.
        """
        say = self.page.say
        stages = {
            "scores": "q · k",
            "scaled": f"q · k / √{attention.query.shape[1]}",
            **({"masked": masked} if masked else {}),
            "powers": "exp(s − max)",
            "weights": "softmax",
        }
        columns = {name: getattr(attention, stage)[self.token] for stage, name in stages.items()}
        rows = pd.DataFrame(columns, pd.Index(keys, name=say("inside.looks_at"))).astype(float)
        number, summed = partial(say.number, digits=3), (stages["powers"], stages["weights"])
        sums = {name: number(rows[name].sum()) if name in summed else "" for name in rows}
        lines = pd.concat([rows.map(number), pd.DataFrame(sums, [say("inside.sum")])])
        st.subheader(say("inside.row_title", token=outputs.plain(token)), anchor=False)
        outputs.written_table(lines.rename_axis(rows.index.name))
        st.caption(say("inside.row_note"))
        outputs.csv(say, rows.reset_index, key)


@dataclass(frozen=True)
class WalkStep(Generic[W]):
    """A step of a walk: what draws it, and what it asks for.

    ``asks`` names some of "layer", "head", "token" and "columns".
    """

    draw: Callable[[WalkView[W]], None]
    asks: str = ""


@dataclass(frozen=True)
class Half(Generic[W]):
    """One of the two walks.

    Attributes
    ----------
    name : str
        With which keys of wording, address and code begin.
    steps : mapping
    verbs : type
        Whose question ``walk`` gives the walk.
    tokens : callable
        Of a walk, what its positions are called.
    labels : callable
        Of a walk, the positions that can be followed, with what they are called.
    width : callable
        Of settings and a step, the columns of its arrays.
    """

    name: str
    steps: Mapping[str, WalkStep[W]]
    verbs: Any
    tokens: Callable[[W], tuple[str, ...]]
    labels: Callable[[W], dict[str, str]]
    width: Callable[[Any, str], int]


def choose_step(page: PageState, half: Half[W], entry: Entry, text: str) -> tuple[str, WalkView[W]]:
    """Ask for a step and what it needs, and compute the arrays."""
    say = page.say
    step = inputs.choice(say, f"{half.name}_step", list(half.steps))
    asks = half.steps[step].asks.split()
    with st.spinner(say("inside.opening")):
        config = open_with_base(entry).network.config

    def number(asked: str, key: str, high: int) -> int:
        is_asked = asked in asks and high > 1
        return inputs.number(say, key, 1, 1, high) if is_asked else 1

    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        layer = number("layer", f"{half.name}_layer", config.num_hidden_layers)
        head = number("head", f"{half.name}_head", config.num_attention_heads)
        walk: W = ask(half.verbs.walk, entry, text, layer, head)
        token = "0"
        if "token" in asks:
            labels = half.labels(walk)
            token = inputs.pick(say, f"{half.name}_token", list(labels), labels)
        first = number("columns", f"{half.name}_from", half.width(config, step) - COLUMNS_SHOWN + 1)
    return step, WalkView(page, entry, text, walk, half.tokens(walk), int(token), first - 1)


def show_step(half: Half[W], step: str, view: WalkView[W]) -> None:
    """Write a step's heading, its sentence and formula, draw it, and offer the steps before and after it."""
    say, names = view.page.say, list(half.steps)
    index = names.index(step)
    st.header(f"{index + 1}. {say(f'{half.name}.{step}_title')}", anchor=False)
    st.markdown(say(f"{half.name}.{step}_lead"))
    if formula := footer.formulas(half.name).get(step):
        st.latex(formula)
    half.steps[step].draw(view)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for key, neighbour in (("back", index - 1), ("next", index + 1)):
            if 0 <= neighbour < len(names):
                inputs.put_button(
                    say(f"inside.{key}", step=say(f"{half.name}_step.{names[neighbour]}")),
                    f"{half.name}-{key}",
                    {f"{half.name}_step": names[neighbour]},
                )


def _numbers(values: Array) -> list[str]:
    """Return the numbers of columns, from 1."""
    return [str(column + 1) for column in range(values.shape[1])]

"""Shares in percent as ticks and as bars: guesses for a blank, the next token's candidates; and the hypotheses of the beam."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape

from app.figures.label_placement import draw_paths
from app.figures.palette import BLUE, BLUE_SHADES, GREEN, GREY, VERMILION
from app.figures.plain_figure import SPARE, Figure
from embeddings.probing.sentence_answers import FilledMask
from embeddings.probing.translation_answers import BeamNode, BeamTree, DecodingStep

SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


def decimal(value: float, digits: int, separators: str = ".,") -> str:
    """Return a number as the language writes it, a true minus before what is below zero; what rounds to zero has none.

    Examples
    --------
    >>> decimal(-0.125, 2, ",.")
    '−0,12'
    """
    return f"{value:z.{digits}f}".replace("-", MINUS).replace(".", separators[0])


def cut(text: str, longest: int) -> str:
    """Return a text with so many letters at most; the whole of it is in the hover."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def percent(share: float, digits: int = 0, separators: str = ".,") -> str:
    r"""Return a share in percent.

    Examples
    --------
    >>> percent(0.125, 1, ",.")
    '12,5\xa0%'
    """
    return f"{decimal(100 * share, digits, separators)}{SPACE}%"


def word_bars(
    rows: Sequence[tuple[str, float]],
    texts: Sequence[str],
    colours: Sequence[str],
    axis: str,
    hover: str,
) -> Figure:
    """Draw a bar for each word and number, in the order given.

    Parameters
    ----------
    rows : sequence of (str, float)
        A word may occur more than once.
    texts, colours : sequence of str
        One a bar; a text stands at its end.
    axis : str
        Title of the axis.
    hover : str
        How Plotly writes the number on hover.
    """
    words = [escape(word) for word, _ in rows]
    figure = Figure().draw(
        "bar",
        x=[value for _, value in rows],
        y=list(range(len(rows))),
        orientation="h",
        marker={"color": colours},
        text=texts,
        textposition="outside",
        cliponaxis=False,
        customdata=words,
        hovertemplate=f"%{{customdata}}<br>{hover}<extra></extra>",
    )
    margin = {"r": 56, "t": 8, "b": 48}
    figure.lay_out(70 + 30 * len(rows), margin=margin, bargap=0.3)
    figure.update_xaxes(title=escape(axis), fixedrange=True)
    figure.name_rows(words)
    return figure


def share_bars(
    rows: Sequence[tuple[str, float]],
    marked: Collection[str],
    axis: str,
    separators: str = ".,",
    colour: str = BLUE,
) -> Figure:
    """Draw `word_bars` of shares in [0, 1], in percent; the ``marked`` words in vermilion, others in ``colour``."""
    figure = word_bars(
        [(word, 100 * share) for word, share in rows],
        [_bar_label(share, separators) for _, share in rows],
        [VERMILION if word in marked else colour for word, _ in rows],
        axis,
        f"%{{x:.4f}}{SPACE}%",
    )
    largest = max((100 * share for _, share in rows), default=100.0)
    figure.update_xaxes(range=[0, 1.06 * largest], ticksuffix=f"{SPACE}%", nticks=6)
    return figure


def _bar_label(probability: float, separators: str) -> str:
    """Return a probability in percent, small ones with enough digits to be more than 0."""
    share = 100 * probability
    text = f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %" if share >= 1e-4 else "< 0.0001 %"
    return text.replace(".", separators[0])


BARS = 10  # guesses of the last layer that are drawn, the masked word's not counted
RANKS = 5  # guesses of a layer that are shown
FULL_SIZE_LETTERS = 8  # of a guess: so many fill a cell in full size
MAX_LETTERS = 13  # more are cut off
SIZE = 14


def guess_bars_figure(filled: FilledMask, axis: str, separators: str = ".,") -> Figure:
    """Draw the likeliest words of the last layer, and the masked word, as `chosen_bars` does."""
    guesses = [(guess.token, guess.probability) for guess in filled.guesses[:BARS]]
    masked = {word.word: word.probability for word in filled.requested}
    return chosen_bars(guesses, masked, axis, separators)


def layer_guesses_figure(filled: FilledMask, names: Sequence[str]) -> Figure:
    """Draw the guesses of each layer, a row a layer, the likeliest first; the darker, the surer.

    Parameters
    ----------
    filled : FilledMask
    names : sequence of str
        One a layer, the embedding output first.
    """
    layers = [layer[:RANKS] for layer in filled.by_layer]
    ranks = list(range(1, max(map(len, layers)) + 1))
    figure = Figure().draw(
        "heatmap",
        z=[[guess.probability for guess in layer] for layer in layers],
        x=ranks,
        y=list(range(len(layers))),
        text=[[escape(guess.token) for guess in layer] for layer in layers],
        colorscale=BLUE_SHADES,
        zmin=0,
        zmax=max(0.2, *(guess.probability for layer in layers for guess in layer)),
        showscale=False,
        xgap=3,
        ygap=3,
        hovertemplate="%{text}<br>%{z:.4f}<extra></extra>",
    )
    figure.lay_out(50 + 34 * len(layers))
    # annotations take the ink of the theme, text in cells does not
    for row, layer in enumerate(layers):
        for rank, guess in zip(ranks, layer, strict=False):
            figure.add_annotation(
                x=rank, y=row, text=escape(cut(guess.token, MAX_LETTERS)), showarrow=False,
                font={"size": SIZE * FULL_SIZE_LETTERS / max(FULL_SIZE_LETTERS, len(cut(guess.token, MAX_LETTERS)))},
            )  # fmt: skip
    figure.update_xaxes(side="top", tickvals=ranks, **SPARE)
    figure.name_rows([escape(name) for name in names])
    return figure


WINDOW = 9  # steps of the beam that are seen at once
BAND = "rgba(138,138,138,0.14)"
GROUP_SYMBOLS = {"chosen": "circle", "kept": "circle", "ended": "square"}
GROUP_COLOURS = {"chosen": VERMILION, "kept": BLUE, "ended": GREEN}


def candidates_figure(step: DecodingStep, axis: str, separators: str = ".,") -> Figure:
    """Draw the next token's candidates and the chosen one as `chosen_bars` does."""
    candidates = [(candidate.token, candidate.probability) for candidate in step.candidates]
    chosen = {step.chosen.token: step.chosen.probability}
    return chosen_bars(candidates, chosen, axis, separators)


def chosen_bars(
    rows: Sequence[tuple[str, float]], chosen: Mapping[str, float], axis: str, separators: str
) -> Figure:
    """Draw `share_bars` of which the chosen words are in vermilion, below where they are not among the others."""
    words = {word for word, _ in rows}
    missing = [(word, share) for word, share in chosen.items() if word not in words]
    return share_bars([*rows, *missing], chosen, axis, separators)


def beam_figure(tree: BeamTree, step: int, names: Mapping[str, str], axis: str) -> Figure:
    """Draw the hypotheses that the beam kept or that ended, one column per step, the most probable on top.

    Parameters
    ----------
    tree : BeamTree
    step : int
        The step that is marked and in the middle.
    names : mapping of str to str
        "kept", "ended", "chosen" in the reader's language.
    axis : str
        Title of the axis.
    """
    rows = beam_rows(tree)
    figure = Figure()
    for is_best, colour, width in ((False, GREY, 1.2), (True, VERMILION, 3.0)):
        drawn = [number for number in rows if tree.nodes[number].is_best == is_best]
        edges = [
            [(tree.nodes[end].step, rows[end]) for end in (tree.nodes[number].parent, number)]
            for number in drawn
            if tree.nodes[number].parent in rows
        ]
        draw_paths(figure, edges, {"color": colour, "width": width})
    for group, symbol in GROUP_SYMBOLS.items():
        numbers = [number for number in rows if _node_group(tree.nodes[number]) == group]
        nodes = [tree.nodes[number] for number in numbers]
        figure.draw(
            "scatter",
            x=[node.step for node in nodes],
            y=[rows[number] for number in numbers],
            mode="markers+text",
            name=names[group],
            marker={"color": GROUP_COLOURS[group], "symbol": symbol, "size": 10},
            text=[escape(node.token) for node in nodes],
            textposition="top center",
            textfont={"size": 13},
            customdata=[(escape(node.text), node.log_probability) for node in nodes],
            hovertemplate="%{customdata[0]}<br>log p = %{customdata[1]:.3f}<extra></extra>",
        )
    figure.lay_out(110 + 46 * (max(rows.values()) + 1), showlegend=True)
    figure.add_vrect(x0=step - 0.5, x1=step + 0.5, fillcolor=BAND, line={"width": 0}, layer="below")
    left = max(-0.5, step - WINDOW / 2)
    figure.update_xaxes(title=escape(axis), range=[left, left + WINDOW], dtick=1, showgrid=False)
    last = max(tree.nodes[number].step for number in rows)
    figure.update_layout(meta={"whole": [-0.5, last + 0.5]})  # what a saved figure shows
    figure.update_yaxes(
        range=[max(rows.values()) + 0.5, -0.8], fixedrange=True, visible=False,
    )  # fmt: skip
    return figure


def beam_rows(tree: BeamTree) -> dict[int, int]:
    """Return the row of each node that is drawn: its rank among those of its step, 0 for the most probable."""
    drawn_nodes = [
        number for number, node in enumerate(tree.nodes) if node.state != "dropped" or node.is_best
    ]
    drawn_nodes.sort(key=lambda number: -tree.nodes[number].log_probability)
    next_rows: dict[int, int] = {}
    rows: dict[int, int] = {}
    for number in drawn_nodes:
        step = tree.nodes[number].step
        rows[number] = next_rows.get(step, 0)
        next_rows[step] = rows[number] + 1
    return rows


def _node_group(node: BeamNode) -> str:
    """Return the group that a node is drawn with."""
    if node.state == "ended":
        return "ended"
    return "chosen" if node.is_best else "kept"

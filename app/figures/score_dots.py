"""Scores as dots, one dot a model, a row a category of an analogy set or a test set; and the range of a number over several trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app.figures.palette import lay_out, model_colours, name_rows
from app.figures.plain_figure import Figure, make_trace
from embeddings.results import AnalogyScore
from embeddings.results.shelf_states import ModelScore
from embeddings.results.vector_answers import NeighbourSpread

MEASURE_SYMBOLS = {"accuracy": "circle", "spearman": "diamond"}


def category_scores_figure(
    scores: Mapping[str, AnalogyScore],
    colours: Mapping[str, str],
    names: Mapping[str, str],
    hover: str,
    separators: str = ".,",
) -> Figure:
    """Draw the share of right answers of each model (a key) in each category, best category on top.

    ``names`` says what a category is called, ``hover`` has the fields ``{correct}``, ``{covered}``
    and ``{total}``.
    """
    shares: dict[str, list[float]] = {}
    for section in (s for score in scores.values() for s in score.sections if s.covered):
        shares.setdefault(section.name, []).append(section.correct / section.covered)
    order = sorted(shares, key=lambda name: sum(shares[name]) / len(shares[name]))
    figure = Figure()
    for model, score in scores.items():
        rows = [section for section in score.sections if section.covered]
        figure.add_trace(
            make_trace(
                "scatter",
                x=[row.correct / row.covered for row in rows],
                y=[order.index(row.name) for row in rows],
                mode="markers",
                name=escape(model),
                marker={"size": 12, "color": colours[model], "opacity": 0.85},
                text=[
                    hover.format(correct=row.correct, covered=row.covered, total=row.total)
                    for row in rows
                ],
                hovertemplate="%{x:.1%}<br>%{text}",
            )
        )
    lay_out(figure, 90 + 27 * max(3, len(order)), separators)
    figure.update_layout(showlegend=len(scores) > 1, margin={"l": 8, "r": 16, "t": 40, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0})
    figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%", fixedrange=True)
    figure.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[escape(names.get(name, name)) for name in order],
        range=[-0.6, len(order) - 0.4],
        fixedrange=True,
    )
    return figure


def scores_by_set_figure(
    scores: Sequence[ModelScore], words: Mapping[str, str], separators: str = ".,"
) -> Figure:
    """Draw every score in the row of its test set, in the colour of its method; hover names the model.

    ``words`` say "accuracy", "spearman" and "covered".
    """
    sets = list(dict.fromkeys(score.test_set for score in scores))[::-1]
    methods = list(dict.fromkeys(score.method for score in scores))
    figure = Figure()
    for method, colour in zip(methods, model_colours(methods), strict=True):
        chosen = [score for score in scores if score.method == method]
        figure.add_trace(
            make_trace(
                "scatter",
                x=[score.value for score in chosen],
                y=[sets.index(score.test_set) for score in chosen],
                mode="markers",
                name=escape(method or "–"),
                marker={
                    "size": 12,
                    "color": colour,
                    "symbol": [MEASURE_SYMBOLS.get(score.measure, "circle") for score in chosen],
                    "opacity": 0.85,
                },
                text=[_dot_label(score, words) for score in chosen],
                hovertemplate="%{text}<br>%{x:.3f}<extra></extra>",
            )
        )
    lay_out(figure, 90 + 27 * max(3, len(sets)), separators)
    figure.update_layout(showlegend=len(methods) > 1, margin={"l": 8, "r": 16, "t": 40, "b": 8})
    figure.update_layout(legend={"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0})
    low = min(0.0, *(score.value for score in scores)) - 0.02
    title = f"{words['accuracy']} ●  {words['spearman']} ◆"
    figure.update_xaxes(range=[low, 1.02], fixedrange=True, title=title)
    figure.update_yaxes(
        tickvals=list(range(len(sets))),
        ticktext=[escape(name) for name in sets],
        range=[-0.6, len(sets) - 0.4],
        fixedrange=True,
    )
    return figure


def _dot_label(score: ModelScore, words: Mapping[str, str]) -> str:
    """Return model, measure and coverage of a dot."""
    measure = words.get(score.measure, score.measure)
    covered = f", {words['covered']} {score.covered}/{score.total}" if score.total else ""
    return f"{escape(score.model)}: {escape(measure)}{covered}"


ROW = 27  # pixels of a line


def ranges_figure(
    neighbours: Sequence[NeighbourSpread], colour: str, separators: str = ".,"
) -> Figure:
    """Draw neighbours from the nearest down: a dot at the mean, a bar from the lowest to the highest cosine of the runs."""
    rows = list(range(len(neighbours)))
    means = [near.cosine.mean for near in neighbours]
    below = [near.cosine.mean - near.cosine.lowest for near in neighbours]
    above = [near.cosine.highest - near.cosine.mean for near in neighbours]
    ends = [(near.cosine.lowest, near.cosine.highest) for near in neighbours]
    figure = Figure(
        make_trace(
            "scatter",
            x=means,
            y=rows,
            mode="markers",
            marker={"size": 9, "color": colour},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": above,
                "arrayminus": below,
                "color": colour,
                "thickness": 2,
                "width": 4,
            },
            text=[escape(near.word) for near in neighbours],
            customdata=ends,
            hovertemplate="%{text}<br>%{x:.3f} (%{customdata[0]:.3f} – %{customdata[1]:.3f})<extra></extra>",
        )
    )
    lay_out(figure, 60 + ROW * max(len(neighbours), 3), separators)
    figure.update_xaxes(tickformat=".2f", fixedrange=True)
    name_rows(figure, [escape(near.word) for near in neighbours])
    return figure

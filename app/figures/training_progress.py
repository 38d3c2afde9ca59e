"""Progress of a training: its loss curve, and the film of a word map pass after pass."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.figures.label_placement import fit_plane, place_labels
from app.figures.palette import BLUE, GREY, ORANGE, VERMILION, escape_label
from app.figures.plain_figure import Figure, Trace, make_trace
from embeddings.jobs.job_answers import Film, LossCurve

MILLISECONDS = 350  # of a frame


def loss_figure(curve: LossCurve, names: Mapping[str, str], passes: int = 0) -> Figure:
    """Draw a loss curve.

    Parameters
    ----------
    curve : LossCurve
    names : mapping
        What to call "since" (means between two reports), "pass" (means of whole passes), "heldout" (after each), "loss" and the "unit".
    passes : int
        Passes or steps that the training takes: the axis reaches so far; 0: as far as it came.
    """
    figure, both = Figure(), "lines+markers"
    pass_means = curve.means if len(curve.losses) > 1.5 * len(curve.means) else curve.means[:0]
    for x, y, name, colour, mode in (
        (curve.positions, curve.losses, names["since"], BLUE, both),
        (curve.passes[: len(pass_means)], pass_means, names["pass"], ORANGE, "markers"),
        (np.arange(1, len(curve.heldout) + 1), curve.heldout, names["heldout"], VERMILION, both),
    ):
        if len(x):
            figure.draw(
                "scatter",
                x=x,
                y=y,
                name=name,
                mode=mode,
                line={"color": colour, "width": 1.5},
                marker={"color": colour, "size": 4 if mode != "markers" else 7, "opacity": 0.8},
                hovertemplate=f"{names['unit']} %{{x:.2f}}<br>%{{y:.4f}}<extra>{name}</extra>",
            )
    figure.lay_out(
        320,
        showlegend=len(figure.data) > 1,
        legend={"y": -0.25, "yanchor": "top"},
        uirevision="curve",
        dragmode="zoom",
    )
    figure.update_xaxes(title=names["unit"], range=[0, passes] if passes else None)
    figure.update_yaxes(title=names["loss"])
    return figure


def film_figure(
    film: Film, names: Mapping[str, str], axes: Sequence[str], strong: Collection[str] = ()
) -> Figure:
    """Draw a film; it begins at its last frame, so that a still picture of it is the map.

    Parameters
    ----------
    film : Film
    names : mapping
        What to call the "unit", and the buttons "play" and "pause".
    axes : sequence of str
        Titles of the two axes.
    strong : collection of str
        Words that are drawn bold and in another colour.
    """
    text_positions = place_labels(film.coordinates[-1], film.words)
    last_frame = len(film.passes) - 1
    figure = Figure(
        data=_last_frame(film, strong, text_positions),
        frames=[
            {"data": [_points(coordinates)], "name": str(passes), "traces": [0]}
            for coordinates, passes in zip(film.coordinates, film.passes, strict=True)
        ],
    )
    figure.lay_out(
        620,
        sliders=[_slider(film, names["unit"], last_frame)],
        updatemenus=[_buttons(names)],
        margin={"t": 20},
        uirevision="film",
    )
    points = film.coordinates.reshape(-1, 2)
    fit_plane(figure, points, axes, 0.08, showticklabels=False, zeroline=True)
    return figure


def _points(coordinates: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return where all words are in a frame, of their coordinates, shape (words, 2)."""
    return {"x": coordinates[:, 0], "y": coordinates[:, 1]}


def _last_frame(film: Film, strong: Collection[str], text_positions: Sequence[str]) -> Trace:
    """Return the words as they are in the last frame."""
    words = [escape_label(word) for word in film.words]
    is_strong = [word in strong for word in film.words]
    return make_trace(
        "scatter",
        mode="markers+text",
        text=[
            f"<b>{word}</b>" if strong_word else word
            for word, strong_word in zip(words, is_strong, strict=True)
        ],
        textposition=[*text_positions],
        textfont={"size": 13},
        marker={
            "color": [VERMILION if strong_word else BLUE for strong_word in is_strong],
            "size": 9,
            "opacity": 0.85,
        },
        hovertext=words,
        hovertemplate="<b>%{hovertext}</b><extra></extra>",
        cliponaxis=False,
        **_points(film.coordinates[-1]),
    )


def _slider(film: Film, unit: str, active: int) -> dict[str, Any]:
    """Return the slider: a step a frame."""
    jump = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}}
    return {
        "active": active,
        "currentvalue": {"prefix": f"{unit} "},
        "pad": {"t": 30, "l": 170},
        "steps": [
            {
                "label": str(passes),
                "method": "animate",
                "args": [[str(passes)], {**jump, "transition": {"duration": 150}}],
            }
            for passes in film.passes
        ],
    }


def _buttons(names: Mapping[str, str]) -> dict[str, Any]:
    """Return the buttons that play and pause."""
    play = {
        "frame": {"duration": MILLISECONDS, "redraw": False},
        "transition": {"duration": MILLISECONDS, "easing": "linear"},
        "fromcurrent": False,
    }
    pause = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}}
    return {
        "type": "buttons",
        "direction": "right",
        "x": 0,
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "pad": {"t": 48, "r": 8},
        "showactive": False,
        "bgcolor": "rgba(0,0,0,0)",
        "bordercolor": GREY,
        "buttons": [
            {"label": names["play"], "method": "animate", "args": [None, play]},
            {"label": names["pause"], "method": "animate", "args": [[None], pause]},
        ],
    }

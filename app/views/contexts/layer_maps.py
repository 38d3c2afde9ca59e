"""Contexts: the map of one layer, the maps of all, the separation of senses, cosines of contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.context_figures import (
    ContextMarks,
    MatrixOrder,
    context_map_figure,
    layer_maps_figure,
    separation_figure,
    similarity_figure,
)
from app.figures.plain_figure import Figure
from app.views.contexts.chosen_contexts import ReadContexts, bracketed
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.context_answers import OVERLAPPING, ContextMap, Separation, WordStates
from embeddings.analysis.projection import by_group

MAP_HEIGHT = 460  # pixels
LISTED = 20  # numbers of sentences that a warning lists


def choose_layer(page: PageState, best: int, layers: int) -> int:
    """Let a layer be chosen; until then it is the one where the groups lie furthest apart."""
    address.follow(contexts_layer=best)
    return inputs.number(page.say, "contexts_layer", best, 0, layers)


def show_context_map(
    read: ReadContexts, layer_map: ContextMap, marks: ContextMarks, layer: int, *, has_legend: bool
) -> list[int]:
    """Draw one layer; return the contexts that are selected on it, the first of which other views begin with."""
    say = read.page.say
    figure, alt = context_map(read, layer_map, marks, layer)
    figure.update_layout(height=MAP_HEIGHT, showlegend=has_legend)
    if not has_legend:
        figure.update_layout(margin={"t": 16})
    modes = ("points", "box", "lasso")
    event: Any = outputs.figure(
        say, figure, "contexts", alt, on_select="rerun", selection_mode=modes
    )
    st.caption(say("contexts.map_note"))
    points = event.selection.points if event else []
    rows = sorted(
        {int(np.ravel(point["customdata"])[0]) for point in points if "customdata" in point}
    )
    if rows and rows != st.session_state.get("_contexts_selected"):
        address.put(contexts_one=str(rows[0] + 1))
        st.session_state["sense_moved"] = rows
    st.session_state["_contexts_selected"] = rows
    numbers = [str(row + 1) for row in range(len(marks.groups))]
    address.keep("contexts_one", numbers[0], numbers)
    return rows


def context_map(
    read: ReadContexts, layer_map: ContextMap, marks: ContextMarks, layer: int
) -> tuple[Figure, str]:
    """Return the map of a layer, and its text for screen readers."""
    say, chosen = read.page.say, read.chosen
    axes = say.components(layer_map.explained_variance_ratio)
    figure = context_map_figure(layer_map, marks, say("contexts.star"), axes)
    alt = say("contexts.map_alt", word=chosen.word, contexts=len(chosen.contexts), layer=layer)
    return figure, alt


def explain_map(read: ReadContexts, layer: int, best: int) -> None:
    """Say which layer the map shows and why, what a point is, and what a ring."""
    say, chosen, question = read.page.say, read.chosen, read.question
    if layer != best:
        reason = say("contexts.layer_by_hand", layer=layer, best=best)
    else:
        told = "gold" if chosen.is_annotated else "found"
        reason = say(f"contexts.layer_by_{told}", layer=layer)
    static = question.static.name if question.static else ""
    parts = [reason, outputs.plain(say(f"contexts.point_{question.vector}", static=static))]
    parts += [say("contexts.map_rings")] if chosen.unattested_rows else []
    st.caption(" ".join(parts))


def show_coordinates(read: ReadContexts, groups: list[str], layer_map: ContextMap) -> None:
    """Offer all contexts with groups and coordinates as a table."""
    say = read.page.say
    columns = {
        "#": range(1, len(groups) + 1),
        say("contexts.context"): list(map(bracketed, read.chosen.contexts)),
        say("contexts.group"): groups,
        "x": layer_map.coordinates[:, 0],
        "y": layer_map.coordinates[:, 1],
    }
    outputs.closed_table(say, partial(pd.DataFrame, columns), "contexts")


def show_layer_maps(
    read: ReadContexts, maps: tuple[ContextMap, ...], marks: ContextMarks, separation: Separation
) -> None:
    """Draw every layer small."""
    say = read.page.say
    st.markdown(say(f"contexts.layers_{read.question.vector}"))
    titles = [
        say("contexts.layer_title", layer=layer, value=say.number(float(value), 2))
        for layer, value in enumerate(separation.silhouette)
    ]
    small_maps = layer_maps_figure(maps, marks, titles, say("contexts.star"))
    alt = say("contexts.layers_alt", word=read.chosen.word, layers=len(maps))
    outputs.figure(say, small_maps, "contexts-layers", alt)


def show_curves(read: ReadContexts, separation: Separation) -> None:
    """Draw the separation of the groups and the mean cosines of pairs, layer by layer."""
    say = read.page.say
    keys = ("silhouette", "within", "between", "random", "layer")
    names = {key: say(f"contexts.{key}") for key in keys}
    figure = separation_figure(separation, names)
    outputs.figure(say, figure, "contexts-sweep", say("contexts.sweep_alt", word=read.chosen.word))
    st.caption(say("contexts.sweep_note"))


def show_separation(say: Wording, separation: Separation, layer: int) -> None:
    """Write the mean cosines of pairs at a layer, plain and centred, next to those of random words."""
    cosines = {
        "within": (separation.within, separation.centred_within),
        "between": (separation.between, separation.centred_between),
        "random": (separation.baseline, separation.centred_baseline),
    }
    columns = {
        say(f"contexts.{pairs}"): [say.number(float(values[layer]), 3) for values in both]
        for pairs, both in cosines.items()
    }
    rows = [say("contexts.plain"), say("contexts.centred")]
    outputs.written_table(pd.DataFrame(columns, index=rows))


def say_if_not_apart(say: Wording, separation: Separation, layer: int) -> None:
    """Say that the groups do not separate on the map of a layer, where they do not."""
    silhouette = float(separation.silhouette[layer])
    if silhouette < OVERLAPPING:  # not a number where there is one group
        st.warning(say("contexts.not_apart", layer=layer, value=say.number(silhouette, 2)))


def show_context_matrix(
    read: ReadContexts, groups: list[str], layer: int, *, centred: bool = False
) -> None:
    """Draw the cosines of a layer, plain or centred, ordered by group."""
    say = read.page.say
    likeness = read.word.similarity(layer, read.question.vector)
    cosines = likeness.centred if centred else likeness.cosine
    baseline = likeness.centred_baseline if centred else likeness.baseline
    rows = by_group(likeness.centred, groups)
    order = MatrixOrder(rows, list(Counter(groups[row] for row in rows).values()))
    sentences = [context.text for context in read.chosen.contexts]
    st.markdown(say("contexts.matrix_lead", baseline=say.number(baseline, 2)))
    figure = similarity_figure(cosines, baseline, order, sentences)
    alt = say("contexts.matrix_alt", word=read.chosen.word, layer=layer)
    outputs.figure(say, figure, "contexts-matrix", alt)
    keys = ("contexts.first", "contexts.second", "common.similarity", "contexts.centred")
    outputs.csv(say, partial(say.frame, likeness, *keys), "contexts-pairs")


def warn_about_contexts(read: ReadContexts, states: WordStates) -> None:
    """Warn of sentences that the network cut, and of letters that it lacks."""
    say = read.page.say
    if cut := sum(states.truncated):
        st.warning(say("contexts.cut", rows=_list_numbers(states.truncated), count=cut))
    if any(states.unknown):
        st.warning(say("contexts.unknown", rows=_list_numbers(states.unknown)))


def _list_numbers(marked: Iterable[bool]) -> str:
    """List the numbers of the first sentences that are marked."""
    numbers = [str(row) for row, is_marked in enumerate(marked, 1) if is_marked]
    return ", ".join(numbers[:LISTED]) + (", …" if numbers[LISTED:] else "")

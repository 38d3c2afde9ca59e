"""Contexts: the map of one layer, the maps of all, and how far senses lie apart layer by layer.

Contexts: each context with each, beside what two random words have in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.context_points import ContextMarks, context_map_figure, layer_maps_figure
from app.figures.context_similarity import (
    MatrixOrder,
    SeparationNames,
    separation_figure,
    similarity_figure,
)
from app.loaders import context_answers
from app.loaders.context_answers import Question
from app.views.contexts.context_choice import Asked
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis.projection import by_group
from embeddings.results.word_contexts import ContextMap, LikenessMatrix, Separation, WordStates

LISTED = 20  # numbers of sentences that a warning lists


def layer_of(page: PageState, best: int, layers: int) -> int:
    """Let a layer be chosen; until then it is the one where the groups lie furthest apart."""
    state = st.session_state
    if state.get("contexts_layer", best) == state.get("_contexts_best", best):
        address.put(contexts_layer=best)  # untouched: it follows the word
    state["_contexts_best"] = best
    return inputs.number(page.say, "contexts_layer", best, 0, layers)


def show_map(
    page: PageState, asked: Asked, maps: tuple[ContextMap, ...], marks: ContextMarks, layer: int
) -> list[int]:
    """Draw one layer; return the contexts that are selected on it."""
    say, places = page.say, maps[layer]
    axes = [
        say("map.component_share", number=number, share=say.number(100 * share, 1))
        for number, share in enumerate(places.explained_variance_ratio, 1)
    ]
    drawn = context_map_figure(places, marks, say("contexts.star"), axes, say.separators)
    alt = say("contexts.map_alt", word=asked.word, contexts=len(asked.contexts), layer=layer)
    event: Any = outputs.figure(
        say, drawn, "contexts", alt, on_select="rerun", selection_mode="points"
    )
    st.caption(say("contexts.map_note"))
    if untaught(asked):
        st.caption(say("contexts.map_rings"))
    points = event.selection.points if event else []
    rows = [int(np.ravel(p["customdata"])[0]) for p in points if "customdata" in p]
    return sorted(set(rows))


def say_vector(page: PageState, question: Question) -> None:
    """Say what a point is."""
    static = question.static.name if question.static else ""
    st.caption(outputs.plain(page.say(f"contexts.point_{question.vector}", static=static)))


def untaught(asked: Asked) -> list[int]:
    """Return the contexts whose marked sense the corpora do not teach."""
    return sorted(set(range(len(asked.contexts))) - set(asked.taught_rows))


def coordinates(
    page: PageState, asked: Asked, rows: dict[str, list[str]], places: ContextMap
) -> None:
    """Offer all contexts with groups and coordinates as a table."""
    say = page.say
    frame = pd.DataFrame(
        {
            "#": range(1, len(asked.contexts) + 1),
            say("contexts.context"): [context.text for context in asked.contexts],
            **rows,
            "x": places.coordinates[:, 0],
            "y": places.coordinates[:, 1],
        }
    )
    with st.expander(say("common.as_table"), icon=":material/table_rows:"):
        outputs.table(say, frame, "contexts")


def by_layer(
    page: PageState,
    question: Question,
    asked: Asked,
    drawn_by_layer: tuple[tuple[ContextMap, ...], ContextMarks, Separation],
    centred: bool,
) -> None:
    """Draw every layer small, and the curves under them."""
    say, (maps, marks, sweep) = page.say, drawn_by_layer
    st.header(say("contexts.layers"), anchor=False)
    st.markdown(say(f"contexts.layers_{question.vector}"))
    titles = [
        say("contexts.layer_title", layer=layer, value=say.number(float(value), 2))
        for layer, value in enumerate(sweep.silhouette)
    ]
    small = layer_maps_figure(maps, marks, titles, say("contexts.star"), say.separators)
    alt = say("contexts.layers_alt", word=asked.word, layers=len(maps))
    outputs.figure(say, small, "contexts-layers", alt)
    names = SeparationNames(
        say("contexts.silhouette"),
        say("contexts.within"),
        say("contexts.between"),
        say("contexts.random"),
        say("contexts.layer"),
    )
    drawn = separation_figure(sweep, names, centred, say.separators)
    outputs.figure(say, drawn, "contexts-sweep", say("contexts.sweep_alt", word=asked.word))
    st.caption(say("contexts.sweep_note"))


def warn(page: PageState, asked: Asked, states: WordStates) -> None:
    """Say which sentences were cut, and which spell the word with a letter that the network lacks."""
    say = page.say
    cut = [str(row + 1) for row, was in enumerate(states.truncated) if was]
    if cut:
        st.warning(say("contexts.cut", rows=_listed(cut), count=len(cut)))
    excerpts = sum(asked.cut)
    if excerpts:
        st.caption(say("contexts.excerpts", count=excerpts))
    unknown = [str(row + 1) for row, was in enumerate(states.unknown) if was]
    if unknown:
        st.warning(say("contexts.unknown", rows=_listed(unknown)))


def _listed(numbers: list[str]) -> str:
    """List the first numbers of sentences."""
    return ", ".join(numbers[:LISTED]) + (", …" if numbers[LISTED:] else "")


def show_matrix(
    page: PageState, question: Question, asked: Asked, groups: list[str], look: tuple[int, bool]
) -> None:
    """Draw the matrix of a layer, plain or centred (``look``), ordered by group."""
    say, (layer, centred) = page.say, look
    found = context_answers.likeness(question, layer)
    cosines = found.centred if centred else found.cosine
    baseline = found.centred_baseline if centred else found.baseline
    rows = by_group(found.centred, groups)
    ordered = [groups[row] for row in rows]
    order = MatrixOrder(rows, [ordered.count(group) for group in dict.fromkeys(ordered)])
    sentences = [context.text for context in asked.contexts]
    st.header(say("contexts.matrix"), anchor=False)
    st.markdown(say("contexts.matrix_lead", baseline=say.number(baseline, 2)))
    drawn = similarity_figure(cosines, baseline, order, sentences, say.separators)
    alt = say("contexts.matrix_alt", word=asked.word, layer=layer)
    outputs.figure(say, drawn, "contexts-matrix", alt)
    _table(page, found, asked)


def _table(page: PageState, found: LikenessMatrix, asked: Asked) -> None:
    """Offer the cosines of all pairs, plain and centred."""
    say, count = page.say, len(asked.contexts)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    rows = pd.DataFrame(
        {
            "#1": [a + 1 for a, _ in pairs],
            "#2": [b + 1 for _, b in pairs],
            say("common.similarity"): [float(found.cosine[pair]) for pair in pairs],
            say("contexts.random"): found.baseline,
            say("contexts.centred"): [float(found.centred[pair]) for pair in pairs],
            say("contexts.random_centred"): found.centred_baseline,
        }
    )
    outputs.csv(say, rows, "contexts-pairs")


def show_sweep(page: PageState, sweep: Separation, layer: int) -> None:
    """Write the mean cosines of pairs at a layer, plain and centred, beside those of random words."""
    say = page.say
    st.table(
        pd.DataFrame(
            [
                {
                    "": say("contexts.plain"),
                    say("contexts.within"): say.number(float(sweep.within[layer]), 3),
                    say("contexts.between"): say.number(float(sweep.between[layer]), 3),
                    say("contexts.random"): say.number(float(sweep.baseline[layer]), 3),
                },
                {
                    "": say("contexts.centred"),
                    say("contexts.within"): say.number(float(sweep.centred_within[layer]), 3),
                    say("contexts.between"): say.number(float(sweep.centred_between[layer]), 3),
                    say("contexts.random"): say.number(float(sweep.centred_baseline[layer]), 3),
                },
            ]
        ).set_index("")
    )

"""Explore: the words on a map: their coordinates, how they are marked, and which are selected."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from app.figures.palette import GREY, OTHERS, QUERY
from app.figures.word_map import LABELLED, PointMarks, map_figure
from app.loaders import near_answers, shelf_models, vocabulary_maps
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.widgets.ranked_words import frequency_note
from embeddings.analysis.clustering import OVERLAPPING, cluster, silhouette
from embeddings.analysis.frequency import magnitudes
from embeddings.analysis.projection import MOST_FITTED
from embeddings.analysis.similarity import matching
from embeddings.errors import KlyuchError
from embeddings.results import Projection
from embeddings.shelf import Entry
from embeddings.vectors.sense_table import split_sense
from embeddings.vectors.table import Vectors

LISTED_SELECTED = 60  # selected words that are written out
LIST_WORD = "_long_list_word"  # what stood in the field when the long list was taken
LONG_LIST = "_long_list"  # words of the visit that no address can hold
ModelsByWord = dict[str, tuple[Entry, ...]]
AT_ONCE = 2_000  # words up to which t-SNE and UMAP start by themselves
METHOD_NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}


def show_word_map(page: PageState, models_by_word: ModelsByWord, strong: tuple[str, ...]) -> None:
    """Show the words of ``models_by_word`` on a map, the ``strong`` ones larger."""
    say = page.say
    st.header(say("map.title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {entry.name: page.label(entry) for entry in page.entries}
        name = inputs.pick_model(say, "space", list(labels), labels)
        method = inputs.choice(say, "method_map", list(METHOD_NAMES))
        dimensions = int(inputs.choice(say, "dim", ("2", "3")))
        colourings = ("model", "cluster", "frequency") if strong else ("cluster", "frequency")
        colour = inputs.choice(say, "by", colourings)
    entry = next(candidate for candidate in page.entries if candidate.name == name)
    vectors = shelf_models.vectors_with_senses(entry, models_by_word)
    models_by_word = {
        vectors.words[vectors.row(word)]: models
        for word, models in models_by_word.items()
        if word in vectors
    }
    senses = (word for word in models_by_word if split_sense(word))
    strong = tuple(vectors.words[vectors.row(word)] for word in strong if word in vectors)
    strong = tuple(dict.fromkeys((*strong, *senses)))
    if len(models_by_word) <= dimensions:
        st.info(outputs.plain(say("map.too_few", model=page.label(entry))))
        return
    projection = project_words(page, entry, tuple(models_by_word), method, dimensions)
    if projection is None:
        return
    marks = find_on_map(
        page, mark_words(page, vectors, models_by_word, colour, strong), projection.words
    )
    shares = projection.explained_variance_ratio
    axes = [
        say(
            f"map.{'component_share' if dimensions == 2 else 'component'}",
            number=number,
            share=say.number(100 * share, 1),
        )
        for number, share in enumerate(shares, 1)
    ]
    figure = map_figure(projection, marks, axes, say.separators)
    alt = say("map.alt", words=len(models_by_word), model=entry.name, method=METHOD_NAMES[method])
    is_flat = dimensions == 2  # Plotly selects nothing in three dimensions
    event = outputs.figure(say, figure, "map", alt, on_select="rerun" if is_flat else "ignore")
    points = event.selection.points if is_flat else []
    _show_selection(
        page, projection, [point["customdata"][0] for point in points if "customdata" in point]
    )


def mark_words(
    page: PageState,
    vectors: Vectors,
    models_by_word: ModelsByWord,
    colour: str,
    strong: tuple[str, ...],
) -> PointMarks:
    """Return groups and colours of the words."""
    say, words = page.say, tuple(models_by_word)
    notes = [frequency_note(say, vectors, vectors.count(vectors.row(word))) for word in words]
    if colour == "frequency" and vectors.counts is not None:
        values = magnitudes(vectors, words)
        return PointMarks([""] * len(words), {}, values, say("common.count"), (), strong, notes)
    if colour == "cluster":
        numbers = cluster(vectors, words)
        names = [say("map.cluster", number=number + 1) for number in range(max(numbers) + 1)]
        colours = dict(zip(names, (*OTHERS, QUERY), strict=False))
        groups = [names[number] for number in numbers]
        _say_if_not_apart(page, vectors, words, numbers)
        return PointMarks(groups, colours, strong=strong, notes=notes)
    labels = [
        page.label(entries[0]) if len(entries) == 1 else say("map.several")
        for entries in models_by_word.values()
    ]
    groups = [
        say("map.query") if word in strong else label
        for word, label in zip(words, labels, strict=True)
    ]
    colours = {page.label(entry): page.colour(entry) for entry in page.entries}
    colours |= {say("map.several"): GREY, say("map.query"): QUERY}
    return PointMarks(groups, colours, strong=strong, notes=notes)


def _say_if_not_apart(
    page: PageState, vectors: Vectors, words: tuple[str, ...], groups: tuple[int, ...]
) -> None:
    """Say that the colours of k-means' groups mean little where the groups do not separate."""
    rows = vectors.unit_rows([vectors.row(word) for word in words])
    separation = silhouette(rows, np.array(groups))
    if separation < OVERLAPPING:
        st.warning(page.say("map.not_apart", value=page.say.number(separation, 2)))


def find_on_map(page: PageState, marks: PointMarks, words: tuple[str, ...]) -> PointMarks:
    """Let a regular expression bring words to the front."""
    pattern = inputs.line(page.say, "find", "")
    if not pattern:
        return marks
    try:
        matches = matching(words, pattern)
    except KlyuchError as error:
        outputs.refuse(page.say, error)
        return marks
    st.caption(page.say("map.matches", found=len(matches), words=len(words)))
    return marks.faded_but(words, matches)


def project_words(
    page: PageState, entry: Entry, words: tuple[str, ...], method: str, dimensions: int
) -> Projection | None:
    """Return coordinates and note what they were fitted on; None until a slow method is started on very many words."""
    if method == "pca":
        return _project_by_pca(page, entry, words, dimensions)
    say, name = page.say, METHOD_NAMES[method]
    key = (entry.stamp, words, method, dimensions)
    projections: dict[object, Projection] = st.session_state.setdefault("_maps", {})
    if key not in projections:
        slot = st.empty()  # the offer gives way to the work
        if len(words) > AT_ONCE:
            with slot.container():
                st.markdown(say("map.wait", method=name, words=len(words)))
                if not st.button(say("map.again", method=name), type="primary", key="start-map"):
                    return None
        with slot.status(say("map.running", method=name, words=len(words))) as status:
            began = time.monotonic()
            projections[key] = vocabulary_maps.arranged(entry, words, method, dimensions)
            seconds = say.number(time.monotonic() - began, 1)
            status.update(label=say("map.ready", method=name, seconds=seconds), state="complete")
    st.markdown(say("map.lead_other", method=name))
    _note_labels(page, words)
    return projections[key]


def _project_by_pca(
    page: PageState, entry: Entry, words: tuple[str, ...], dimensions: int
) -> Projection:
    """Return the principal components, with the two choices that they depend on."""
    say, vectors = page.say, shelf_models.vectors(entry)
    size = vectors.vector_size
    with st.container(horizontal=True, vertical_alignment="bottom"):
        fit = inputs.choice(say, "fit", ("shown", "all"))
        standardize = inputs.switch(say, "standardize", default=True)
    projection = near_answers.placed_by_pca(entry, words, dimensions, standardize, fit == "all")
    st.markdown(say("map.lead", size=size, dimensions=dimensions, words=len(words)))
    if fit == "all" and len(vectors) > MOST_FITTED:
        fitted_on = say("map.fitted_sample", words=MOST_FITTED, total=len(vectors))
    else:
        fitted_words = len(words if fit == "shown" else vectors)
        fitted_on = say(f"map.fitted_{fit}", words=fitted_words, shown=len(words))
    st.caption(
        f"{fitted_on} {say('map.standardised' if standardize else 'map.centred', size=size)}"
    )
    _note_labels(page, words)
    return projection


def _note_labels(page: PageState, words: tuple[str, ...]) -> None:
    """Note that not every word of a large map is labelled."""
    if len(words) > LABELLED:
        st.caption(page.say("map.thinned", most=LABELLED))


def _offer_selected(page: PageState, selected: list[str]) -> None:
    """Offer to look up the one selected word, or to take several as the list."""
    say = page.say
    one = len(selected) == 1
    label = say("map.look_up", word=selected[0]) if one else say("map.as_list", words=len(selected))
    st.button(
        outputs.plain(label),
        key="map-selected",
        icon=":material/arrow_forward:",
        on_click=take_words,
        args=(selected,),
    )


def take_words(words: Sequence[str]) -> None:
    """Ask for words, from a button; more than an address holds are kept for the visit."""
    text = ", ".join(words)
    if len(text) <= inputs.LONGEST:
        st.session_state.pop(LONG_LIST, None)
        address.put(word=text)
    else:
        st.session_state[LONG_LIST] = tuple(words)
        st.session_state[LIST_WORD] = st.session_state["word"]


def _show_selection(page: PageState, projection: Projection, selected: list[str]) -> None:
    """List the selected words, and offer the coordinates."""
    say = page.say
    if selected:
        shown = selected[:LISTED_SELECTED]
        listed = say.list(shown) + (" …" if selected[LISTED_SELECTED:] else "")
        st.markdown(outputs.plain(say("map.selected", words=listed)))
        _offer_selected(page, selected)
    else:
        st.caption(say("map.select_hint"))
    outputs.csv(say, lambda: _places(say("common.word"), projection, selected), "map")
    outputs.explain(
        say,
        "map",
        r"z = \frac{x - \mu}{\sigma}, \quad C = \frac{Z^\top Z}{n - 1}, \quad"
        r" C v_l = \lambda_l v_l, \quad T = Z V_L",
    )


def _places(title: str, projection: Projection, selected: list[str]) -> pd.DataFrame:
    """Return the coordinates of the selected words, of all where none is."""
    dimensions = projection.coordinates.shape[1]
    rows = pd.DataFrame(projection.coordinates, columns=["x", "y", "z"][:dimensions])
    rows.insert(0, title, projection.words)
    return rows[rows[title].isin(selected)] if selected else rows

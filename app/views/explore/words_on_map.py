"""Explore: words on a map: their coordinates, how they are marked, which are selected; and the whole vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.palette import GREY, OTHERS, QUERY
from app.figures.word_map import LABELLED, PointMarks, map_figure
from app.streamlit_private import DeltaGenerator
from app.widgets import address, footer, inputs, outputs, snippets
from app.widgets.frame import PageState
from app.widgets.model_answers import frequency_note
from embeddings.analysis.number_of_groups import OVERLAPPING_WORDS, cluster, silhouette
from embeddings.analysis.projection import project
from embeddings.analysis.similarity import magnitudes
from embeddings.analysis.umap_process import umap_apart
from embeddings.analysis.vector_answers import Projection
from embeddings.shelf import Entry
from embeddings.vectors.sense_table import split_sense

VIEWS_OF_ONE_WORD = ("senses", "why", "sentences", "reliability")  # a list has only the others
CHART = "map"  # its key, of the first view's too
CHOSEN = "_chosen"  # the word that was selected in a list
WIDTHS = (1, 1)  # of a list and of the map next to it
BESIDE = 430  # pixels of the map next to a list
LISTED_SELECTED = 60  # selected words that are written out
LIST_WORD = "_long_list_word"  # what stood in the field when the long list was taken
LONG_LIST = "_long_list"  # words of the visit that no address can hold
ModelsByWord = dict[str, tuple[Entry, ...]]
AT_ONCE = 2_000  # words up to which t-SNE and UMAP start by themselves
METHOD_NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}


@dataclass(frozen=True)
class MappedWords:
    """What a map shows: words with the models that name them.

    The ``strong`` are drawn larger. ``code`` gives the Python of the page with that of a map, ``settings`` are those of a citation.
    """

    models_by_word: ModelsByWord
    strong: tuple[str, ...]
    code: Callable[[snippets.Map], str]
    settings: tuple[str, ...] = ()

    def draw_footer(self, page: PageState, drawn: snippets.Map, key: str) -> DeltaGenerator:
        """Draw the view's row, with a citation for each model that answers."""
        named = {entry for entries in self.models_by_word.values() for entry in entries}
        return footer.draw_footer(
            page,
            key,
            code=self.code(drawn),
            entries=[entry for entry in page.entries if entry in named],
            settings=[*self.settings, *filter(None, [drawn.cited()])],
        )


def show_word_map(page: PageState, shown: MappedWords, more: DeltaGenerator) -> None:
    """Show words on a map of any method, large."""
    say = page.say
    with st.container(horizontal=True, vertical_alignment="top"):
        entry = _pick_space(page)
        method = inputs.choice(say, "method_map", list(METHOD_NAMES))
        dimensions = int(inputs.choice(say, "dim", ("2", "3")))
    with more:
        colour = _choose_colour(page, shown)
        standardize = method != "pca" or _choose_scale(page)
    words = _known(entry, shown)
    if len(words) <= dimensions:
        st.info(outputs.plain(say("map.too_few", model=page.label(entry))))
        return
    projection = project_words(page, entry, tuple(words), method, dimensions, standardize)
    if projection is None:
        return
    marks = mark_words(page, entry, shown, words, colour)
    selected = _draw(page, entry, projection, marks, method)
    _show_selection(page, selected, is_flat=dimensions == 2)
    _show_reading(page, entry, projection, standardize=standardize)
    drawn = snippets.Map(entry.name, projection.words, method, dimensions, standardize)
    with shown.draw_footer(page, drawn, "map"):
        outputs.csv(say, lambda: _places(say("common.word"), projection, selected), "map")


def show_map_beside(
    page: PageState, shown: MappedWords, more: DeltaGenerator, chosen: str
) -> snippets.Map:
    """Show the words of a list on a map by PCA next to it, the ``chosen`` one marked; return what gives the same in Python."""
    say = page.say
    with more:
        entry = _pick_space(page)
        colour = _choose_colour(page, shown)
        standardize = _choose_scale(page)
    words = _known(entry, shown)
    if len(words) <= 2:
        st.info(outputs.plain(say("map.too_few", model=page.label(entry))))
        return snippets.Map("", ())
    projection = placed_by_pca(entry, tuple(words), 2, standardize)
    marks = replace(mark_words(page, entry, shown, words, colour), chosen=chosen)
    _draw(page, entry, projection, marks, "pca", BESIDE)
    _note_fit(page, entry, len(words), standardize=standardize)
    return snippets.Map(entry.name, projection.words, "pca", 2, standardize)


def selected_words(shown: ModelsByWord) -> list[str]:
    """Return those of the words that are selected on the map, as it was drawn last."""
    selection = (st.session_state.get(CHART) or {}).get("selection", {})
    points = [
        point["customdata"][0] for point in selection.get("points", []) if "customdata" in point
    ]
    return [word for word in points if word in shown]


def chosen_word(shown: ModelsByWord) -> str:
    """Return the word that was selected in the list, if it is shown; "" for none."""
    word = str(st.session_state.get(CHOSEN, ""))
    return word if word in shown else ""


def choose_word(word: str) -> None:
    """Mark a word's point on the map; "" for none."""
    st.session_state[CHOSEN] = word


def _pick_space(page: PageState) -> Entry:
    """Let the model be chosen whose vectors are mapped."""
    return inputs.pick_model(page.say, "space", page.entries, page.label)


def _choose_colour(page: PageState, shown: MappedWords) -> str:
    """Let it be chosen what the colours say; by model only where lists of models are shown."""
    by_model = ("model",) if shown.strong else ()
    return inputs.choice(page.say, "by", (*by_model, "cluster", "frequency"))


def _choose_scale(page: PageState) -> bool:
    """Let it be chosen whether each dimension is standardised before principal components are found."""
    return inputs.switch(page.say, "standardize", default=True)


def _known(entry: Entry, shown: MappedWords) -> ModelsByWord:
    """Return the words that a model has, as it spells them."""
    vectors = shelf_models.vectors_with_senses(entry, shown.models_by_word)
    return {
        vectors.words[vectors.row(word)]: models
        for word, models in shown.models_by_word.items()
        if word in vectors
    }


def _draw(
    page: PageState,
    entry: Entry,
    projection: Projection,
    marks: PointMarks,
    method: str,
    height: int = 600,
) -> list[str]:
    """Draw a map; return the words that are selected on it."""
    say, shares = page.say, projection.explained_variance_ratio
    is_flat = projection.coordinates.shape[1] == 2  # Plotly selects nothing in three dimensions
    axes = say.components(shares, "map.component_share" if is_flat else "map.component")
    figure = map_figure(projection, marks, axes, height)
    names = {"words": len(projection.words), "model": entry.name, "method": METHOD_NAMES[method]}
    select = "rerun" if is_flat else "ignore"
    event = outputs.figure(say, figure, CHART, say("map.alt", **names), on_select=select)
    points = event.selection.points if is_flat else []
    return [point["customdata"][0] for point in points if "customdata" in point]


def mark_words(
    page: PageState, entry: Entry, shown: MappedWords, models_by_word: ModelsByWord, colour: str
) -> PointMarks:
    """Return groups and colours of the words."""
    say, words = page.say, tuple(models_by_word)
    vectors = shelf_models.vectors_with_senses(entry, shown.models_by_word)
    senses = (word for word in models_by_word if split_sense(word))
    strong = tuple(vectors.words[vectors.row(word)] for word in shown.strong if word in vectors)
    strong = tuple(dict.fromkeys((*strong, *senses)))
    notes = [frequency_note(say, vectors, vectors.count(vectors.row(word))) for word in words]
    if colour == "frequency" and vectors.counts is not None:
        values = magnitudes(vectors, words)
        return PointMarks([""] * len(words), {}, values, say("common.count"), strong, notes)
    if colour == "cluster":
        numbers = cluster(vectors, words)
        names = [say("map.cluster", number=number + 1) for number in range(max(numbers) + 1)]
        colours = dict(zip(names, (*OTHERS, QUERY), strict=False))
        groups = [names[number] for number in numbers]
        rows = vectors.unit_rows([vectors.row(word) for word in words])
        separation = silhouette(rows, np.array(numbers))
        if separation < OVERLAPPING_WORDS:  # colours of groups that do not separate mean little
            st.warning(say("map.not_apart", value=say.number(separation, 2)))
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


@cached(128)
def placed_by_pca(
    entry: Entry, words: tuple[str, ...], dimensions: int, standardize: bool
) -> Projection:
    """Return the principal components of words."""
    vectors = shelf_models.vectors_with_senses(entry, words)
    return project(vectors, words, method="pca", dimensions=dimensions, standardize=standardize)


@cached(32, is_heavy=True)
def arranged(entry: Entry, words: tuple[str, ...], method: str, dimensions: int) -> Projection:
    """Return a map of words by t-SNE or UMAP."""
    vectors = shelf_models.vectors(entry)
    return project(vectors, words, method=method, dimensions=dimensions, umap=umap_apart)


def project_words(
    page: PageState,
    entry: Entry,
    words: tuple[str, ...],
    method: str,
    dimensions: int,
    standardize: bool,
) -> Projection | None:
    """Return coordinates; None until a slow method is started on very many words."""
    if method == "pca":
        return placed_by_pca(entry, words, dimensions, standardize)
    say, named = page.say, {"method": METHOD_NAMES[method], "words": len(words)}
    started = st.session_state.setdefault("_maps_started", set())
    asked = (entry.stamp, words, method, dimensions)
    if len(words) > AT_ONCE and asked not in started:
        st.markdown(say("map.wait", **named))
        label = say("map.again", method=METHOD_NAMES[method])
        inputs.button(label, "start-map", "", started.add, asked, type="primary")
        return None
    with st.spinner(say("map.running", **named)):
        return arranged(entry, words, method, dimensions)


def _show_reading(
    page: PageState, entry: Entry, projection: Projection, *, standardize: bool
) -> None:
    """Say how to read a map, and that not every word of a large one is labelled."""
    say, (words, dimensions) = page.say, projection.coordinates.shape
    if projection.method == "pca":
        size = shelf_models.vectors(entry).vector_size
        st.markdown(say("map.lead", size=size, dimensions=dimensions, words=words))
        _note_fit(page, entry, words, standardize=standardize)
    else:
        st.markdown(say("map.lead_other", method=METHOD_NAMES[projection.method]))
    if words > LABELLED:
        st.caption(say("map.thinned", most=LABELLED))


def _note_fit(page: PageState, entry: Entry, words: int, *, standardize: bool) -> None:
    """Note what principal components were fitted on, and whether each dimension was standardised first."""
    say, size = page.say, shelf_models.vectors(entry).vector_size
    scaled = say("map.standardised" if standardize else "map.centred", size=size)
    st.caption(f"{say('map.fitted_shown', words=words)} {scaled}")


def offer_words(words: Sequence[str], page: PageState, key: str) -> None:
    """Offer to look up one word, or to take several as the list."""
    one = len(words) == 1
    label = (
        page.say("map.look_up", word=words[0]) if one else page.say("map.as_list", words=len(words))
    )
    inputs.button(outputs.plain(label), key, "arrow_forward", take_words, words)


def take_words(words: Sequence[str]) -> None:
    """Ask for words, from a button; more than an address holds are kept for the visit."""
    text = ", ".join(words)
    if len(text) <= inputs.MAX_LINE_LENGTH:
        st.session_state.pop(LONG_LIST, None)
        address.put(word=text)
    else:
        st.session_state[LONG_LIST] = tuple(words)
        st.session_state[LIST_WORD] = st.session_state["word"]


def _show_selection(page: PageState, selected: list[str], *, is_flat: bool) -> None:
    """List the selected words."""
    say = page.say
    if selected:
        shown = selected[:LISTED_SELECTED]
        listed = say.list(shown) + (" …" if selected[LISTED_SELECTED:] else "")
        st.markdown(outputs.plain(say("map.selected", words=listed)))
        offer_words(selected, page, "map-selected")
    else:
        st.caption(say("map.select_hint" if is_flat else "map.turn_hint"))


def _places(title: str, projection: Projection, selected: list[str]) -> pd.DataFrame:
    """Return the coordinates of the selected words, of all where none is."""
    dimensions = projection.coordinates.shape[1]
    rows = pd.DataFrame(projection.coordinates, columns=["x", "y", "z"][:dimensions])
    rows.insert(0, title, projection.words)
    return rows[rows[title].isin(selected)] if selected else rows


KEY = "vocabulary-map"
DRAWN = 20_000  # words of a map; of more a random sample


@cached(3)
def vocabulary_map(entry: Entry) -> Projection:
    """Return all words of a model by PCA, the commonest first; of very many a sample that is drawn at random."""
    vectors = shelf_models.vectors(entry)
    rows: Sequence[int] = range(len(vectors))
    if len(vectors) > DRAWN:
        rows = sorted(np.random.default_rng(1).permutation(len(vectors))[:DRAWN].tolist())
    return project(vectors, [vectors.words[row] for row in rows])


def show_vocabulary(page: PageState) -> None:
    """Show all words of a model."""
    say = page.say
    entry = inputs.pick_model(say, "vocabulary_space", page.entries, page.label)
    vectors = shelf_models.vectors(entry)
    with st.spinner(say("vocabulary.running"), show_time=False):
        projection = vocabulary_map(entry)
    drawn, total = len(projection.words), len(vectors)
    lead = "vocabulary.all" if drawn == total else "vocabulary.sample"
    st.markdown(say(lead, drawn=drawn, total=total))
    axes = say.components(projection.explained_variance_ratio)
    values = None if vectors.counts is None else magnitudes(vectors, projection.words)
    marks = PointMarks([""] * drawn, {}, values, say("common.count"))
    figure = map_figure(projection, marks, axes, 680)
    figure.layout["dragmode"] = "zoom"  # a dot is clicked, none are framed
    alt = say("vocabulary.alt", words=drawn, model=entry.name)
    outputs.figure(say, figure, KEY, alt, on_select=_look_up, selection_mode="points")
    code = snippets.code(
        "vocabulary" if drawn == total else "vocabulary_sample", model=entry.name, sample=drawn
    )
    with footer.draw_footer(page, "map", code=code, entries=[entry]):
        outputs.csv(say, lambda: _places(say("common.word"), projection, []), "vocabulary")


def _look_up() -> None:
    """Ask for the word whose dot was clicked."""
    if points := st.session_state[KEY]["selection"].get("points"):
        address.put(word=points[0]["customdata"][0])

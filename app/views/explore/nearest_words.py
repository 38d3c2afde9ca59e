"""Explore: neighbours of one word from every chosen model side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.loaders import near_answers, shelf_models
from app.views.explore.words_on_map import ModelsByWord
from app.widgets import address, inputs, outputs, ranked_words
from app.widgets.frame import PageState
from app.widgets.model_refusals import offer_other_language, refuse_together, say_read_as
from app.widgets.run_spreads import show_neighbour_spread
from embeddings import shelf
from embeddings.errors import KlyuchError
from embeddings.results import Neighbour
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma
from embeddings.vectors.search import nearest
from embeddings.vectors.spelling import commoner_spelling

COSINE = r"\cos(u, v) = \frac{u \cdot v}{\lVert u \rVert \, \lVert v \rVert}"


def show_neighbours(page: PageState, word: str) -> tuple[ModelsByWord, dict[str, object]]:
    """Show the neighbours; return the words with the models that name them, and the filters."""
    say, filters = page.say, _ask_filters(page)
    options = (str(filters["pattern"]), int(str(filters["min_count"])), str(filters["fold"]))
    neighbours_by_model: dict[Entry, tuple[Neighbour, ...]] = {}
    refusals: dict[Entry, KlyuchError] = {}
    topn, exact = int(str(filters["topn"])), bool(filters.pop("exact"))
    for entry in page.entries:
        try:
            approximate = shelf_models.is_indexed(entry) and not exact
            approximate = approximate and shelf_models.neighbour_index(entry) is not None
            neighbours_by_model[entry] = near_answers.near(entry, word, topn, *options, approximate)
        except KlyuchError as error:  # the other models answer all the same
            refusals[entry] = error
    if not neighbours_by_model:
        refuse_together(page, refusals, _look_up, "word")
        offer_other_language(page, [word], "word")
        return {}, filters
    refused = ranked_words.ListRefusals(refusals, _look_up)
    alt = "explore.neighbours_alt"
    ranked_words.lists(page, neighbours_by_model, "neighbours", alt, word, refused)
    _offer_as_list(page, word, neighbours_by_model)
    st.caption(say("explore.neighbours_note", tiers=say("tier.note")))
    say_read_as(page, [word])
    _show_commoner_spellings(page, word, tuple(neighbours_by_model), topn)
    _say_index(page, tuple(neighbours_by_model), is_exact=exact or any(options))
    _show_composed(page, word, tuple(neighbours_by_model))
    if filters["fold"] and (forms := _inflected_forms(word, neighbours_by_model, page.language)):
        st.caption(outputs.plain(say("explore.folded", word=word, forms=say.list(forms))))
    ranked_words.as_table(page, neighbours_by_model, "neighbours", "similarity", asks="word")
    outputs.explain(say, "explore", COSINE)
    near_by_model = {
        entry: [row.word for row in rows] for entry, rows in neighbours_by_model.items()
    }
    show_neighbour_spread(page, word, near_by_model)
    models_by_word: ModelsByWord = {word: tuple(neighbours_by_model)}
    for entry, rows in neighbours_by_model.items():
        for row in rows:
            models_by_word[row.word] = (*models_by_word.get(row.word, ()), entry)
    return models_by_word, filters


def _offer_as_list(
    page: PageState, word: str, neighbours_by_model: dict[Entry, tuple[Neighbour, ...]]
) -> None:
    """Offer the neighbour whose dot was clicked as the next word, and the word with all its neighbours as a list."""
    say = page.say
    words = dict.fromkeys(
        [word, *(row.word for rows in neighbours_by_model.values() for row in rows)]
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        clicked = str(st.session_state.get("why", ""))
        if clicked in words and clicked != word:
            st.button(
                outputs.plain(say("map.look_up", word=clicked)),
                key="walk",
                icon=":material/arrow_forward:",
                on_click=address.put,
                kwargs={"word": clicked},
            )
        else:
            st.caption(say("explore.walk"))
        st.button(
            say("explore.as_list", words=len(words)),
            key="as-list",
            type="tertiary",
            icon=":material/format_list_bulleted:",
            on_click=address.put,
            kwargs={"word": ", ".join(words)},
        )


def _say_index(page: PageState, entries: tuple[Entry, ...], *, is_exact: bool) -> None:
    """Say of each large model whether its index answered, with the recall that was measured, or every word was compared."""
    say = page.say
    for entry in filter(shelf_models.is_indexed, entries):
        model, report = outputs.plain(page.label(entry)), None
        if not is_exact:
            report = shelf_models.neighbour_index(entry)
        if report is None:
            own = not is_exact and shelf.is_own(entry)
            st.caption(say("explore.index_exact", model=model))
            if own:
                st.caption(say("explore.index_build", name=entry.name))
            continue
        recall = say.number(100 * report.recall, 1)
        counts = {"topn": report.topn, "sampled": report.sampled}
        st.caption(say("explore.index_used", model=model, recall=recall, **counts))


def _look_up(_: KlyuchError) -> ranked_words.Replacement:
    """Return what asks for another word, as widget values."""
    return lambda word: {"word": word}


def _show_commoner_spellings(
    page: PageState, word: str, entries: tuple[Entry, ...], topn: int
) -> None:
    """Answer for the word in the spelling that a model has far oftener as well."""
    say = page.say
    for entry in entries:
        vectors = shelf_models.vectors(entry)
        if not (other := commoner_spelling(word, vectors)):
            continue
        counts = [vectors.count(vectors.row(spelled)) for spelled in (word, other)]
        near = near_answers.near(entry, other, topn)
        sentence = say(
            "explore.commoner_spelling",
            model=page.label(entry),
            word=word,
            other=other,
            count=say.number(counts[0]),
            more=say.number(counts[1]),
            words=", ".join(row.word for row in near),
        )
        st.markdown(outputs.plain(sentence))


def _show_composed(page: PageState, word: str, entries: tuple[Entry, ...]) -> None:
    """Mark a vector as composed, with the n-grams that it is composed of, a table a model."""
    say = page.say
    composing = [entry for entry in entries if shelf_models.vectors(entry).is_composed(word)]
    for entry in composing:
        parts = shelf_models.vectors(entry).parts(word)
        names = {
            "word": outputs.plain(say("common.quoted", text=parts.word)),
            "model": outputs.plain(page.label(entry)),
        }
        st.markdown(say("explore.composed", **names))
        known = sorted((n for n in parts.ngrams if n.is_known), key=lambda n: -n.share)
        rows = {
            say("explore.ngram"): [ngram.text for ngram in known],
            say("explore.share"): [ngram.share for ngram in known],
        }
        outputs.table(say, pd.DataFrame(rows), f"composed-{entry.name}")
        if unknown := [ngram.text for ngram in parts.ngrams if not ngram.is_known]:
            text = say("explore.composed_unknown", ngrams=", ".join(unknown))
            st.caption(outputs.plain(text))


def _inflected_forms(
    word: str, neighbours_by_model: dict[Entry, tuple[Neighbour, ...]], language: str
) -> tuple[str, ...]:
    """Return the forms of the word itself that folding keeps out of the lists."""
    forms: dict[str, None] = {}
    lemma_of_word = lemma(word.lower(), language)
    for entry, rows in neighbours_by_model.items():
        least_similarity = rows[-1].similarity if rows else -1.0
        vectors = shelf_models.vectors(entry)
        row = vectors.find(word)
        vector, count = vectors.rows_of([word], unit=True)[0], 4 * len(rows) + 16
        excluded = [] if row is None else [row]
        for other, cosine in zip(*nearest(vectors, vector, count, excluded=excluded), strict=True):
            form = vectors.words[other]
            if cosine >= least_similarity and lemma(form, language) == lemma_of_word:
                forms[form] = None
    return tuple(forms)


def _ask_filters(page: PageState) -> dict[str, object]:
    """Ask for the filters; ``fold`` is a language or nothing."""
    say = page.say
    with st.expander(say("explore.filters"), icon=":material/tune:"):
        left, right = st.columns(2, gap="large")
        with left:
            topn = inputs.number(say, "n", 10, 3, 40)
            pattern = inputs.line(say, "pattern", "")
        with right:
            min_count = inputs.number(say, "min", 0, 0, 1000)
            fold = inputs.switch(say, "fold")
        large = any(map(shelf_models.is_indexed, page.entries))
        exact = inputs.switch(say, "exact") if large else False
    language = page.language if fold else ""
    return {
        "topn": topn,
        "pattern": pattern,
        "min_count": min_count,
        "fold": language,
        "exact": exact,
    }

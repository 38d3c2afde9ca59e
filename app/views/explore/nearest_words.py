"""Explore: the neighbours of one word, from every chosen model, next to a map of exactly these words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app import shelf_models
from app.streamlit_private import DeltaGenerator
from app.views.explore import words_on_map
from app.views.explore.words_on_map import MappedWords, ModelsByWord
from app.widgets import (
    footer,
    inputs,
    model_answers,
    near_words,
    outputs,
    saved_files,
    snippets,
)
from app.widgets.frame import PageState
from app.widgets.model_answers import (
    answers_of,
    offer_other_language,
    refuse_together,
    say_read_as,
)
from embeddings import shelf
from embeddings.analysis.similarity import FOLDED_LANGUAGES, LISTED_NEIGHBOURS, Filters
from embeddings.analysis.vector_answers import Neighbour
from embeddings.saved_page.answer import SavedAnswer, Source
from embeddings.saved_page.questions import NEIGHBOURS, Ranking, neighbour_answer
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma
from embeddings.vectors.word_list import commoner_spelling
from embeddings.verbs import VectorVerbs

TABLE = "neighbours"  # key of the list


@dataclass(frozen=True)
class Nearest:
    """The neighbours of a word by model, how many were asked for, the filters that they passed, and the language of merged forms."""

    word: str
    ranked: Mapping[Entry, Sequence[Neighbour]]
    topn: int
    filters: Filters
    language: str
    is_exact: bool

    @property
    def models_by_word(self) -> ModelsByWord:
        """The word and its neighbours with the models that name them."""
        named: ModelsByWord = {self.word: tuple(self.ranked)}
        for entry, rows in self.ranked.items():
            for row in rows:
                named[row.word] = (*named.get(row.word, ()), entry)
        return named

    def mapped(self, more: ModelsByWord | None = None) -> MappedWords:
        """Return what a map shows of them, ``more`` words too."""
        names = [entry.name for entry in self.ranked]
        settings = {"topn": self.topn, **self.filters, "fold": self.language}
        if not self.language and not any(e.language in FOLDED_LANGUAGES for e in self.ranked):
            del settings["fold"]  # what the library does by itself
        return MappedWords(
            {**(more or {}), **self.models_by_word},
            (self.word,),
            partial(snippets.neighbours, names, self.word, settings),
            tuple(f"{name} {value}" for name, value in settings.items() if value),
        )


def find_neighbours(page: PageState, word: str, more: DeltaGenerator) -> Nearest:
    """Ask every chosen model; the page ends here where none has the word."""
    with more:
        topn, filters, language, exact = _ask_filters(page)

    def near(entry: Entry) -> tuple[Neighbour, ...]:
        approximate = shelf_models.is_indexed(entry) and not exact
        approximate = approximate and shelf_models.neighbour_index(entry) is not None
        return shelf_models.ask(
            VectorVerbs.neighbours, entry, word, topn, approximate=approximate, **filters
        )

    ranked, refusals = answers_of(page.entries, near)
    refuse_together(page, refusals, lambda _: lambda word: {"word": word}, "word")
    if not ranked:
        offer_other_language(page, [word], "word")
        raise outputs.Halt
    return Nearest(word, ranked, topn, filters, language, exact or any(filters.values()))


def show_neighbours(page: PageState, near: Nearest, more: DeltaGenerator) -> None:
    """Show the lists next to the map: what is selected in one is marked in the other."""
    say, shown = page.say, near.models_by_word
    selected = words_on_map.selected_words(shown)
    left, right = st.columns(words_on_map.WIDTHS, gap="medium")
    with left:
        _show_lists(page, near, selected)
        chosen = words_on_map.chosen_word(shown)
        _offer_words(page, near, selected, chosen)
    with right:
        drawn = words_on_map.show_map_beside(page, near.mapped(), more, chosen)
    _show_notes(page, near)
    saved_files.make_by(partial(_saved, page, near, drawn))
    with near.mapped().draw_footer(page, drawn, "explore"):
        outputs.csv(say, partial(model_answers.ranked_rows, page, near.ranked), TABLE)


def show_why_near(page: PageState, near: Nearest) -> None:
    """Show which contexts the word shares with one of its neighbours."""
    entry = next(filter(shelf_models.holder_of_contexts, page.entries), None)
    if entry is None:
        st.info(page.say("explore.no_contexts"))
        footer.draw_footer(page, "why_near")
        return
    counted = shelf_models.contexts(entry).vectors
    words = [_form(row) for rows in near.ranked.values() for row in rows]
    words.sort(key=lambda word: word not in counted)  # those whose contexts are kept come first
    with outputs.refusals_said(page.say):
        near_words.show_why(page, entry, near.word, words)


def show_reliability(page: PageState, near: Nearest) -> None:
    """Show how the neighbours vary over several trainings of a model."""
    words = {entry: [row.word for row in rows] for entry, rows in near.ranked.items()}
    if not near_words.show_neighbour_spread(page, near.word, words):
        st.info(page.say("explore.no_spread"))
        footer.draw_footer(page, "spread")


def _show_lists(page: PageState, near: Nearest, selected: Sequence[str]) -> None:
    """Show a column a model, of the words selected on the map if some are; a selected cell chooses its word."""
    say = page.say
    columns = {
        page.label(entry): [row for row in rows if not selected or row.word in selected]
        for entry, rows in near.ranked.items()
    }
    model_answers.list_words(
        say,
        columns,
        say("explore.lists_alt", about=near.word),
        key=TABLE,
        on_select=partial(_choose, columns),
        selection_mode="single-cell",
    )
    for entry, rows in near.ranked.items():
        if not rows:
            st.caption(outputs.plain(say("explore.none_left", model=page.label(entry))))


def _choose(columns: Mapping[str, Sequence[Neighbour]]) -> None:
    """Choose the word of the cell that was selected; none where a cell is empty or no longer selected."""
    cells = st.session_state[TABLE]["selection"]["cells"]
    number, label = cells[0] if cells else (0, "")
    listed = columns.get(label, ())
    if number < len(listed):
        words_on_map.choose_word(listed[number].word)
        st.session_state["why"] = _form(listed[number])
    else:
        words_on_map.choose_word("")


def _form(row: Neighbour) -> str:
    """Return the form of a merged neighbour that is nearest, else its word: its dictionary form may have no contexts."""
    return row.forms[0] if row.forms else row.word


def _saved(page: PageState, near: Nearest, drawn: snippets.Map, source: Source) -> SavedAnswer:
    """Return the answer with more neighbours of each model than the page shows, on the plane of the page's map."""
    rankings = []
    for entry, rows in near.ranked.items():
        shown = {row.word for row in rows}
        further = shelf_models.ask(
            VectorVerbs.neighbours, entry, near.word, NEIGHBOURS, **near.filters
        )
        listed = [*rows, *(row for row in further if row.word not in shown)]
        vectors = shelf_models.vectors_with_senses(entry, [near.word])
        rankings.append(Ranking(page.label(entry), page.colour(entry), vectors, listed))
    names = [entry.name for entry in near.ranked]
    return neighbour_answer(
        near.word,
        rankings,
        source,
        shown=near.topn,
        space=names.index(drawn.model) if drawn.model in names else 0,
        standardize=drawn.standardize,
    )


def _offer_words(page: PageState, near: Nearest, selected: Sequence[str], chosen: str) -> None:
    """Offer the chosen neighbour as the next word, and the words shown as a list."""
    say, words = page.say, [near.word, *(w for w in near.models_by_word if w != near.word)]
    st.caption(f"{say('explore.neighbours_note')} {say('explore.shared_word')}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if chosen and chosen != near.word:
            words_on_map.offer_words([chosen], page, "walk")
        words_on_map.offer_words(list(selected) or words, page, "as-list")


def _show_notes(page: PageState, near: Nearest) -> None:
    """Say how the words were read and found."""
    entries = tuple(near.ranked)
    say_read_as(page, [near.word])
    _show_commoner_spellings(page, near)
    _say_index(page, entries, is_exact=near.is_exact)
    _show_composed(page, near.word, entries)


def _say_index(page: PageState, entries: tuple[Entry, ...], *, is_exact: bool) -> None:
    """Say of each large model whether its index answered, with the recall that was measured, or every word was compared."""
    say = page.say
    for entry in filter(shelf_models.is_indexed, entries):
        model = outputs.plain(page.label(entry))
        report = None if is_exact else shelf_models.neighbour_index(entry)
        if report is None:
            st.caption(say("explore.index_exact", model=model))
            if not is_exact and shelf.is_own(entry):
                st.caption(say("explore.index_build", name=entry.name))
            continue
        recall = say.number(100 * report.recall, 1)
        counts = {"topn": report.topn, "sampled": report.sampled}
        st.caption(say("explore.index_used", model=model, recall=recall, **counts))


def _show_commoner_spellings(page: PageState, near: Nearest) -> None:
    """Answer also for the spelling of the word that a model has far more often."""
    say = page.say
    for entry in near.ranked:
        vectors = shelf_models.vectors(entry)
        if not (other := commoner_spelling(near.word, vectors)):
            continue
        counts = [vectors.count(vectors.row(spelled)) for spelled in (near.word, other)]
        rows = shelf_models.ask(VectorVerbs.neighbours, entry, other, near.topn)
        sentence = say(
            "explore.commoner_spelling",
            model=page.label(entry),
            word=near.word,
            other=other,
            count=say.number(counts[0]),
            more=say.number(counts[1]),
            words=", ".join(row.word for row in rows),
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
        rows = outputs.rows_of(known, {say("explore.ngram"): "text", say("explore.share"): "share"})
        outputs.table(say, rows, f"composed-{entry.name}")
        if unknown := [ngram.text for ngram in parts.ngrams if not ngram.is_known]:
            text = say("explore.composed_unknown", ngrams=", ".join(unknown))
            st.caption(outputs.plain(text))


def _ask_filters(page: PageState) -> tuple[int, Filters, str, bool]:
    """Ask for the number of neighbours, their filters, the language whose forms are merged, and whether every word is compared."""
    say = page.say
    topn = inputs.number(say, "n", LISTED_NEIGHBOURS, 3, 40)
    pattern = inputs.line(say, "pattern", "")
    least = inputs.number(say, "min", 0, 0, 1000)
    language = (
        page.language if inputs.switch(say, "fold", page.language in FOLDED_LANGUAGES) else ""
    )
    fold = partial(lemma, language=language) if language else False
    large = any(map(shelf_models.is_indexed, page.entries))
    exact = inputs.switch(say, "exact") if large else False
    return topn, Filters(pattern=pattern, min_count=least, fold=fold), language, exact

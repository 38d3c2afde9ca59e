"""Associations: pairs, the odd one out, an axis between two words, a list each with each, and association tests (WEAT)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from app import shelf_models
from app.figures.network_arrays import CellStyle, cells_figure
from app.figures.palette import BROWN, INDIGO
from app.figures.word_similarities import axis_figure
from app.widgets import footer, inputs, outputs, saved_files, snippets
from app.widgets.frame import PageState
from app.widgets.model_answers import alike, answers_of, refuse_together, say_missing, say_reading
from app.widgets.near_words import opened_spread, range_text
from app.wording import Wording
from embeddings.analysis.similarity import axis, odd_one_out, similarity, similarity_matrix
from embeddings.analysis.vector_answers import (
    AssociationSets,
    AssociationTest,
    AxisPosition,
    PermutationP,
)
from embeddings.shelf import Entry, association_tests
from embeddings.verbs import VectorVerbs


def show_pair_questions(page: PageState) -> None:
    """Show the three questions, each with words to start from."""
    say = page.say
    left, right = st.columns([2, 3], gap="large")
    with left:
        pair = _show_similarity(page)
        odd = _show_odd_one_out(page)
    with right:
        ends, between, rows = _show_axis(page)
    code = snippets.pairs([e.name for e in page.entries], pair, odd, ends, between)
    with footer.draw_footer(page, "pairs", code=code, entries=page.entries):
        if rows is not None:
            outputs.csv(say, lambda: rows, "axis")


def _show_similarity(page: PageState) -> tuple[str, ...]:
    """Show the cosine of two words in every model; return the words."""
    say, words = page.say, _ask_words(page, "similarity", "pair")
    if len(words) != 2:
        st.info(say("pairs.need_two"))
        return ()
    cosines, refusals = answers_of(
        page.entries, lambda entry: similarity(shelf_models.vectors(entry), *words)
    )
    with st.container(horizontal=True):
        for entry, value in cosines.items():
            with st.container(width="content"):
                st.metric(outputs.plain(page.label(entry)), say.number(value, 3))
                written = f"{words[0]} · {words[1]}, {page.label(entry)}: {say.number(value, 3)}"
                if span := _range_sentence(page, entry, words):
                    st.caption(span)
                    written += f" ({span})"
                saved_files.note(outputs.plain(written))
    say_reading(page, words)
    refuse_together(page, refusals, inputs.replaced("pair"), "pair")
    return words


def _ask_words(page: PageState, title: str, key: str) -> tuple[str, ...]:
    """Ask for the words of one of the questions, under its title."""
    st.subheader(page.say(f"pairs.{title}"), anchor=False)
    return inputs.split_list(inputs.line(page.say, key, page.examples[key]))


def _range_sentence(page: PageState, entry: Entry, words: tuple[str, ...]) -> str:
    """Return between which values the cosine lies when the model is trained again; "" where that is not known."""
    spread = opened_spread(page, entry)
    vectors = shelf_models.vectors(entry)
    span = vectors.similarity_range(*words[:2], spread=spread) if spread else None
    if not span or span.deviation is None:
        return ""
    return page.say("spread.of_runs", range=range_text(page.say, span, 3), runs=span.runs)


def _show_odd_one_out(page: PageState) -> tuple[str, ...]:
    """Show the word that does not fit, by every model; return the words."""
    say, words = page.say, _ask_words(page, "odd", "odd")
    if len(words) < 3:
        st.info(say("pairs.need_three"))
        return ()
    odd_words, refusals = answers_of(
        page.entries, lambda entry: odd_one_out(shelf_models.vectors(entry), words)
    )
    with st.container(horizontal=True):
        for entry, odd in odd_words.items():
            st.metric(outputs.plain(page.label(entry)), outputs.plain(odd))
            listed = f"{say('pairs.odd')} ({say.list(words)}), {page.label(entry)}: {odd}"
            saved_files.note(outputs.plain(listed))
    refuse_together(page, refusals, inputs.replaced("odd"), "odd")
    if odd_words:
        st.caption(say("pairs.odd_note"))
    return words


def _show_axis(page: PageState) -> tuple[tuple[str, ...], tuple[str, ...], pd.DataFrame | None]:
    """Place words between two ends; return both, and the table; None where no model has both ends."""
    say = page.say
    st.subheader(say("pairs.axis"), anchor=False)
    left, right = st.columns([1, 2])
    with left:
        ends = inputs.split_list(inputs.line(say, "ends", page.examples["ends"]))
    with right:
        text = inputs.line(say, "between", page.examples["between"])
    words = inputs.split_list(text)
    if len(ends) != 2 or not words:
        st.info(say("pairs.need_two"))
        return (), (), None
    positions_by_model, refusals = answers_of(
        page.entries, lambda entry: axis(shelf_models.vectors(entry), *ends, words=words)
    )
    say_reading(page, ends)
    refuse_together(page, refusals, inputs.replaced("ends", "between"), "axis")
    if not positions_by_model:
        return ends, words, None
    positions = {page.label(entry): rows for entry, rows in positions_by_model.items()}
    colours = {page.label(entry): page.colour(entry) for entry in positions_by_model}
    alt = say("pairs.axis_alt", low=ends[0], high=ends[1], model=say.list(positions))
    figure = axis_figure(positions, colours, (ends[0], ends[1]))
    outputs.figure(say, figure, "axis", alt)
    st.caption(say("pairs.axis_note", low=ends[0], high=ends[1]))
    rows = [(model, row.word, row.position) for model, of in positions.items() for row in of]
    titles = [say(f"common.{name}") for name in ("model", "word", "similarity")]
    return ends, words, pd.DataFrame(rows, columns=titles)


MAX_MATRIX_WORDS = 40  # words of the matrix
MAX_NUMBERED = 15  # words up to which each cell has its number


def example(page: PageState) -> str:
    """Return the list that is shown before anybody types."""
    return page.examples["words"].split(" | ")[-1]


def show_word_matrix(page: PageState) -> None:
    """Draw the cosines of each word of a list with each, in one model."""
    say = page.say
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = inputs.line(say, "related", example(page))
        entry = inputs.pick_model(say, "cells", page.entries, page.label)
    words = inputs.split_list(asked)
    vectors = shelf_models.vectors(entry)
    known = [word for word in words if vectors.has_vector(word)]
    if len(known) < len(words):
        say_missing(page, words, (entry,), composed=True)
    say_reading(page, words)
    if len(known) < 2:
        st.info(say("pairs.need_list"))
        return
    shown = known[:MAX_MATRIX_WORDS]
    cosines = similarity_matrix(vectors, shown).cosines
    alt = say("listed.matrix_alt", words=say.list(shown), model=entry.name)
    style = CellStyle(share=True, numbers=len(shown) <= MAX_NUMBERED)
    figure = cells_figure(cosines, shown, shown, style, say.separators)
    outputs.figure(say, figure, "matrix", alt)
    cut = say("listed.cut", shown=len(shown), known=len(known))
    st.caption(say("listed.alike") + (f" {cut}" if len(shown) < len(known) else ""))
    code = snippets.code("matrix", model=entry.name, words=list(shown))
    with footer.draw_footer(page, "pairs", code=code, entries=[entry]):
        outputs.csv(
            say, lambda: pd.DataFrame(cosines, shown, shown).reset_index(names=""), "matrix"
        )


OWN = "own"
FIELDS = ("weat_x", "weat_y", "weat_a", "weat_b")


def show_association_test(page: PageState) -> None:
    """Let a test be chosen or typed, and show what every model answers."""
    say = page.say
    sets = _choose_sets(page)
    if sets is None:
        st.info(say("association.empty"))
        return
    answers, refusals = answers_of(
        page.entries, lambda entry: shelf_models.ask_in_queue(VectorVerbs.association, entry, sets)
    )
    for entry, refusal in refusals.items():
        st.caption(outputs.plain(say.refusal_of(refusal, [page.label(entry)])))
    rows = None
    if answers:
        _show_table(page, answers)
        rows = _show_targets(page, answers)
        _show_notes(page, answers)
    code = snippets.association([entry.name for entry in answers], sets)
    models, settings = list(answers), [f"WEAT {sets.name}"]
    with footer.draw_footer(page, "association", code=code, entries=models, settings=settings):
        if rows is not None:
            outputs.csv(say, lambda: rows, "weat-targets")


def former(page: PageState) -> dict[str, str]:
    """Return the setting that opens the view where an address changes it."""
    return {"weat": next(iter(association_tests(page.language)), OWN)}


def _choose_sets(page: PageState) -> AssociationSets | None:
    """Return the chosen test, or the four lists typed; None where one of them is empty."""
    say = page.say
    tests = association_tests(page.language)
    labels = {name: _label(say, test) for name, test in tests.items()} | {OWN: say("weat.own")}
    with st.container(horizontal=True):
        name = inputs.pick(say, "weat", list(labels), labels)
        inputs.pick_model(say, "weat_model", page.entries, page.label)
    if name != OWN:
        return tests[name]
    examples = next((test.words for test in tests.values()), ((),) * len(FIELDS))
    lists = []
    for field, column, words in zip(FIELDS, st.columns(2) + st.columns(2), examples, strict=True):
        with column:
            lists.append(inputs.split_list(inputs.line(say, field, ", ".join(words))))
    if not all(lists):
        return None
    titles = (say("weat_x.label"), say("weat_y.label"), say("weat_a.label"), say("weat_b.label"))
    return AssociationSets(OWN, titles, (lists[0], lists[1], lists[2], lists[3]))


def _label(say: Wording, test: AssociationSets) -> str:
    """Return what a test is called: its targets, behind its number in the paper if it has one."""
    first, second = (set_title(say, title) for title in test.titles[:2])
    paper = f"{test.name.upper()}: " if test.name.startswith("weat-") else ""
    return f"{paper}{first}, {second}"


def set_title(say: Wording, title: str) -> str:
    """Return the name of a set of words in the language of the screen."""
    return say.get(f"weat_set.{title}", title)


def _show_table(page: PageState, answers: dict[Entry, AssociationTest]) -> None:
    """Show effect size, p values and coverage, a line a model."""
    say = page.say
    rows = []
    for entry, answer in answers.items():
        way = "association.all" if answer.is_exact else "association.drawn"
        rows.append(
            {
                say("common.model"): page.label(entry),
                say("association.effect"): _effect(page, entry, answer),
                say("association.one_sided"): _p(say, answer.one_sided),
                say("association.two_sided"): _p(say, answer.two_sided),
                say("association.partitions"): say(way, n=answer.partitions),
                say("association.coverage"): " · ".join(
                    f"{len(c.words)}/{len(c.words) + len(c.missing)}" for c in answer.sets
                ),
            }
        )
    outputs.written_table(pd.DataFrame(rows).set_index(say("common.model")))


def _show_notes(page: PageState, answers: dict[Entry, AssociationTest]) -> None:
    """Say how to read the table and the figure, and which words are left out."""
    say = page.say
    titles = _titles(say, next(iter(answers.values())))
    names = {place: outputs.plain(title) for place, title in titles.items()}
    st.caption(say("association.drawn_note", near=names["near"]))
    st.caption(say("association.note", **names))
    covered = {page.label(entry): _coverage(answer) for entry, answer in answers.items()}
    for ((first, second), lacking), labels in alike(covered).items():
        models = say.list(labels)
        if lacking:
            sentence = say("listed.missing", model=models, words=say.list(lacking))
            st.caption(outputs.plain(sentence))
        if first != second:
            sentence = say("association.unequal", model=models, first=first, second=second)
            st.caption(outputs.plain(sentence))


def _coverage(answer: AssociationTest) -> tuple[tuple[int, int], tuple[str, ...]]:
    """Return how many words each set of targets has, and the words of all sets that have no vector."""
    missing = dict.fromkeys(word for covered in answer.sets for word in covered.missing)
    return (len(answer.sets[0].words), len(answer.sets[1].words)), tuple(missing)


def _titles(say: Wording, answer: AssociationTest) -> dict[str, str]:
    """Return the titles of the four sets, by their places in a sentence."""
    titles = (set_title(say, covered.title) for covered in answer.sets)
    return dict(zip(("first", "second", "near", "far"), titles, strict=True))


def _effect(page: PageState, entry: Entry, answer: AssociationTest) -> str:
    """Return the effect size, and between which values it lies when the model is trained again."""
    spread, text = opened_spread(page, entry), page.say.number(answer.effect_size, 2)
    span = None
    if spread:
        span = shelf_models.ask(VectorVerbs.effect_size_range, entry, answer, spread=spread)
    if span is None or span.deviation is None:
        return text
    return f"{text} ({range_text(page.say, span)})"


def _p(say: Wording, value: PermutationP) -> str:
    """Return a p value with two digits that say something, and the standard error of a sampled one."""
    error = value.standard_error
    return say.significant(value.p) + ("" if error is None else f" ± {say.significant(error, 4)}")


def _show_targets(page: PageState, answers: dict[Entry, AssociationTest]) -> pd.DataFrame:
    """Draw the association of each target in one model; return the rows of the table."""
    say = page.say
    chosen = st.session_state["weat_model"]
    entry = next((entry for entry in answers if entry.name == chosen), next(iter(answers)))
    answer, names = answers[entry], _titles(say, answers[entry])
    colours = {names["first"]: BROWN, names["second"]: INDIGO}
    positions: dict[str, tuple[AxisPosition, ...]] = {
        title: tuple(
            AxisPosition(target.word, target.association)
            for target in answer.targets
            if target.word in covered.words
        )
        for title, covered in zip(colours, answer.sets[:2], strict=True)
    }
    figure = axis_figure(positions, colours, (names["far"], names["near"]))
    alt = say("association.alt", model=page.label(entry), **names)
    outputs.figure(say, figure, "weat-targets", alt)
    keys = ("common.word", "association.set", "association.association")
    rows = say.frame(answer, *keys)
    return rows.assign(**{say(keys[1]): rows[say(keys[1])].map(partial(set_title, say))})

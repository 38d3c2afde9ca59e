"""Compare: a pair of models word by word or by shift, every test set in a table, and the addresses that Change has taken over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.model_comparison import agreement_figure, movement_figure
from app.views.change import chosen_report
from app.widgets import inputs, model_answers, outputs, saved_files, views
from app.widgets.frame import PageState
from app.widgets.model_answers import say_missing, score_text
from app.wording import Wording
from embeddings.analysis.comparison_answers import ComparedWord, Comparison, ScoreRange
from embeddings.analysis.model_comparison import MOST_DIFFERENT_AMONG, common_map
from embeddings.analysis.score_answers import ModelScore
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from embeddings.analysis.model_comparison import Alignment

NUMBERS = ("overlap", "movement")  # of a word
MAX_DRAWN_WORDS = 40  # words of the figure; the table has all
MAX_MAP_WORDS = 60  # words of the map


@cached(12)
def aligned(first: Entry, second: Entry) -> Alignment:
    """Return one model rotated onto another over their common words."""
    from embeddings.analysis.model_comparison import align

    return align(shelf_models.vectors(first), shelf_models.vectors(second))


@cached(128, is_heavy=True)
def compared(first: Entry, second: Entry, words: tuple[str, ...], topn: int) -> Comparison:
    """Return how far two models agree on some words."""
    from embeddings.analysis.model_comparison import compare

    return compare(aligned(first, second), words, topn)


@cached(64, is_heavy=True)
def moved_words(first: Entry, second: Entry, topn: int) -> tuple[ComparedWord, ...]:
    """Return the words that move most between two models."""
    from embeddings.analysis.model_comparison import most_moved

    return most_moved(aligned(first, second), topn=topn)


def show_word_by_word(
    page: PageState, pair: ModelPair, words: tuple[str, ...], topn: int
) -> list[str]:
    """Show how far two models agree on some words, the largest shift first, next to the map of both; return the words that both know."""
    say = page.say
    if not words:
        outputs.end(say("compare.empty"))
    comparison, sides = _show_agreement(page, pair, words, topn), _sides(page, pair)
    ordered = sorted(comparison.words, key=lambda word: -word.movement)
    left, right = st.columns(2, gap="medium")
    with left:
        _draw_agreement(say, ordered, sides, topn, "words")
    with right:
        _show_movement_map(page, comparison, pair)
    _note_limits(say, comparison)
    _show_overlap_of_runs(page, pair)
    rows = partial(_compared_rows, say, ordered, sides)
    outputs.closed_table(say, rows, "compare-words", forms=_number_formats(say))
    return [word.word for word in comparison.words]


def show_most_moved(page: PageState, pair: ModelPair, topn: int) -> list[str]:
    """Show the words that differ most among the commonest of both models, and return them."""
    say = page.say
    with st.spinner(say("compare.aligning")):
        alignment = aligned(*pair)
    moved = moved_words(*pair, topn)
    sides = _sides(page, pair)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _draw_agreement(say, moved, sides, topn, "moved")
    with right:
        st.caption(say("compare.moved_note", among=min(MOST_DIFFERENT_AMONG, len(alignment.words))))
        rows = _compared_rows(say, moved, sides)
        outputs.table(say, rows, "compare-moved", forms=_number_formats(say))
    return [word.word for word in moved]


def _sides(page: PageState, pair: ModelPair) -> dict[str, str]:
    """Return what both models are called."""
    return {"first": page.label(pair[0]), "second": page.label(pair[1])}


def _draw_agreement(
    say: Wording, words: Sequence[ComparedWord], sides: dict[str, str], topn: int, name: str
) -> None:
    """Draw a row for each word: the overlap of its neighbours and its shift."""
    titles = (say("compare.overlap_axis", n=topn), say("compare.movement_axis"))
    figure = agreement_figure(words[:MAX_DRAWN_WORDS], titles, say.separators)
    outputs.figure(say, figure, f"compare-{name}", say(f"compare.{name}_alt", **sides))
    st.caption(say("compare.words_note", n=topn, **sides))


def _show_movement_map(page: PageState, comparison: Comparison, pair: ModelPair) -> None:
    """Draw the map of the compared words."""
    say = page.say
    words = [word.word for word in comparison.words][:MAX_MAP_WORDS]
    if len(words) < 2:
        st.info(say("compare.map_few"))
        return
    common = common_map(aligned(*pair), words)
    shares, sides = common.explained_variance_ratio, _sides(page, pair)
    colours = (page.colour(pair[0]), page.colour(pair[1]))
    labels = (sides["first"], sides["second"])
    figure = movement_figure(common, labels, colours, say.components(shares))
    alt = say("compare.map_alt", words=len(words), **sides)
    outputs.figure(say, figure, "compare-map", alt)
    st.caption(say("compare.map_note", share=say.number(100 * sum(shares)), **sides))
    outputs.csv(say, common.to_frame, "compare-map")


def _show_overlap_of_runs(page: PageState, pair: ModelPair) -> None:
    """Say how far two trainings of each model agree, where that was measured: only a smaller overlap says something."""
    say = page.say
    for entry in pair:
        overlap = None
        with outputs.refusals_said(say, page.label(entry)):
            overlap = shelf_models.overlap_of_runs(entry)
        if overlap:
            share = say.number(overlap.share, 2)
            text = say("compare.runs", model=page.label(entry), overlap=share, n=overlap.nearest)
            st.caption(saved_files.note(outputs.plain(text)))


def _compared_rows(
    say: Wording, words: Sequence[ComparedWord], sides: dict[str, str]
) -> pd.DataFrame:
    """Return a row for each word, with the neighbours that both or one of the models name."""
    columns = {say("common.word"): "word"}
    columns |= {say(f"compare.{name}"): name for name in (*NUMBERS, "shared")}
    columns |= {say("compare.only", model=name): f"{side}_only" for side, name in sides.items()}
    return outputs.rows_of(words, columns)


def _number_formats(say: Wording) -> dict[str, Callable[[float], str]]:
    """Return how the two numbers of a row are written."""
    return {say(f"compare.{name}"): partial(say.number, digits=2) for name in NUMBERS}


ModelPair = tuple[Entry, Entry]


def choose_pair(page: PageState) -> ModelPair:
    """Let a pair of the chosen models be picked, from the first to the second."""
    pairs = {f"{a.name}~{b.name}": (a, b) for a, b in combinations(page.entries, 2)}
    labels = {key: f"{page.label(a)} → {page.label(b)}" for key, (a, b) in pairs.items()}
    if len(pairs) == 1:
        return next(iter(pairs.values()))
    return pairs[inputs.pick(page.say, "compared_pair", list(pairs), labels)]


def _show_agreement(
    page: PageState, pair: ModelPair, words: tuple[str, ...], topn: int
) -> Comparison:
    """Show in four numbers how far the two agree."""
    say = page.say
    with st.spinner(say("compare.aligning")):
        comparison = compared(*pair, words, topn)
    measures = {
        "overlap": f"{say.number(100 * comparison.overlap)} %",
        "error": say.number(comparison.procrustes_error, 2),
        "spearman": say.number(comparison.spearman, 2),
        "common": say.number(comparison.common),
    }
    with st.container(horizontal=True):
        for name, text in measures.items():
            st.metric(say(f"compare.{name}"), text, help=say(f"compare.{name}_help", n=topn))
            saved_files.note(f"{say(f'compare.{name}')}: {text}")
    say_missing(page, comparison.missing, pair)
    return comparison


def _note_limits(say: Wording, comparison: Comparison) -> None:
    """Say what makes the numbers of two models less sure: sizes that differ, and few common words."""
    narrow, wide = sorted(comparison.dimensions)
    if narrow < wide:
        st.caption(say("compare.padded", narrow=narrow, wide=wide))
    if comparison.common <= 2 * wide:
        st.caption(say("compare.few", common=comparison.common, size=wide))


CHANGE = "views/change/change.py"


def lead_on(page: PageState) -> None:
    """Open Change where an address without a view changes its settings; offer it where the address also names words."""
    defaults: dict[str, str] = {}
    for settings in views.FORMER_SETTINGS["change"].values():
        defaults |= settings
    defaults["change_report"] = next(iter(chosen_report.reports_in_order(page.language)), "")
    words = {"compared": page.examples["compared"]}
    views.lead_on(CHANGE, defaults, words, page.say("compare.moved_page"))


def show_scores_by_set(page: PageState) -> None:
    """Show the table, and the button that computes scores that no card has."""
    say = page.say
    scores = model_answers.scores_of(page, page.entries)
    names = list(dict.fromkeys(name for by_set in scores.values() for name in by_set))
    if not names:
        st.info(say("compare.sets_none"))
        return
    found = {entry: _ranges(page, entry, by_set) for entry, by_set in scores.items()}
    ranges = {page.label(entry): of_model for entry, of_model in found.items() if of_model}
    columns = {
        page.label(entry): [_format_score(page, by_set.get(name)) for name in names]
        for entry, by_set in scores.items()
    }
    for model, of_model in ranges.items():
        title = say("compare.retrained", model=model)
        columns[title] = [_format_range(page, of_model.get(name)) for name in names]
    sets = pd.Index([outputs.title_of_test_set(say, name) for name in names])
    outputs.written_table(pd.DataFrame(columns, sets.rename(say("compare.set"))))
    st.caption(say("compare.sets_note"))
    for model, of_model in ranges.items():
        st.caption(outputs.plain(_about_ranges(page, model, of_model)))
    csv_rows = [
        {
            say("common.model"): entry.name,
            say("compare.set"): score.test_set,
            say("compare.measure"): score.measure,
            say("compare.score"): score.value,
            say("compare.covered"): score.covered,
            say("compare.total"): score.total,
            **_exact_range(say, found[entry].get(score.test_set)),
        }
        for entry, scores_of_model in scores.items()
        for score in scores_of_model.values()
    ]
    outputs.csv(say, lambda: pd.DataFrame(csv_rows), "compare-sets")


def _ranges(page: PageState, entry: Entry, scores: dict[str, ModelScore]) -> dict[str, ScoreRange]:
    """Return how the trainings of a model score on the sets that it has scores on; nothing for a model that was trained once.

    A damaged spread is said and counts as none; one on a set of that name and another size is of another set.
    """
    ranges: dict[str, ScoreRange] = {}
    with outputs.refusals_said(page.say, page.label(entry)):
        ranges = shelf_models.score_ranges(entry)
    return {
        name: ranges[name]
        for name, score in scores.items()
        if name in ranges
        and ranges[name].span.deviation is not None
        and (ranges[name].measure, ranges[name].total) == (score.measure, score.total)
    }


def _about_ranges(page: PageState, model: str, ranges: dict[str, ScoreRange]) -> str:
    """Return what ± means, with the range of the trainings on the model's first set."""
    say = page.say
    name, of_set = next(iter(ranges.items()))
    key = "compare.sets_range" if of_set.is_resampled else "compare.sets_range_seed"
    ends = {
        end: score_text(page.say, of_set.measure, getattr(of_set.span, end))
        for end in ("mean", "lowest", "highest")
    }
    title = outputs.title_of_test_set(say, name)
    return say(key, model=model, runs=of_set.span.runs, set=title, **ends)


def _exact_range(say: Wording, of_set: ScoreRange | None) -> dict[str, object]:
    """Return the columns of a score's range for the file; nothing where the model was trained once."""
    names = ("spread.mean", "compare.deviation", "spread.lowest", "spread.highest")
    ends = ("mean", "deviation", "lowest", "highest")
    return {
        say(name): getattr(of_set.span, end)
        for name, end in zip(names, ends, strict=True)
        if of_set is not None
    }


def _format_score(page: PageState, score: ModelScore | None) -> str:
    """Return a score with its coverage."""
    if score is None:
        return "–"
    value = score_text(page.say, score.measure, score.value)
    counts = {"covered": score.covered or 0, "total": score.total or 0}
    return page.say("compare.cell", value=value, **counts)


def _format_range(page: PageState, of_set: ScoreRange | None) -> str:
    """Return the mean of several trainings and their standard deviation; both are of other trainings than the model."""
    if of_set is None or of_set.span.deviation is None:
        return "–"
    say, is_share = page.say, of_set.measure == "accuracy"
    step = say.number(of_set.span.deviation * (100 if is_share else 1), 1 if is_share else 3)
    return say(
        "compare.deviating",
        value=score_text(page.say, of_set.measure, of_set.span.mean),
        deviation=step,
    )

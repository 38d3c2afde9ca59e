"""Lesson: why ratios work, and how much text they need."""

from __future__ import annotations

import math
from collections.abc import Callable

from app.loaders import shelf_models
from app.views.learn.lesson_models import static_model
from app.views.learn.lesson_step import Choice, Step, binned, labels, ranked
from app.views.ratios import ratio_table
from app.widgets import inputs
from app.widgets.frame import PageState
from embeddings.analysis.cooccurrence_ratios import ratios
from embeddings.results import Ratio, Ratios
from embeddings.shelf import Entry

LITTLE, MUCH = 1.1, 2.0  # factors by which one more meeting changes a ratio


def which_prefers(page: PageState) -> Step:
    """Ask which probe prefers the first word most."""
    say, (entry, answer) = page.say, _counted(page)
    rows = _met_by_both(answer)
    choice = ranked(
        [row.probe for row in rows],
        [row.ratio for row in rows],
        lambda ratio: ratio_table.format_ratio(say, ratio),
    )
    return _step(page, entry, answer, choice, _figure(page, answer))


def which_says_nothing(page: PageState) -> Step:
    """Ask which probe is nearest to 1."""
    say, (entry, answer) = page.say, _counted(page)
    rows = _met_by_both(answer)
    choice = ranked(
        [row.probe for row in rows],
        [abs(math.log(row.ratio)) for row in rows],
        lambda distance: say("learn.factor", factor=say.number(math.exp(distance), 1)),
        smallest=True,
    )
    return _step(page, entry, answer, choice, _table(page, answer))


def same_side(page: PageState) -> Step:
    """Ask for how many probes the vectors predict the side of 1 that the corpus shows."""
    entry, answer = _counted(page)
    agreeing = sum((row.ratio > 1) == (row.predicted_ratio > 1) for row in answer.rows)
    count = len(answer.rows)
    choice = binned(labels(page.say, "learn_ratios.3"), (count / 2, count), agreeing)
    fields = {"agreeing": agreeing, "count": count}
    return _step(page, entry, answer, choice, _figure(page, answer), **fields)


def one_more(page: PageState) -> Step:
    """Ask how far one more meeting would change the ratio that rests on the least text."""
    say, (entry, answer) = page.say, _counted(page)
    rarest = min(answer.rows, key=lambda row: row.count_first)
    factor = 1 + 1 / rarest.count_first if rarest.count_first else math.inf
    choice = binned(labels(say, "learn_ratios.4"), (LITTLE, MUCH), factor)
    fields = {
        "probe": rarest.probe,
        "met": say.number(rarest.count_first, 1),
        "factor": say.number(factor, 2),
    }
    return _step(page, entry, answer, choice, _table(page, answer), **fields)


def _counted(page: PageState) -> tuple[Entry, Ratios]:
    """Return the GloVe model and the ratios of the page's own example."""
    entry = static_model(page, "glove")
    first, second = inputs.split_list(page.examples["two"])
    probes = inputs.split_list(page.examples["probes"])
    return entry, ratios(shelf_models.cooccurrence(entry), first, second, probes)


def _met_by_both(answer: Ratios) -> list[Ratio]:
    """Return the probes that the corpus has near both words; the ratio of the others is 0 or infinite."""
    return [row for row in answer.rows if row.p_first and row.p_second]


def _figure(page: PageState, answer: Ratios) -> Callable[[], None]:
    """Return what draws the ratios."""
    return lambda: ratio_table.show_ratio_figure(page, answer)


def _table(page: PageState, answer: Ratios) -> Callable[[], None]:
    """Return what writes the ratios with their counts."""
    published = ratio_table.published_ratios(
        (answer.first, answer.second), tuple(row.probe for row in answer.rows)
    )
    return lambda: ratio_table.show_ratio_table(page.say, answer, published)


def _step(
    page: PageState,
    entry: Entry,
    answer: Ratios,
    choice: Choice,
    show: Callable[[], None],
    **fields: object,
) -> Step:
    """Return a step on the ratios of the page's own example."""
    settings = {
        "two": page.examples["two"],
        "probes": page.examples["probes"],
        "counts": entry.name,
    }
    words = {"first": answer.first, "second": answer.second}
    return Step(choice, show, "ratios", settings, {**words, **fields})


RATIOS = (which_prefers, which_says_nothing, same_side, one_more)

"""How sure neighbours, answers and their order are, over several trainings of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.figures.model_comparison import ranges_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs, snippets, views
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.stability import answer_spreads, neighbour_spreads
from embeddings.errors import KlyuchError
from embeddings.results import Analogy
from embeddings.results.vector_answers import MIN_RUNS, MIN_SHARE_OF_RUNS, NeighbourSpread, RunRange
from embeddings.shelf import Entry
from embeddings.vectors.run_spread import RunSpread


def show_neighbour_spread(
    page: PageState, word: str, near_by_model: Mapping[Entry, Sequence[str]]
) -> None:
    """Show the ranges of one model's neighbours; nothing where no chosen model was trained several times."""
    chosen = _choose_spread(page, list(near_by_model))
    if chosen is None:
        return
    entry, spread = chosen
    try:
        near = shelf_models.ask(neighbour_spreads, spread, word, tuple(near_by_model[entry]))
    except KlyuchError as error:
        st.caption(outputs.plain(page.say.refusal_of(error, [page.label(entry)])))
        return
    words = near_by_model[entry]
    code = snippets.neighbour_spread(entry.name, word, words)
    _show_ranges(page, chosen, near, words, word, code)


def show_answer_spread(page: PageState, analogies: Mapping[Entry, Analogy]) -> bool:
    """Show the ranges of one model's answers to a formula; return whether a chosen model was trained several times."""
    chosen = _choose_spread(page, list(analogies))
    if chosen is None:
        return any(opened_spread(page, entry) for entry in analogies)
    entry, spread = chosen
    try:
        answers = shelf_models.ask(answer_spreads, spread, analogies[entry])
    except KlyuchError as error:
        st.caption(outputs.plain(page.say.refusal_of(error, [page.label(entry)])))
        return True
    words = [answer.word for answer in analogies[entry].answers]
    _show_ranges(page, chosen, answers, words, analogies[entry].expression)
    return True


def _choose_spread(page: PageState, entries: Sequence[Entry]) -> tuple[Entry, RunSpread] | None:
    """Let one of the models be chosen that were trained several times; None where there is none, or it was trained only once."""
    say = page.say
    spreads = {entry: spread for entry in entries if (spread := opened_spread(page, entry))}
    if not spreads:
        return None
    st.header(say("spread.title"), anchor=False)
    entry = inputs.pick_model(say, "spread_model", spreads, page.label)
    if spreads[entry].runs < 2:
        st.info(outputs.plain(say("spread.single", model=page.label(entry))))
        return None
    return entry, spreads[entry]


def _show_ranges(
    page: PageState,
    chosen: tuple[Entry, RunSpread],
    near: Sequence[NeighbourSpread],
    words: Sequence[str],
    about: str,
    code: str = "",
) -> None:
    """Show ranges as a figure and a table, how many orders are unreliable, and which of the words have none."""
    say, (entry, spread) = page.say, chosen
    if not near:
        st.info(outputs.plain(say("spread.none", model=page.label(entry), word=about)))
        return
    lead = "spread.lead" if spread.resample == "documents" else "spread.lead_seed"
    st.markdown(outputs.plain(say(lead, model=page.label(entry), runs=spread.runs)))
    if spread.runs < MIN_RUNS:
        st.markdown(say("spread.few", least=MIN_RUNS))
    elif len(near) > 1:
        unreliable = sum(not neighbour.is_reliable for neighbour in near[:-1])
        share = say.number(100 * MIN_SHARE_OF_RUNS, 0)
        counts = say("spread.unreliable", unreliable=unreliable, pairs=len(near) - 1, share=share)
        st.markdown(counts)
    alt = say("spread.alt", word=about, model=entry.name, runs=spread.runs)
    figure = ranges_figure(near, page.colour(entry), say.separators)
    outputs.figure(say, figure, "spread", alt)
    ranged = {neighbour.word for neighbour in near}
    if without := [word for word in words if word not in ranged]:
        st.caption(outputs.plain(say("spread.without", words=say.list(without))))
    _show_table(page, spread, near)
    with views.footer():
        outputs.explain(say, "spread", r"s = \frac{k}{n}")
        if code:
            outputs.take_away(page, code, [entry])


def opened_spread(page: PageState, entry: Entry) -> RunSpread | None:
    """Return the spread of a model; a damaged one is said and counts as none."""
    try:
        return shelf_models.spread(entry)
    except KlyuchError as error:
        outputs.refuse(page.say, error, models=[page.label(entry)])
        return None


def range_text(say: Wording, span: RunRange, digits: int = 2) -> str:
    """Return a range as text."""
    return f"{say.number(span.lowest, digits)} – {say.number(span.highest, digits)}"


def _show_table(page: PageState, spread: RunSpread, near: Sequence[NeighbourSpread]) -> None:
    """Show each neighbour's range, ranks, and in how many runs it comes before the next."""
    say = page.say
    rows = []
    for neighbour in near:
        cells: dict[str, object] = {
            say("common.word"): neighbour.word,
            say("spread.mean"): neighbour.cosine.mean,
            say("spread.range"): range_text(say, neighbour.cosine, 3),
        }
        if neighbour.lowest_rank is not None:
            cells[say("spread.ranks")] = f"{neighbour.lowest_rank} – {neighbour.highest_rank}"
        rows.append({**cells, say("spread.order"): _order(say, spread, neighbour)})
    outputs.table(say, pd.DataFrame(rows), "spread", exact=lambda: exact_rows(say, spread, near))


def exact_rows(say: Wording, spread: RunSpread, near: Sequence[NeighbourSpread]) -> pd.DataFrame:
    """Return the same with full precision, the ends of ranges in columns of their own."""
    return pd.DataFrame(
        [
            {
                say("common.word"): neighbour.word,
                say("spread.mean"): neighbour.cosine.mean,
                say("spread.lowest"): neighbour.cosine.lowest,
                say("spread.highest"): neighbour.cosine.highest,
                say("spread.lowest_rank"): neighbour.lowest_rank,
                say("spread.highest_rank"): neighbour.highest_rank,
                say("spread.order"): _order(say, spread, neighbour),
            }
            for neighbour in near
        ]
    )


def _order(say: Wording, spread: RunSpread, neighbour: NeighbourSpread) -> str:
    """Return in how many runs a neighbour comes before the next; of enough runs, marked if the order is unreliable."""
    if neighbour.agreeing_runs is None:
        return "–"
    is_marked = spread.runs >= MIN_RUNS and not neighbour.is_reliable
    key = "spread.is_unreliable" if is_marked else "spread.is_sure"
    return say(key, agree=neighbour.agreeing_runs, runs=spread.runs)

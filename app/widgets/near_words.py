"""Why two words are near, and how sure neighbours, answers and their order are over several trainings of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.model_comparison import ranges_figure
from app.widgets import footer, inputs, outputs, snippets
from app.widgets.frame import PageState
from app.widgets.inputs import corpus_labels, say_if_sample
from app.wording import Wording
from embeddings.analysis.comparison_answers import (
    MIN_RUNS,
    MIN_SHARE_OF_RUNS,
    NeighbourSpread,
    RunRange,
)
from embeddings.analysis.context_answers import ContextSentence
from embeddings.analysis.shared_contexts import context_sentences
from embeddings.analysis.vector_answers import Analogy, SharedContexts
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry
from embeddings.shelf.locations import concordances
from embeddings.vectors.run_spread import RunSpread
from embeddings.verbs import VectorVerbs


def show_neighbour_spread(
    page: PageState, word: str, near_by_model: Mapping[Entry, Sequence[str]]
) -> bool:
    """Show the ranges of one model's neighbours; return whether a model was trained several times."""
    spreads = _spreads(page, near_by_model)
    if chosen := _choose_spread(page, spreads):
        entry, spread = chosen
        words = near_by_model[entry]
        code = snippets.code("neighbour_spread", model=entry.name, word=word, near=list(words))
        ask = partial(_reliability, entry, spread, word, tuple(words))
        _show_ranges(page, chosen, ask, words, word, code)
    return bool(spreads)


def show_answer_spread(page: PageState, analogies: Mapping[Entry, Analogy]) -> bool:
    """Show the ranges of one model's answers to a formula; return whether a model was trained several times."""
    spreads = _spreads(page, analogies)
    if chosen := _choose_spread(page, spreads):
        entry, spread = chosen
        analogy = analogies[entry]
        words = [answer.word for answer in analogy.answers]
        ask = partial(_reliability, entry, spread, analogy)
        _show_ranges(page, chosen, ask, words, analogy.expression)
    return bool(spreads)


def _reliability(entry: Entry, spread: RunSpread, *asked: Any) -> Sequence[NeighbourSpread]:
    """Return the ranges of neighbours or answers."""
    return shelf_models.ask(VectorVerbs.reliability, entry, *asked, spread=spread)


def _spreads(page: PageState, entries: Iterable[Entry]) -> dict[Entry, RunSpread]:
    """Return what several trainings say of each model that has them."""
    return {entry: spread for entry in entries if (spread := opened_spread(page, entry))}


def _choose_spread(
    page: PageState, spreads: Mapping[Entry, RunSpread]
) -> tuple[Entry, RunSpread] | None:
    """Let one of the models be chosen; None where there is none, or it was trained only once."""
    say = page.say
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
    ask: Callable[[], Sequence[NeighbourSpread]],
    words: Sequence[str],
    about: str,
    code: str = "",
) -> None:
    """Show ranges as a figure and a table, how many orders are unreliable, and which of the words have none."""
    say, (entry, spread) = page.say, chosen
    try:
        near = ask()
    except KlyuchError as error:
        st.caption(outputs.plain(say.refusal_of(error, [page.label(entry)])))
        return
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
    figure = ranges_figure(near, page.colour(entry))
    outputs.figure(say, figure, "spread", alt)
    ranged = {neighbour.word for neighbour in near}
    if without := [word for word in words if word not in ranged]:
        st.caption(outputs.plain(say("spread.without", words=say.list(without))))
    columns: outputs.Columns = {
        say("common.word"): "word",
        **{say(f"spread.{name}"): f"cosine.{name}" for name in ("mean", "lowest", "highest")},
        **{say(f"spread.{name}"): name for name in ("lowest_rank", "highest_rank")},
        say("spread.order"): partial(_order, say, spread),
    }
    rows = outputs.rows_of(near, columns).dropna(axis="columns", how="all")
    outputs.table(say, rows, "spread")
    if code:
        footer.draw_footer(page, "spread", code=code, entries=[entry])


def opened_spread(page: PageState, entry: Entry) -> RunSpread | None:
    """Return the spread of a model; a damaged one is said and counts as none."""
    with outputs.refusals_said(page.say, page.label(entry)):
        return shelf_models.spread(entry)
    return None


def range_text(say: Wording, span: RunRange, digits: int = 2) -> str:
    """Return a range as text."""
    return f"{say.number(span.lowest, digits)} – {say.number(span.highest, digits)}"


def _order(say: Wording, spread: RunSpread, neighbour: NeighbourSpread) -> str:
    """Return in how many runs a neighbour comes before the next; of enough runs, marked if the order is unreliable."""
    if neighbour.agreeing_runs is None:
        return "–"
    is_marked = spread.runs >= MIN_RUNS and not neighbour.is_reliable
    key = "spread.is_unreliable" if is_marked else "spread.is_sure"
    return say(key, agree=neighbour.agreeing_runs, runs=spread.runs)


def show_why(page: PageState, entry: Entry, word: str, near: Sequence[str]) -> None:
    """Let one of a word's neighbours be chosen, and show which contexts the two share by the counts of ``entry``."""
    say = page.say
    st.header(say("why_near.title"), anchor=False)
    other = inputs.pick(say, "why", list(dict.fromkeys(near)))
    answer = shared(entry, shelf_models.holder_of_contexts(entry), word, other)
    first, second = outputs.plain(answer.first), outputs.plain(answer.second)
    st.markdown(say("why_near.lead", first=first, second=second))
    show_shared(page, entry, answer)
    _show_together(page, answer)
    _show_sentences(page, entry, answer)
    code = snippets.code("shared_contexts", model=entry.name, first=word, second=other)
    footer.draw_footer(page, "why_near", code=code, entries=[entry])


@cached(256)
def shared(entry: Entry, _: Entry | None, first: str, second: str) -> SharedContexts:
    """Return the contexts that make two words near in a model, kept under the state of the model that holds them too."""
    contexts = shelf_models.contexts(entry)
    return shelf_models.vectors(entry).why_near(first, second, contexts=contexts)


def show_shared(page: PageState, entry: Entry, answer: SharedContexts) -> None:
    """Show the contexts with their shares and counts."""
    say, total = page.say, answer.ppmi_cosine or 1.0
    words = {"first": outputs.plain(answer.first), "second": outputs.plain(answer.second)}
    if not answer.shared:
        st.info(say("why_near.nothing", **words))
        return
    share = say("why_near.share")
    columns: outputs.Columns = {
        say("why_near.context"): "context",
        share: lambda shared: shared.contribution / total,
        say("why_near.beside", word=answer.first): "count_first",
        say("why_near.beside", word=answer.second): "count_second",
    }
    percent = {share: lambda value: f"{say.number(100 * value, 1)} %"}
    rows = outputs.rows_of(answer.shared, columns)
    outputs.table(say, rows, "why", forms=percent, shares=[share])
    st.caption(
        say(
            "why_near.adds_up",
            model=outputs.plain(page.label(entry)),
            cosine=say.number(answer.cosine, 3),
            contexts=say.number(answer.ppmi_cosine, 3),
            listed=say.number(100 * (1 - answer.others_contribution / total), 0),
            window=answer.window,
            kept_first=say.number(100 * answer.kept[0], 0),
            kept_second=say.number(100 * answer.kept[1], 0),
            **words,
        )
    )


def _show_together(page: PageState, answer: SharedContexts) -> None:
    """Say whether the two are next to each other: collocates, not only substitutes."""
    say, together = page.say, answer.first_order
    key = "why_near.apart"
    if together.pmi is not None:
        key = "why_near.together" if together.pmi > 0 else "why_near.seldom"
    st.markdown(
        say(
            key,
            first=outputs.plain(answer.first),
            second=outputs.plain(answer.second),
            window=answer.window,
            count=together.count,
            expected=say.number(together.expected, 1),
        )
    )


def _show_sentences(page: PageState, entry: Entry, answer: SharedContexts) -> None:
    """Let a concordance be chosen, and show its sentences in which each word is near a shared context."""
    say, indexed = page.say, inputs.in_language_first(page.language)
    if indexed:
        labels = corpus_labels(say, indexed, page.language)
        path = indexed[inputs.pick(say, "why_corpus", list(indexed), labels)]
        say_if_sample(say, path)
        if path in concordances().values():
            st.caption(say("why_near.own_text", model=outputs.plain(page.label(entry))))
        with outputs.refusals_said(say):
            concordance = shelf_models.concordance(path)
            for word, column in zip((answer.first, answer.second), st.columns(2), strict=True):
                sentences = shelf_models.ask_in_queue(
                    context_sentences, concordance, answer, word, language=page.language
                )
                with column:
                    _show_lines(page, sentences, word)
    if not concordances():
        st.caption(say("why_near.no_sentences"))


def _show_lines(page: PageState, sentences: Sequence[ContextSentence], word: str) -> None:
    """Show some sentences of one word, it and its shared context in bold."""
    if not any(sentence.context for sentence in sentences):
        key = "why_near.word_alone" if sentences else "why_near.no_lines"
        st.caption(page.say(key, word=outputs.plain(word)))
    for sentence in sentences:
        st.markdown(outputs.marked(sentence.line.text, sentence.line.spans))

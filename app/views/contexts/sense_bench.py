"""Contexts: the senses arranged by hand: their number, merged, split, renamed, sentences moved; undone, and kept.

An arrangement belongs to the visit: it is found again when the same sentences are read, and nobody else sees it. An export keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.views.contexts.chosen_contexts import ChosenContexts, bracketed
from app.views.contexts.sense_groups import FoundSenses
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis import sense_grouping
from embeddings.corpora.sense_files import grouping_of
from embeddings.errors import KlyuchError
from embeddings.results.induced_senses import SenseGrouping

NUMBERS = ("found", "1", "2", "3", "4", "5", "6", "7", "8")
HISTORY = "_sense_history"  # groupings by contexts, the first one made by hand first
REFUSAL = "_sense_refusal"
AROUND = 30  # characters of a sentence on either side of the word in a list
Change = Callable[[SenseGrouping], SenseGrouping]


def choose_number(page: PageState) -> str:
    """Let the number of senses be set; "found" leaves it to the contexts."""
    say = page.say
    labels = {number: number for number in NUMBERS[1:]} | {"found": say("contexts.number_found")}
    return inputs.pick(say, "contexts_number", NUMBERS, labels)


def arrangement(chosen: ChosenContexts, senses: FoundSenses, number: str) -> SenseGrouping:
    """Return how the sentences are grouped: by hand, as their file has it, in so many senses, or as they were found."""
    if steps := _steps(chosen):
        return steps[-1]
    if number == "found" or senses.induction is None:
        return senses.grouping
    wanted = min(int(number), len(chosen.contexts))
    labels = sense_grouping.cut_into(senses.induction.agreement, wanted)
    return SenseGrouping(tuple(int(label) for label in labels), ("",) * wanted)


def is_by_hand(chosen: ChosenContexts) -> bool:
    """Whether somebody arranged these sentences, on the page or in the file that was opened."""
    return bool(_steps(chosen))


def _steps(chosen: ChosenContexts) -> list[SenseGrouping]:
    """Return the arrangements of these sentences, the last one counts; that of their file is read once."""
    history: dict[str, list[SenseGrouping]] = st.session_state.setdefault(HISTORY, {})
    if chosen.key not in history:
        kept = grouping_of(chosen.contexts)
        history[chosen.key] = [kept] if kept else []
    return history[chosen.key]


def show_bench(page: PageState, chosen: ChosenContexts, senses: FoundSenses) -> None:
    """Offer what a hand can do to the senses."""
    if senses.induction is None:
        return
    say, grouping = page.say, senses.grouping
    titles = senses.titles(page)
    steps = len(_steps(chosen))
    with st.container(border=True):
        st.markdown(say("contexts.arrange_lead"))
        if refusal := st.session_state.pop(REFUSAL, None):
            outputs.refuse(say, refusal)
        _offer_sense_changes(page, chosen, grouping, senses.induction.agreement, titles)
        _offer_moves(page, chosen, grouping, titles)
        if steps:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                st.button(
                    say("contexts.undo"),
                    key="sense-undo",
                    icon=":material/undo:",
                    on_click=_undo,
                    args=(chosen,),
                )
                st.button(
                    say("contexts.start_over"),
                    key="sense-start-over",
                    on_click=_start_over,
                    args=(chosen,),
                )
            st.caption(say("contexts.arranged"))


def _offer_sense_changes(
    page: PageState,
    chosen: ChosenContexts,
    grouping: SenseGrouping,
    agreement: NDArray[np.float32],
    titles: list[str],
) -> None:
    """Let a sense be renamed, split by the agreement of its sentences, and merged with another."""
    say = page.say
    rows = list(range(grouping.number))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        sense = _pick_sense(page, "sense_edited", rows, titles)
        key = f"sense-name-{chosen.key}-{sense}-{grouping.names[sense]}"
        st.text_input(
            say("contexts.rename"),
            value=grouping.names[sense],
            key=key,
            placeholder=titles[sense],
            on_change=lambda: _change(
                chosen,
                grouping,
                lambda g: sense_grouping.rename(g, sense, st.session_state[key] or ""),
            ),
            width=240,
        )
        st.button(
            say("contexts.split"),
            key="sense-split",
            icon=":material/call_split:",
            on_click=_change,
            args=(chosen, grouping, lambda g: sense_grouping.split(g, sense, agreement)),
        )
    others = [other for other in rows if other != sense]
    if others:
        with st.popover(say("contexts.merge"), icon=":material/call_merge:"):
            other = _pick_sense(page, "sense_merged", others, titles)
            st.button(
                say("contexts.merge"),
                key="sense-merge",
                on_click=_change,
                args=(chosen, grouping, lambda g: sense_grouping.merge(g, sense, other)),
            )


def _offer_moves(
    page: PageState,
    chosen: ChosenContexts,
    grouping: SenseGrouping,
    titles: list[str],
) -> None:
    """Let sentences be moved to another sense; those selected on the map are in the field at first."""
    say, state = page.say, st.session_state
    rows = list(range(len(chosen.contexts)))
    state["sense_moved"] = [row for row in state.get("sense_moved", []) if row in rows]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        moved = st.multiselect(
            say("contexts.moved"),
            rows,
            format_func=lambda row: f"{row + 1}. {bracketed(chosen.contexts[row], AROUND)}",
            key="sense_moved",
            help=say("contexts.moved_help"),
            placeholder=say("contexts.moved_none"),
        )
        targets = [*range(grouping.number), grouping.number]
        target = _pick_sense(page, "sense_target", targets, [*titles, say("contexts.new_sense")])
        st.button(
            say("contexts.move"),
            key="sense-move",
            icon=":material/drive_file_move:",
            on_click=_move,
            args=(chosen, grouping, moved, target),
        )


def _pick_sense(page: PageState, key: str, senses: list[int], titles: list[str]) -> int:
    """Let a sense be chosen; one that is gone gives way to the first."""
    if st.session_state.get(key) not in senses:
        st.session_state[key] = senses[0]
    return st.selectbox(
        page.say(f"contexts.{key}"),
        senses,
        format_func=lambda sense: titles[sense],
        key=key,
        width=240,
    )


def _move(
    chosen: ChosenContexts, grouping: SenseGrouping, rows: Sequence[int], target: int
) -> None:
    """Move the sentences, if there are any."""
    if rows:
        _change(chosen, grouping, lambda g: sense_grouping.move(g, rows, target))
        st.session_state["sense_moved"] = []


def _change(chosen: ChosenContexts, grouping: SenseGrouping, change: Change) -> None:
    """Make a change and remember it; an error is shown when the page is drawn."""
    try:
        changed = change(grouping)
        if changed != grouping:
            _steps(chosen).append(changed)
    except KlyuchError as error:
        st.session_state[REFUSAL] = error


def _undo(chosen: ChosenContexts) -> None:
    """Take the last change back."""
    _steps(chosen).pop()


def _start_over(chosen: ChosenContexts) -> None:
    """Drop every change."""
    del _steps(chosen)[:]

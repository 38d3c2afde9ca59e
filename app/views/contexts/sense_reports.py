"""Contexts: the senses set by hand; their tree, their frequency by document, agreement with an annotation, files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from app.answers import cached
from app.figures.context_figures import sense_frequencies_figure, sense_tree_figure
from app.figures.palette import CATEGORIES, OTHERS
from app.views.contexts.chosen_contexts import (
    MAX_OCCURRENCES,
    ChosenContexts,
    bracketed,
    upload_contexts,
)
from app.views.contexts.sense_groups import ShownSenses
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.analysis import sense_grouping
from embeddings.analysis.context_answers import SenseAgreement, SenseFrequencies
from embeddings.analysis.sense_agreement import annotated_labels, compare_annotations
from embeddings.analysis.sense_grouping import frequencies_by, sense_tree
from embeddings.corpora.corpus_answers import SenseGrouping
from embeddings.corpora.sense_contexts import Context
from embeddings.corpora.sense_files import FORMS, SENSE_NAME, grouping_of, with_senses, write_senses

FORM_NAMES = {".tsv": "RUSSE 2018 (TSV)", ".csv": "CSV", ".json": "JSON"}


def show_tree(shown: ShownSenses) -> None:
    """Draw the tree of the sentences, in a closed box."""
    say, chosen = shown.read.page.say, shown.read.chosen

    def fill() -> None:
        st.markdown(say("contexts.tree_lead"))
        tree = sense_tree(shown.found.induction.agreement)
        figure = sense_tree_figure(tree, shown.marks, say("contexts.tree_axis"))
        alt = say("contexts.tree_alt", word=chosen.word, contexts=len(chosen.contexts))
        outputs.figure(say, figure, "contexts-tree", alt)

    outputs.lazy_expander(say, "contexts.tree", "contexts-tree", ":material/account_tree:", fill)


def show_frequencies(shown: ShownSenses, columns: Sequence[str]) -> None:
    """Draw how often each sense occurs by document, date or another column of the sentences."""
    say, chosen, senses = shown.read.page.say, shown.read.chosen, shown.found
    labels = {name: say.get(f"contexts.column_{name}", name) for name in columns}
    column = inputs.pick(say, "contexts_column", columns, labels)
    counted = frequencies_by(chosen.contexts, senses.grouping.labels, column)
    table = frequency_table(say, labels[column], senses.titles, counted)
    sentences, share, *by_words = table.columns[2:]
    forms: dict[str, Callable[[float], str]] = {share: say.percent}
    forms |= dict.fromkeys(by_words[:1], lambda value: say.number(value, 2))
    cells = [
        f"{name}: " + table[name].map(forms.get(name, say.number)) for name in table.columns[2:]
    ]
    hovers = list(map("<br>".join, zip(*cells, strict=True)))
    hues = dict(zip(senses.titles, cycle((*OTHERS, *CATEGORIES)), strict=False))
    colours = {title: shown.marks.colours.get(title, hue) for title, hue in hues.items()}
    axis = by_words[0] if by_words else sentences
    figure = sense_frequencies_figure(counted, colours, hovers, axis)
    alt = say("contexts.frequencies_alt", word=chosen.word, values=len(counted.values))
    outputs.figure(say, figure, "contexts-frequencies", alt)
    st.caption(say("contexts.frequencies_read", length=axis))
    if chosen.source == "corpus" and not by_words:
        st.caption(say("contexts.frequencies_unread", most=MAX_OCCURRENCES))
    outputs.table(say, table, "contexts-frequencies-table", forms=forms, shares=[share])


def frequency_table(
    say: Wording, column: str, titles: Sequence[str], counted: SenseFrequencies
) -> pd.DataFrame:
    """Return a row for each document or date and sense: sentences, share from 0 to 1; if known, uses in 10 000 words, and words."""
    names = ["group", "sentences", "share", "per_10_000", "words"]
    lines = [(group, titles[sense - 1], *numbers) for group, sense, *numbers in counted.table()[1]]
    table = pd.DataFrame(lines, columns=[column, *(say(f"contexts.{name}") for name in names)])
    return table if counted.words else table.iloc[:, :-2]


def columns(chosen: ChosenContexts) -> list[str]:
    """Return what sentences can be counted by: columns that do not have one value for all, "document" if files have several."""
    rows = [dict(context.further) for context in chosen.contexts]
    values = {name: {row.get(name, "") for row in rows} for row in rows for name in row}
    if {"file", "document"} <= values.keys():
        values["document"] = {f"{row.get('file')}: {row.get('document')}" for row in rows}
        if len(values["document"]) == len(values["file"]):
            del values["document"]
    sizes = {f"{name}_words" for name in values}
    return [name for name in values if len(values[name]) > 1 and name not in {SENSE_NAME, *sizes}]


def show_agreement(shown: ShownSenses) -> None:
    """Compare the senses with an annotation that a person brings."""
    page, chosen, senses = shown.read.page, shown.read.chosen, shown.found
    say = page.say
    box = st.expander(say("contexts.agreement"), icon=":material/compare_arrows:")
    with box, outputs.refusals_said(say):
        st.markdown(say("contexts.agreement_lead"))
        annotated = upload_contexts(page, "contexts_annotation")
        if annotated is None:
            return
        name = st.session_state["contexts_annotation"].name
        labels = annotated_labels(chosen.contexts, annotated, page.language, name)
        grouped = [senses.titles[label] for label in senses.grouping.labels]
        agreement = compare_annotations(
            grouped, labels, same_names=set(labels) - {""} <= set(senses.grouping.names)
        )
        _show_figures(say, agreement)


def _show_figures(say: Wording, agreement: SenseAgreement) -> None:
    """Show the four figures, those of one sense, what each means, and the table of both annotations."""
    names = ("ari", "v_measure", "kappa", "b_cubed")
    for column, name in zip(st.columns(len(names)), names, strict=True):
        value = say.number(getattr(agreement, name), 2)
        column.metric(say(f"contexts.agree_{name}"), value, help=say(f"contexts.agree_{name}_help"))
    one = say.number(agreement.one_sense_b_cubed, 2)
    st.caption(say("contexts.agree_one_sense", one=one))
    st.caption(say("contexts.agreed_on", contexts=agreement.contexts, lacking=agreement.lacking))
    pairs = "; ".join(f"{sense} = {label}" for sense, label in agreement.matching)
    st.caption(outputs.plain(say("contexts.matching", pairs=pairs)))
    table = pd.DataFrame(agreement.table, columns=list(agreement.labels))
    table.insert(0, say("contexts.group"), agreement.senses)
    outputs.table(say, table, "contexts-agreement")


@cached(6, {Context: hash})
def exported_contexts(contexts: tuple[Context, ...], form: str) -> bytes:
    """Return contexts with their senses as a file of the form that a suffix names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"senses{form}"
        write_senses(path, contexts)
        return path.read_bytes()


def offer_files(shown: ShownSenses) -> None:
    """Offer the sentences with their senses in each form; the page opens them again."""
    say = shown.read.page.say
    exported = with_senses(shown.read.chosen.contexts, shown.found.grouping)
    with st.expander(say("contexts.export_title"), icon=":material/download:"):
        st.caption(say("contexts.export"))
        for form in FORMS:
            make = partial(exported_contexts, exported, form)
            outputs.download(FORM_NAMES[form], make, f"klyuch-senses{form}", f"senses{form}")


HISTORY = "_sense_history"  # groupings by contexts, the first one made by hand first
AROUND = 30  # characters of a sentence on either side of the word in a list
Change = Callable[[SenseGrouping], SenseGrouping]


def arrangement(
    chosen: ChosenContexts, found: SenseGrouping, agreement: NDArray[np.float32], number: str
) -> SenseGrouping:
    """Return how the sentences are grouped: by hand, as their file has it, in so many senses, or as they were found."""
    if steps := _steps(chosen):
        return steps[-1]
    if number == "found":
        return found
    wanted = min(int(number), len(chosen.contexts))
    labels = sense_grouping.cut_into(agreement, wanted)
    return SenseGrouping(tuple(int(label) for label in labels), ("",) * wanted)


def is_by_hand(chosen: ChosenContexts) -> bool:
    """Whether somebody arranged these sentences, on the page or in the file that was opened."""
    return bool(_steps(chosen))


def _steps(chosen: ChosenContexts) -> list[SenseGrouping]:
    """Return the arrangements of these sentences, the last one counts; that of their file is read once."""
    history: dict[int, list[SenseGrouping]] = st.session_state.setdefault(HISTORY, {})
    if chosen.key not in history:
        kept = grouping_of(chosen.contexts)
        history[chosen.key] = [kept] if kept else []
    return history[chosen.key]


def show_bench(shown: ShownSenses) -> None:
    """Offer what a hand can do to the senses."""
    say, steps = shown.read.page.say, _steps(shown.read.chosen)
    with st.container(border=True):
        st.markdown(say("contexts.arrange_lead"))
        outputs.show_kept_refusal(say)
        _offer_sense_changes(shown)
        _offer_moves(shown)
        if steps:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                inputs.button(say("contexts.undo"), "sense-undo", "undo", steps.pop)
                inputs.button(say("contexts.start_over"), "sense-start-over", "", steps.clear)
            st.caption(say("contexts.arranged"))


def _offer_sense_changes(shown: ShownSenses) -> None:
    """Let a sense be renamed, split by the agreement of its sentences, and merged with another."""
    say, grouping = shown.read.page.say, shown.found.grouping
    rows = list(range(grouping.number))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        sense = _pick_sense(shown, "sense_edited", rows)
        name = grouping.names[sense]
        key = f"sense-name-{shown.read.chosen.key}-{sense}-{name}"

        def rename(grouping: SenseGrouping) -> SenseGrouping:
            return sense_grouping.rename(grouping, sense, st.session_state[key] or "")

        st.text_input(
            say("contexts.rename"),
            value=name,
            key=key,
            placeholder=shown.found.titles[sense],
            on_change=_change,
            args=(shown, rename),
            width=240,
        )

        def split(grouping: SenseGrouping) -> SenseGrouping:
            return sense_grouping.split(grouping, sense, shown.found.induction.agreement)

        inputs.button(say("contexts.split"), "sense-split", "call_split", _change, shown, split)
    others = [other for other in rows if other != sense]
    if others:
        with st.popover(say("contexts.merge"), icon=":material/call_merge:"):
            other = _pick_sense(shown, "sense_merged", others)
            merge = partial(sense_grouping.merge, first=sense, second=other)
            inputs.button(say("contexts.merge"), "sense-merge", "", _change, shown, merge)


def _offer_moves(shown: ShownSenses) -> None:
    """Let sentences be moved to another sense; those selected on the map are in the field at first."""
    say, state, contexts = shown.read.page.say, st.session_state, shown.read.chosen.contexts
    rows = list(range(len(contexts)))
    state["sense_moved"] = [row for row in state.get("sense_moved", []) if row in rows]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        moved = st.multiselect(
            say("contexts.moved"),
            rows,
            format_func=lambda row: f"{row + 1}. {bracketed(contexts[row], AROUND)}",
            key="sense_moved",
            help=say("contexts.moved_help"),
            placeholder=say("contexts.moved_none"),
        )
        target = _pick_sense(shown, "sense_target", [*range(shown.found.grouping.number + 1)])
        icon = "drive_file_move"
        inputs.button(say("contexts.move"), "sense-move", icon, _move, shown, moved, target)


def _pick_sense(shown: ShownSenses, key: str, senses: list[int]) -> int:
    """Let a sense be chosen; one that is gone gives way to the first, one more than there are is a new one."""
    say, chosen = shown.read.page.say, st.session_state.get(key)
    # Set in every run: the browser would go on showing a sense by the name that it had when it was chosen.
    st.session_state[key] = chosen if chosen in senses else senses[0]
    titles = [*shown.found.titles, say("contexts.new_sense")]
    return st.selectbox(
        say(f"contexts.{key}"), senses, format_func=titles.__getitem__, key=key, width=240
    )


def _move(shown: ShownSenses, rows: Sequence[int], target: int) -> None:
    """Move the sentences, if there are any."""
    if rows:
        _change(shown, lambda g: sense_grouping.move(g, rows, target))
        st.session_state["sense_moved"] = []


def _change(shown: ShownSenses, change: Change) -> None:
    """Make a change and remember it; an error is shown when the page is drawn."""
    grouping = shown.found.grouping
    with outputs.refusal_kept():
        changed = change(grouping)
        if changed != grouping:
            _steps(shown.read.chosen).append(changed)

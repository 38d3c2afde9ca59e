"""Contexts: what the senses give: their tree, their frequency by document, agreement with an annotation, files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from app.figures.context_points import ContextMarks, sense_frequencies_figure, sense_tree_figure
from app.figures.palette import CATEGORIES, GREY, OTHERS
from app.loaders import context_answers
from app.views.contexts import sense_groups
from app.views.contexts.chosen_contexts import ChosenContexts
from app.views.contexts.context_file import upload_contexts
from app.views.contexts.sense_groups import FoundSenses
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.analysis.sense_agreement import annotated_labels, compare_annotations
from embeddings.analysis.sense_grouping import frequencies, sense_tree
from embeddings.corpora.sense_files import FORMS, SENSE_NAME, with_senses
from embeddings.errors import KlyuchError
from embeddings.results.induced_senses import SenseAgreement

FORM_NAMES = {".tsv": "RUSSE 2018 (TSV)", ".csv": "CSV", ".json": "JSON"}


def show_tree(
    page: PageState, chosen: ChosenContexts, senses: FoundSenses, marks: ContextMarks
) -> None:
    """Draw the tree of the sentences, in a closed box."""
    if (induction := senses.induction) is None:
        return
    say = page.say

    def fill() -> None:
        st.markdown(say("contexts.tree_lead"))
        figure = sense_tree_figure(
            sense_tree(induction.agreement),
            marks.groups,
            marks.colours,
            marks.hovers,
            say("contexts.tree_axis"),
            say.separators,
        )
        alt = say("contexts.tree_alt", word=chosen.word, contexts=len(chosen.contexts))
        outputs.figure(say, figure, "contexts-tree", alt)

    outputs.box(say, "contexts.tree", "contexts-tree", ":material/account_tree:", fill)


def sense_colours(titles: list[str], marks: ContextMarks) -> Mapping[str, str]:
    """Return a colour for each sense: the map's where it shows senses, else colours that mean nothing there."""
    if set(titles) <= set(marks.colours):
        return marks.colours
    free = [hue for hue in (*OTHERS, *CATEGORIES) if hue not in marks.colours.values()] or [GREY]
    return {title: free[number % len(free)] for number, title in enumerate(titles)}


def show_frequencies(
    page: PageState,
    chosen: ChosenContexts,
    senses: FoundSenses,
    marks: ContextMarks,
    columns: Mapping[str, list[str]],
) -> None:
    """Draw how often each sense occurs by document, date or another column of the sentences."""
    say = page.say
    if senses.induction is None:
        sense_groups.refuse_senses(page, senses)
        return
    column = inputs.pick(say, "contexts_column", list(columns), {name: name for name in columns})
    titles = senses.titles(page)
    try:
        counted = frequencies(senses.grouping.labels, columns[column])
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    figure = sense_frequencies_figure(
        counted,
        titles,
        sense_colours(titles, marks),
        say("contexts.sentences"),
        say.separators,
    )
    alt = say("contexts.frequencies_alt", word=chosen.word, values=len(counted.values))
    outputs.figure(say, figure, "contexts-frequencies", alt)
    st.caption(say("contexts.frequencies_read"))
    table = pd.DataFrame(counted.counts, columns=titles)
    table.insert(0, column, counted.values)
    outputs.table(say, table, "contexts-frequencies-table")


def columns(page: PageState, chosen: ChosenContexts) -> dict[str, list[str]]:
    """Return what sentences can be counted by: columns that do not have one value for all."""
    values_of: dict[str, list[str]] = {}
    if chosen.places:
        values_of[page.say("contexts.place_column")] = list(chosen.places)
    further = [dict(context.further) for context in chosen.contexts]
    for name in dict.fromkeys(name for fields in further for name in fields):
        if name != SENSE_NAME and not (chosen.places and name == "document"):
            values_of[name] = [fields.get(name, "") for fields in further]
    return {name: values for name, values in values_of.items() if len(set(values)) > 1}


def show_agreement(page: PageState, chosen: ChosenContexts, senses: FoundSenses) -> None:
    """Compare the senses with an annotation that a person brings."""
    if senses.induction is None:
        return
    say = page.say
    with st.expander(say("contexts.agreement"), icon=":material/compare_arrows:"):
        st.markdown(say("contexts.agreement_lead"))
        annotated = upload_contexts(page, "contexts_annotation")
        if annotated is None:
            return
        name = st.session_state["contexts_annotation"].name
        titles = senses.titles(page)
        try:
            labels = annotated_labels(chosen.contexts, annotated, page.language, name)
            grouped = [titles[label] for label in senses.grouping.labels]
            agreement = compare_annotations(
                grouped, labels, same_names=set(labels) - {""} <= set(senses.grouping.names)
            )
        except KlyuchError as error:
            outputs.refuse(say, error)
            return
        _show_figures(page, agreement)


def _show_figures(page: PageState, agreement: SenseAgreement) -> None:
    """Show the four figures, those of one sense, what each means, and the table of both annotations."""
    say = page.say
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


def offer_files(page: PageState, chosen: ChosenContexts, senses: FoundSenses) -> None:
    """Offer the sentences with their senses in each form; the page opens them again."""
    if senses.induction is None:
        return
    say = page.say
    exported = with_senses(chosen.contexts, senses.grouping)
    with st.expander(say("contexts.export_title"), icon=":material/download:"):
        st.caption(say("contexts.export"))
        for form in FORMS:
            make = partial(context_answers.exported_contexts, exported, form)
            outputs.download(FORM_NAMES[form], make, f"klyuch-senses{form}", f"senses{form}")

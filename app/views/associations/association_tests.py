"""Associations: whether one set of words is nearer than another to pleasant words, say (WEAT), in every chosen model."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from app.figures.palette import BROWN, INDIGO
from app.figures.word_similarities import axis_figure
from app.loaders import shelf_models
from app.widgets import inputs, outputs, snippets, views
from app.widgets.frame import PageState
from app.widgets.model_refusals import answers_of
from app.widgets.run_spreads import opened_spread, range_text
from app.wording import Wording
from embeddings.analysis.stability import effect_size_range
from embeddings.results import AxisPosition
from embeddings.results.vector_answers import AssociationSets, AssociationTest, PermutationP
from embeddings.shelf import Entry, association_tests
from embeddings.verbs import VectorVerbs

OWN = "own"
FIELDS = ("weat_x", "weat_y", "weat_a", "weat_b")
FORMULA = (
    r"s(w) = \frac{1}{|A|} \sum_{a \in A} \cos(w, a) - \frac{1}{|B|} \sum_{b \in B} \cos(w, b), \qquad "
    r"d = \frac{\bar{s}(X) - \bar{s}(Y)}{\sigma(X \cup Y)}"
)


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
    rows = []
    if answers:
        _show_table(page, answers)
        rows = _show_targets(page, answers)
        _show_notes(page, answers)
    with views.footer():
        outputs.explain(say, "association", FORMULA)
        code = snippets.association([entry.name for entry in answers], sets)
        outputs.take_away(page, code, list(answers), [f"WEAT {sets.name}"])
        if rows:
            outputs.csv(say, lambda: pd.DataFrame(rows), "weat-targets")


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
    for fields, columns in ((FIELDS[:2], st.columns(2)), (FIELDS[2:], st.columns(2))):
        for field, column in zip(fields, columns, strict=True):
            default = ", ".join(examples[FIELDS.index(field)])
            with column:
                lists.append(inputs.split_list(inputs.line(say, field, default)))
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
    say, first = page.say, next(iter(answers.values()))
    titles = [outputs.plain(set_title(say, covered.title)) for covered in first.sets]
    names = dict(zip(("first", "second", "near", "far"), titles, strict=True))
    st.caption(say("association.drawn_note", near=names["near"]))
    st.caption(say("association.note", **names))
    _show_coverage(page, answers)


def _show_coverage(page: PageState, answers: dict[Entry, AssociationTest]) -> None:
    """Name the words without vectors and the sets of unequal size, once for all models that lack the same."""
    say = page.say
    alike: dict[tuple[object, ...], list[str]] = {}
    for entry, answer in answers.items():
        missing = dict.fromkeys(word for covered in answer.sets for word in covered.missing)
        sizes = tuple(len(covered.words) for covered in answer.sets[:2])
        alike.setdefault((*sizes, *missing), []).append(page.label(entry))
    for (first, second, *lacking), labels in alike.items():
        models = say.list(labels)
        if lacking:
            sentence = say("listed.missing", model=models, words=say.list(lacking))
            st.caption(outputs.plain(sentence))
        if first != second:
            sentence = say("association.unequal", model=models, first=first, second=second)
            st.caption(outputs.plain(sentence))


def _effect(page: PageState, entry: Entry, answer: AssociationTest) -> str:
    """Return the effect size, and between which values it lies when the model is trained again."""
    spread, text = opened_spread(page, entry), page.say.number(answer.effect_size, 2)
    span = shelf_models.ask(effect_size_range, spread, answer) if spread else None
    if span is None or span.deviation is None:
        return text
    return f"{text} ({range_text(page.say, span)})"


def _p(say: Wording, value: PermutationP) -> str:
    """Return a p value with two digits that say something, and the standard error of a sampled one."""
    digits = max(2, 1 - math.floor(math.log10(value.p)))
    text = say.number(value.p, digits)
    if value.standard_error is None:
        return text
    return f"{text} ± {say.number(value.standard_error, max(digits, 4))}"


def _show_targets(
    page: PageState, answers: dict[Entry, AssociationTest]
) -> list[dict[str, object]]:
    """Draw the association of each target in one model; return the rows of the table."""
    say = page.say
    chosen = st.session_state["weat_model"]
    entry = next((entry for entry in answers if entry.name == chosen), next(iter(answers)))
    answer = answers[entry]
    titles = [set_title(say, covered.title) for covered in answer.sets]
    positions: dict[str, tuple[AxisPosition, ...]] = {
        title: tuple(
            AxisPosition(target.word, target.association)
            for target in answer.targets
            if target.word in covered.words
        )
        for title, covered in zip(titles[:2], answer.sets[:2], strict=True)
    }
    colours = dict(zip(titles[:2], (BROWN, INDIGO), strict=True))
    figure = axis_figure(positions, colours, (titles[3], titles[2]), say.separators)
    names = dict(zip(("first", "second", "near", "far"), titles, strict=True))
    outputs.figure(
        say, figure, "weat-targets", say("association.alt", model=page.label(entry), **names)
    )
    return [
        {
            say("common.word"): target.word,
            say("association.set"): set_title(say, target.title),
            say("association.association"): target.association,
        }
        for target in answer.targets
    ]

"""Analogies: the answers of every chosen model side by side, and the plane of one model's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from app.figures.analogy_plane import parallelogram_figure
from app.loaders import analogy_answers, shelf_models
from app.widgets import inputs, outputs, ranked_words
from app.widgets.frame import PageState
from app.widgets.model_refusals import offer_other_language, refuse_together
from embeddings.analysis.analogies import answer_rank
from embeddings.analysis.analogy_formulas import read_proportion
from embeddings.analysis.projection import parallelogram
from embeddings.errors import KlyuchError, UnknownWordError
from embeddings.results import Analogy
from embeddings.shelf import Entry
from embeddings.text.lemmas import lemma


@dataclass(frozen=True)
class FormulaQuestion:
    """A formula and how it is answered; ``expected`` is the word that somebody expects, or "".

    ``language`` is that of the lemmas under which forms are one answer, "" where they are not.
    """

    formula: str
    rule: str
    include_inputs: bool
    language: str
    expected: str

    @property
    def fold(self) -> Callable[[str], str] | None:
        """Return what gives a word's lemma."""
        return partial(lemma, language=self.language) if self.language else None


def ask_formula(page: PageState) -> FormulaQuestion:
    """Ask for a formula; a proportion's fourth word is the one that is expected."""
    say = page.say
    examples = page.examples["formulas"].split(" | ")
    formula = inputs.line(say, "formula", examples[0])
    inputs.examples(say, "formula", examples)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        rule = inputs.choice(say, "rule", ("add", "mul"))
        include = inputs.switch(say, "inputs")
        fold = inputs.switch(say, "analogies_fold", default=True)
        with st.container(width=260):
            expected = inputs.line(say, "expected", "")
    if not formula:
        st.info(say("analogies.empty"))
        raise outputs.Halt
    try:
        proportion = read_proportion(formula)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    if proportion:
        expected = expected or proportion[1]
    return FormulaQuestion(formula, rule, include, page.language if fold else "", expected)


def show_answers(page: PageState, question: FormulaQuestion) -> dict[Entry, Analogy]:
    """Answer the formula with every model that can; the page ends if none can."""
    say = page.say
    analogies: dict[Entry, Analogy] = {}
    refusals: dict[Entry, KlyuchError] = {}
    for entry in page.entries:
        try:
            analogies[entry] = analogy_answers.solved(
                entry,
                question.formula,
                question.rule,
                question.include_inputs,
                question.language,
            )
        except KlyuchError as error:  # the other models answer all the same
            refusals[entry] = error
    replace = partial(inputs.replaced, "formula", question.formula)
    if not analogies:
        refuse_together(page, refusals, replace, "formula")
        words = [e.word for e in refusals.values() if isinstance(e, UnknownWordError)][:1]
        offer_other_language(page, words, "formula")
        raise outputs.Halt
    first = next(iter(analogies.values()))
    best_words = dict.fromkeys(
        analogy.answers[0].word for analogy in analogies.values() if analogy.answers
    )
    st.subheader(outputs.plain(f"{first.expression} ≈ {' / '.join(best_words)}"), anchor=False)
    answers = {entry: analogy.answers for entry, analogy in analogies.items()}
    refused = ranked_words.ListRefusals(refusals, replace)
    ranked_words.lists(page, answers, "answers", "analogies.alt", first.expression, refused)
    notes = [say("analogies.included" if question.include_inputs else "analogies.excluded")]
    if question.fold:
        notes.append(say("analogies.folded" if first.is_folded else "analogies.asks_form"))
    notes += [say(f"analogies.note_{question.rule}"), say("tier.note")]
    st.caption(" ".join(notes))
    if question.expected:
        _show_ranks(page, question, analogies)
    ranked_words.as_table(page, answers, "analogy", "score")
    return analogies


def _show_ranks(
    page: PageState, question: FormulaQuestion, analogies: dict[Entry, Analogy]
) -> None:
    """Show the rank of the expected word in every model that answered."""
    say, word = page.say, question.expected
    refusals: dict[Entry, KlyuchError] = {}
    st.markdown(say("analogies.rank", word=outputs.plain(word)))
    with st.container(horizontal=True):
        for entry, analogy in analogies.items():
            vectors = shelf_models.vectors(entry)
            try:
                rank = answer_rank(vectors, analogy, word, question.fold)
            except KlyuchError as error:
                refusals[entry] = error
            else:
                st.metric(page.label(entry), say.number(rank))
                if rank is None:
                    st.caption(say("analogies.rank_none"))
    refuse_together(page, refusals, lambda _: _expect, "expected")


def _expect(word: str) -> dict[str, object]:
    """Return the widget values that expect another word."""
    return {"expected": word}


def show_plane(page: PageState, analogies: dict[Entry, Analogy]) -> Entry:
    """Draw the plane of one model; return the model."""
    say = page.say
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.header(say("plane.title"), anchor=False)
    labels = {entry.name: page.label(entry) for entry in analogies}
    with right:
        name = inputs.pick_model(say, "drawn", list(labels), labels)
    entry = next(candidate for candidate in analogies if candidate.name == name)
    draw_plane(page, entry, analogies[entry])
    return entry


def draw_plane(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """Draw the words of a formula and its answers in the plane of their first two principal components."""
    say = page.say
    distinct = {term.word for term in analogy.terms} | {row.word for row in analogy.answers}
    if len(distinct) < 3:
        st.info(say("plane.too_few"))
        return
    projection = parallelogram(shelf_models.vectors(entry), analogy)
    shares = projection.explained_variance_ratio
    axes = [
        say("map.component_share", number=number, share=say.number(100 * share, 1))
        for number, share in enumerate(shares, 1)
    ]
    figure = parallelogram_figure(projection, analogy.terms, axes, say.separators)
    alt = say("plane.alt", formula=analogy.expression, model=entry.name)
    outputs.figure(say, figure, "plane", alt)
    st.caption(say("plane.note", share=say.number(100 * sum(shares))))

"""Analogies: the answers of every model with a verdict, the plane of one model's answers, its steps, and whole test sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from app import access, shelf_models
from app.answers import cached
from app.figures.model_comparison import category_scores_figure
from app.figures.word_map import parallelogram_figure
from app.streamlit_private import DeltaGenerator
from app.widgets import address, inputs, model_answers, outputs, saved_files
from app.widgets.frame import PageState
from app.widgets.model_answers import alike, answers_of, offer_other_language, refuse_together
from app.widgets.paste_and_upload import copied_upload
from app.wording import Wording
from embeddings.analysis.analogies import answer_rank
from embeddings.analysis.analogy_formulas import read_proportion
from embeddings.analysis.projection import parallelogram
from embeddings.analysis.score_answers import AnalogyScore
from embeddings.analysis.vector_answers import Analogy, AnalogyStep
from embeddings.errors import KlyuchError, UnknownWordError
from embeddings.shelf import Entry, installed_sets
from embeddings.text.lemmas import lemma
from embeddings.verbs import VectorVerbs


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


def ask_formula(page: PageState) -> tuple[str, str]:
    """Ask for a formula and the word that somebody expects, which may be ""."""
    say = page.say
    examples = page.examples["formulas"].split(" | ")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        formula = inputs.line(say, "formula", examples[0])
        with st.container(width=260):
            expected = inputs.line(say, "expected", "")
    inputs.examples(say, "formula", examples)
    return formula, expected


def ask_question(
    page: PageState, formula: str, expected: str, more: DeltaGenerator
) -> FormulaQuestion:
    """Ask in ``more`` how a formula is answered; a proportion's fourth word is the one that is expected."""
    say = page.say
    with more:
        rule = inputs.choice(say, "rule", ("add", "mul"))
        include = inputs.switch(say, "inputs")
        fold = inputs.switch(say, "analogies_fold", default=True)
    if not formula:
        outputs.end(say("analogies.empty"))
    proportion = read_proportion(formula)
    if proportion:
        expected = expected or proportion[1]
    return FormulaQuestion(formula, rule, include, page.language if fold else "", expected)


Analogies = dict[Entry, Analogy]
Refusals = dict[Entry, KlyuchError]


def solve_formula(page: PageState, question: FormulaQuestion) -> tuple[Analogies, Refusals]:
    """Answer the formula with every model that can, and return why others cannot; the page ends if none can."""
    analogies, refusals = answers_of(
        page.entries, lambda entry: _solved(entry, question, question.include_inputs)
    )
    if not analogies:
        refuse_together(page, refusals, inputs.replaced("formula"), "formula")
        words = [e.word for e in refusals.values() if isinstance(e, UnknownWordError)][:1]
        offer_other_language(page, words, "formula")
        raise outputs.Halt
    return analogies, refusals


def _solved(entry: Entry, question: FormulaQuestion, include_inputs: bool) -> Analogy:
    """Return a model's answer, from the cache if it has it."""
    return shelf_models.ask(
        VectorVerbs.analogy,
        entry,
        question.formula,
        method=question.rule,
        include_inputs=include_inputs,
        fold=question.fold or False,
    )


def show_answers(
    page: PageState,
    question: FormulaQuestion,
    analogies: Analogies,
    refusals: Refusals,
    entry: Entry,
) -> None:
    """Show a verdict and the answers of all models next to the plane of one of them, ``entry``."""
    say = page.say
    first = next(iter(analogies.values()))
    best_words = dict.fromkeys(
        analogy.answers[0].word for analogy in analogies.values() if analogy.answers
    )
    best = outputs.plain(f"{first.expression} ≈ {' / '.join(best_words)}")
    st.subheader(saved_files.note(best), anchor=False)
    st.markdown(saved_files.note(" ".join(_verdict(page, question, analogies))))
    if question.expected:
        _show_ranks(page, question, analogies)
    refuse_together(page, refusals, inputs.replaced("formula"), "formula")
    left, right = st.columns(2, gap="medium")
    answers = {entry: analogy.answers for entry, analogy in analogies.items()}
    with left:
        lists = {page.label(entry): analogy.answers for entry, analogy in analogies.items()}
        model_answers.list_words(say, lists, say("explore.lists_alt", about=first.expression))
        notes = [say("analogies.included" if question.include_inputs else "analogies.excluded")]
        if question.fold:
            notes.append(say("analogies.folded" if first.is_folded else "analogies.asks_form"))
        notes += [say(f"analogies.note_{question.rule}"), say("explore.shared_word")]
        st.caption(" ".join(notes))
    with right:
        draw_plane(page, entry, analogies[entry])
    rows = partial(model_answers.ranked_rows, page, answers, "score")
    outputs.closed_table(say, rows, "analogy")


def _verdict(page: PageState, question: FormulaQuestion, analogies: Analogies) -> list[str]:
    """Return what the models answer, by how much, and which word of the formula would come first if it could answer."""
    say = page.say
    first = {
        entry: analogy.answers[0].word for entry, analogy in analogies.items() if analogy.answers
    }
    first_inputs = {}
    for entry, analogy in () if question.include_inputs else analogies.items():
        nearest = _solved(entry, question, include_inputs=True).answers
        if nearest and nearest[0].word in {term.word for term in analogy.terms}:
            first_inputs[entry] = nearest[0].word
    sentences = []
    for word, entries in alike(first).items():
        leads = [
            rows[0].similarity - rows[1].similarity
            for rows in (analogies[entry].answers for entry in entries)
            if len(rows) > 1
        ]
        lead = say.number(min(leads), 2) if leads else "–"
        named = {"models": _named(page, entries), "word": outputs.plain(word), "lead": lead}
        sentences.append(say("analogies.verdict", count=len(entries), **named))
    for word, entries in alike(first_inputs).items():
        named = {"models": _named(page, entries), "word": outputs.plain(word)}
        sentences.append(say("analogies.verdict_input", **named))
    return sentences


def _named(page: PageState, entries: Sequence[Entry]) -> str:
    """Return the labels of models as a list."""
    return outputs.plain(page.say.list(page.label(entry) for entry in entries))


def _show_ranks(page: PageState, question: FormulaQuestion, analogies: Analogies) -> None:
    """Say which rank the expected word has in every model that answered."""
    say, word = page.say, question.expected
    rank_by_model, refusals = answers_of(
        analogies,
        lambda e: answer_rank(shelf_models.vectors(e), analogies[e], word, question.fold),
    )
    models_by_rank = alike(rank_by_model)
    ranks = [
        say("analogies.rank_in", rank=say.number(rank), models=_named(page, entries))
        for rank, entries in models_by_rank.items()
        if rank is not None
    ]
    if ranks:
        st.markdown(f"{say('analogies.rank', word=outputs.plain(word))} {'; '.join(ranks)}.")
    if None in models_by_rank:
        st.caption(say("analogies.rank_none", word=outputs.plain(word)))
    refuse_together(page, refusals, lambda _: lambda other: {"expected": other}, "expected")


def draw_plane(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """Draw the words of a formula and its answers in the plane of their first two principal components."""
    say = page.say
    distinct = {term.word for term in analogy.terms} | {row.word for row in analogy.answers}
    if len(distinct) < 3:
        st.info(say("plane.too_few"))
        return
    projection = parallelogram(shelf_models.vectors(entry), analogy)
    shares = projection.explained_variance_ratio
    axes = say.components(shares)
    figure = parallelogram_figure(projection, analogy.terms, axes)
    alt = say("plane.alt", formula=analogy.expression, model=entry.name)
    outputs.figure(say, figure, "plane", alt)
    model, share = outputs.plain(page.label(entry)), say.number(100 * sum(shares))
    st.caption(say("plane.note", model=model, share=share))


WORDS_A_STEP, MAX_STEPS = 5, 4


def show_formula_steps(page: PageState, entry: Entry, analogy: Analogy) -> None:
    """List a few words a step, by cosine under either rule, the whole formula last."""
    say = page.say
    st.markdown(say("steps.lead", model=outputs.plain(page.label(entry))))
    stages = (*analogy.steps, AnalogyStep(analogy.expression, analogy.answers))[-MAX_STEPS:]
    for column, step in zip(st.columns(len(stages)), stages, strict=True):
        rows = step.neighbours[:WORDS_A_STEP]
        words = ", ".join(row.word for row in rows)
        alt = say("analogies.alt", about=step.expression, model=entry.name, words=words)
        with column:
            model_answers.list_words(say, {step.expression: rows}, alt)


MAX_SIZE = 4_000_000  # bytes of a file of questions: some 100 000 of them
OWN_QUESTIONS = "questions.txt"  # what a file that a person brought is called
Score = Callable[[Entry], AnalogyScore]


@cached(64, is_heavy=True)
def analogy_score(entry: Entry, paths: tuple[Path, ...]) -> AnalogyScore:
    """Return the score of a model on analogy sets taken together, computed on demand."""
    return shelf_models.vectors(entry).evaluate_analogies(paths)


@cached(16, is_heavy=True)
def own_analogy_score(entry: Entry, content: bytes) -> AnalogyScore:
    """Return the score of a model on questions that a person brought."""
    vectors = shelf_models.vectors(entry)  # an error of the model names the model
    with copied_upload(OWN_QUESTIONS, content) as path:
        return vectors.evaluate_analogies(path)


def question_files(page: PageState) -> list[str]:
    """Return the files of the chosen set."""
    if address.held("questions", "set") == "own":
        return [OWN_QUESTIONS]
    paths = installed_sets.analogy_set(page.language)
    return [access.without_folders(str(path)) for path in paths]


def show_question_set(page: PageState) -> None:
    """Offer the set of the models' language or a file of one's own, and its scores once they are asked for."""
    say = page.say
    source = inputs.choice(say, "questions", ("set", "own"))
    chosen = _choose_own_file(say) if source == "own" else _choose_language_set(page)
    if chosen is None:
        return
    name, score = chosen
    scored = st.session_state.setdefault("_scored", set())
    asked = (name, *(entry.name for entry in page.entries))
    if asked not in scored:
        label = say("set.start")
        inputs.button(label, "score", "play_arrow", scored.add, asked, type="primary")
        return
    scores = {}
    with outputs.refusals_said(say):
        for entry in page.entries:
            with st.spinner(say("set.running", model=outputs.plain(page.label(entry)))):
                scores[page.label(entry)] = score(entry)
        _show_scores(page, scores)


def _choose_language_set(page: PageState) -> tuple[str, Score] | None:
    """Return the set of the models' language; without one offer to get it."""
    say, files = page.say, installed_sets.analogy_set(page.language)
    if not files:
        st.info(say(f"set.missing_{page.language}"))
        _offer_download(page)
        return None
    st.markdown(say(f"set.lead_{page.language}"))
    return page.language, lambda entry: analogy_score(entry, files)


def _choose_own_file(say: Wording) -> tuple[str, Score] | None:
    """Ask for a file of questions; None until there is one of a size that is read."""
    bound = say.size(MAX_SIZE)
    upload = st.file_uploader(say("set.upload"), key="questions-file")
    st.caption(say("set.upload_help", size=bound))
    if upload is None:
        return None
    if upload.size > MAX_SIZE:
        st.info(outputs.plain(say("set.too_large", name=upload.name, size=bound)))
        return None
    content = upload.getvalue()
    score = partial(own_analogy_score, content=content)
    return f"{upload.name} {hash(content)}", score


def _offer_download(page: PageState) -> None:
    """Offer to download the set of the language, where the catalogue has one."""
    say, name = page.say, f"analogies-{page.language}"
    sets = [each for each in model_answers.sets_to_fetch(page.language) if each.name == name]
    if not sets or not access.may_change():
        return
    label = say("set.get", size=say.size(sets[0].size or 0), licence=sets[0].licence)
    is_asked = inputs.button(label, "get-set", "cloud_download", type="primary")
    if is_asked and model_answers.get_sets(say, sets):
        st.rerun()


def draw_categories(page: PageState, scores: dict[str, AnalogyScore]) -> None:
    """Draw the accuracy of each model, by its label, in each category."""
    say = page.say
    colours = {page.label(entry): page.colour(entry) for entry in page.entries}
    names = name_categories(say, list(scores.values()))
    figure = category_scores_figure(scores, colours, names, say("set.hover"))
    outputs.figure(say, figure, "set", say("set.alt", models=say.list(scores)))


def _show_scores(page: PageState, scores: dict[str, AnalogyScore]) -> None:
    """Show the accuracy of each model, and by category with its counts."""
    say = page.say
    covered = {
        label: say("set.covered", covered=score.covered, total=score.total)
        for label, score in scores.items()
    }
    with st.container(horizontal=True):
        for label, score in scores.items():
            percent = f"{say.number(100 * score.accuracy, 1)} %"
            st.metric(outputs.plain(label), percent, help=covered[label])
    draw_categories(page, scores)
    coverage = [f"{', '.join(labels)}: {text}" for text, labels in alike(covered).items()]
    notes = f"{say('set.note_counts')} {say('set.note')}"
    st.caption(f"{outputs.plain(' '.join(coverage))} {notes}")
    keys = [f"set.{name}" for name in ("category", "correct", "answered", "total")]
    tables = {label: say.frame(score, *keys) for label, score in scores.items()}
    rows = pd.concat(tables, names=[say("common.model")]).reset_index(level=0)
    outputs.csv(say, lambda: rows, "analogy-set")


def name_categories(say: Wording, scores: Sequence[AnalogyScore]) -> dict[str, str]:
    """Return what each category is called, with the questions that the models could answer of all.

    Where models differ in coverage, the least and the most are given, as 3–12.
    """
    covered: dict[str, list[int]] = {}
    totals: dict[str, int] = {}
    for section in (section for score in scores for section in score.sections):
        covered.setdefault(section.name, []).append(section.covered)
        totals[section.name] = section.total
    names = {}
    for name, counts in covered.items():
        ends = dict.fromkeys((say.number(min(counts)), say.number(max(counts))))
        counted = {"covered": "–".join(ends), "total": say.number(totals[name])}
        names[name] = say("set.counted", name=category_name(say, name), **counted)
    return names


def category_name(say: Wording, name: str) -> str:
    """Return a category's name as a person would write it."""
    plain = re.sub(r"^gram\d+-", "", name).replace("-", " ")
    return say.get(f"category.{name}", plain)

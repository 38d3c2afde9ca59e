"""Lessons: where attention looks, how a translation is decoded, and what a number is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from app import shelf_models
from app.components.attention_component import attention_view
from app.views.analogies import analogy_views
from app.views.attention import attention_views
from app.views.compare import compared_models
from app.views.grammar import score_sections
from app.views.lab import experiment_sections
from app.views.learn.lesson_step import (
    Choice,
    Step,
    binned,
    labels,
    needed,
    network,
    ranked,
    static_model,
    translator,
    with_models,
)
from app.views.translate import translation_views
from app.widgets import model_answers, network_parts, outputs
from app.widgets.frame import PageState
from app.wording import Wording, first_texts, lesson_examples
from embeddings.analysis.score_answers import AnalogyScore, standard_error
from embeddings.attention_view.payload import ATTENTION_VIEWS, Panel, ViewState
from embeddings.lab import grammar_sets, read_experiment
from embeddings.probing.sentence_answers import GuessAttribution, WordShare
from embeddings.probing.translation_answers import TranslationInside
from embeddings.shelf import Entry, companions
from embeddings.verbs import NetworkVerbs, TranslatorVerbs

LOW_SHARE, HIGH_SHARE = 0.1, 0.3  # share of attention that goes to special tokens
WEAK, STRONG = 0.3, 0.7  # rank correlation


def where_it_looks(page: PageState) -> Step:
    """Ask where the head with the clearest pattern looks from a word in the middle."""
    say, entry = page.say, network(page)
    text = lesson_examples(page.language)["attention"]
    panel = _panel(entry, text)
    head = max(panel.profiles, key=lambda profile: max(profile.previous, profile.following))
    words = panel.shown.from_side.labels
    middle = _middle(words)
    row = panel.shown.head_weights(head.layer, head.head)[middle]
    places = (middle - 1, middle, middle + 1, len(words) - 1)
    weights = {words[place]: float(row[place]) for place in places}
    choice = ranked(weights, partial(say.percent, digits=0))
    at = ViewState(head.layer, head.head, ATTENTION_VIEWS[0])
    return Step(
        choice,
        lambda: attention_view(say, [panel], at),
        "attention",
        {**_settings(entry, text), "attention_layer": head.layer, "attention_head": head.head},
        {"text": text, "word": words[middle], "layer": head.layer, "head": head.head},
    )


def special_tokens(page: PageState) -> Step:
    """Ask which share of all attention goes to [CLS] and [SEP]."""
    say, entry = page.say, network(page)
    text = lesson_examples(page.language)["attention"]
    panel = _panel(entry, text)
    share = float(np.mean([profile.cls + profile.sep for profile in panel.profiles]))
    return Step(
        binned(labels(say, "attention", 2), (LOW_SHARE, HIGH_SHARE), share),
        lambda: network_parts.show(say, panel),
        "attention",
        _settings(entry, text),
        {"text": text, "share": say.number(100 * share), "heads": len(panel.profiles)},
    )


def which_word_matters(page: PageState) -> Step:
    """Ask which word the network needs most for its guess at a blank."""
    say, entry = page.say, network(page)
    guess, words = _guess(page, entry)
    by_attention = sorted(words, key=lambda word: -word.attention)
    needed_most = max(words, key=lambda word: word.occlusion)
    offered = (needed_most, *by_attention[:3], by_attention[-1])
    falls = {word.word: word.occlusion for word in words if word in offered}
    choice = ranked(falls, lambda nats: say("learn.nats", nats=say.number(-nats, 2)))
    fields = {"text": guess.text, "word": guess.guess, "attended": by_attention[0].word}
    show = partial(_show_words, page, guess, words)
    settings = {"network": entry.name, "fill_first": guess.text}
    return Step(choice, show, "fill", settings, fields)


def does_it_explain(page: PageState) -> Step:
    """Ask how well attention ranks the words as their removal does."""
    say, entry = page.say, network(page)
    guess, words = _guess(page, entry)
    falls, gets = (
        pd.Series([getattr(w, name) for w in words]) for name in ("occlusion", "attention")
    )
    spearman = float(falls.corr(gets, method="spearman"))
    return Step(
        binned(labels(say, "attention", 4), (WEAK, STRONG), spearman),
        partial(_show_words, page, guess, words),
        "attention",
        _settings(entry, guess.text),
        {"text": guess.text, "rho": say.number(spearman, 2), "words": len(words)},
    )


def _middle(words: Sequence[str]) -> int:
    """Return the place of the first word from the middle on that stands between two words."""
    places = range(len(words) // 2, len(words) - 1)
    return next(place for place in places if "".join(words[place - 1 : place + 2]).isalpha())


def _panel(entry: Entry, text: str) -> Panel:
    """Return the attention of a text by words, [CLS] and [SEP] among them."""
    return attention_views.attention_panel(entry, (text, ""))


def _guess(page: PageState, entry: Entry) -> tuple[GuessAttribution, list[WordShare]]:
    """Return what moved the guess at the blank of the lesson's sentence, and of the words those of letters."""
    text, word = lesson_examples(page.language)["removal"].split(" | ")
    guess = shelf_models.ask_in_queue(NetworkVerbs.attribute, entry, text, word)
    return guess, [share for share in guess.words if share.word[0].isalnum()]


def _show_words(page: PageState, guess: GuessAttribution, words: Sequence[WordShare]) -> None:
    """Write what each word does for the guess next to the attention that it gets from the blank."""
    say = page.say
    shares = ((word.word, word.occlusion, word.attention) for word in words)
    rows = say.table(shares, "common.word", "learn.removal", "learn.attended")
    outputs.table(
        say,
        rows,
        "learn-removals",
        forms={
            say("learn.removal"): partial(say.number, digits=2),
            say("learn.attended"): say.percent,
        },
        shares=[say("learn.attended")],
    )
    st.caption(say("learn.removal_read", word=outputs.plain(guess.guess)))


def _settings(entry: Entry, text: str) -> dict[str, object]:
    """Return the state of the page Attention."""
    return {"network": entry.name, "attention_first": text, "attention_special": "shown"}


ATTENTION = (where_it_looks, special_tokens, which_word_matters, does_it_explain)


BEAM = 5
OFFERED_CANDIDATES, OFFERED_WORDS = 4, 4  # that are offered
TRANSLATED_TEXTS = first_texts("en", "translated")


def next_token(page: PageState) -> Step:
    """Ask which token is likeliest where the translator is least sure."""
    say, entry, translation = _translated(page)
    number = _hardest(translation)
    step = translation.steps[number]
    offered = sorted(step.candidates[:OFFERED_CANDIDATES], key=lambda candidate: candidate.token)
    choice = ranked({_written(each.token): each.probability for each in offered}, say.percent)
    show = partial(translation_views.show_candidates, say, step)
    return _step(entry, TRANSLATED_TEXTS[0], choice, show, number, before=step.before)


def source_word(page: PageState) -> Step:
    """Ask which source word that step attends to most."""
    say, entry, translation = _translated(page)
    number = _hardest(translation)
    shares = translation.source_attention[number].tolist()
    words = translation.source_words
    order = sorted(range(len(words)), key=lambda place: -shares[place])
    offered = {words[at]: shares[at] for at in sorted({*order[: OFFERED_WORDS - 1], order[-1]})}
    choice = ranked(offered, partial(say.percent, digits=0))
    show = partial(translation_views.show_source_shares, say, translation, number)
    step = translation.steps[number]
    token = _written(step.chosen.token)
    return _step(entry, TRANSLATED_TEXTS[0], choice, show, number, before=step.before, token=token)


def greedy_or_beam(page: PageState) -> Step:
    """Ask whether five hypotheses find another sentence than one."""
    say, entry, translation = _translated(page)
    greedy = _translate(entry, TRANSLATED_TEXTS[0], 1)
    is_same = greedy.target == translation.target
    choice = Choice(tuple(labels(say, "translation", 3, count=2)), 0 if is_same else 1)

    def show() -> None:
        for key, found in (("greedy", greedy), ("beam", translation)):
            text, score = outputs.plain(found.target), say.number(found.score, 2)
            st.markdown(say(f"learn.{key}", beam=BEAM, text=text, score=score))
        translation_views.show_beam_tree(say, translation, BEAM)

    return _step(entry, TRANSLATED_TEXTS[0], choice, show, 0, beam=BEAM)


def least_sure(page: PageState) -> Step:
    """Ask of which sentence the translator is least sure."""
    say, entry = page.say, translator(page)
    translations = {text: _translate(entry, text) for text in TRANSLATED_TEXTS}
    choice = ranked(
        {text: translation.score for text, translation in translations.items()},
        lambda score: say("learn.log_score", score=say.number(score, 2)),
        smallest=True,
    )
    text = TRANSLATED_TEXTS[choice.right]
    show = partial(translation_views.show_translations, say, [entry], text, BEAM)
    return _step(entry, text, choice, show, 0, target=translations[text].target)


def _translated(page: PageState) -> tuple[Wording, Entry, TranslationInside]:
    """Return the first example translated."""
    entry = translator(page)
    return page.say, entry, _translate(entry, TRANSLATED_TEXTS[0])


def _translate(entry: Entry, text: str, beam: int = BEAM) -> TranslationInside:
    """Return the translation of a text."""
    return shelf_models.ask_in_queue(TranslatorVerbs.translate, entry, text, beam)


def _hardest(translation: TranslationInside) -> int:
    """Return the step, from 0, whose first candidate has the least probability."""
    return min(
        range(len(translation.steps)),
        key=lambda number: translation.steps[number].candidates[0].probability,
    )


def _written(token: str) -> str:
    """Return a token as it is read: a part of a word behind a hyphen, a word without its sign."""
    return token.removeprefix("▁") if token.startswith("▁") else f"-{token}"


def _step(
    entry: Entry,
    text: str,
    choice: Choice,
    show: Callable[[], object],
    number: int,
    **fields: object,
) -> Step:
    """Return a step on a sentence translated."""
    settings = {
        "translate_model": entry.name,
        "translate_text": text,
        "translate_width": BEAM,
        "translate_step": number + 1,
    }
    return Step(choice, show, "translate", settings, {"text": text, **fields})


TRANSLATION = (next_token, source_word, greedy_or_beam, least_sure)


Z95 = 1.96  # standard errors on either side within which 95 of 100 samples lie
ANALOGIES = {"en": "questions-words.txt", "ru": "ru.txt", "de": "syntactic.questions"}
FEWEST = 20  # questions of a category that is asked about
EXPERIMENT, ARM = "sst2", "arm_pretrained"


def coverage(page: PageState) -> Step:
    """Ask what remains of an accuracy when questions with unknown words count as wrong."""
    say, entry = page.say, static_model(page)
    scores = model_answers.recorded_scores(entry)
    score = needed(page, scores.get(ANALOGIES[page.language]))
    coverage = (score.covered or 0) / (score.total or 1)
    of_all = score.value * coverage
    numbers = sorted((of_all, score.value, coverage))
    choice = ranked({say.percent(n): abs(n - of_all) for n in numbers}, lambda _: "", smallest=True)
    return Step(
        choice,
        lambda: compared_models.show_scores_by_set(with_models(page, entry)),
        "compare",
        {"view": "sets"},  # the page compares at least two models: its own choice of them
        {
            "model": entry.name,
            "test_set": outputs.title_of_test_set(say, score.test_set),
            "accuracy": say.percent(score.value),
            "covered": score.covered,
            "total": score.total,
            "of_all": say.percent(of_all),
        },
    )


def chance(page: PageState) -> Step:
    """Ask how many standard errors an accuracy on pairs lies above that of a coin."""
    say = page.say
    scored = grammar_sets(page.language)
    table, pairs = needed(page, scored[0] if scored else None)
    accuracy = float(str(table.rows[0][1])) / 100
    error = standard_error(0.5, pairs)
    distance = (accuracy - 0.5) / error
    return Step(
        binned(labels(say, "numbers", 2), (2, 5), distance),
        partial(score_sections.show_benchmarks, say, scored),
        "grammar",
        {"network": table.columns[1].name},
        {
            "model": table.columns[1].name,
            "accuracy": say.percent(accuracy),
            "pairs": pairs,
            "error": say.number(100 * error, 1),
            "distance": say.number(distance, 1),
        },
    )


def seeds(page: PageState) -> Step:
    """Ask how far apart the accuracies of the same training with other seeds lie."""
    say = page.say
    experiment = read_experiment(EXPERIMENT)
    runs = next(table for table in experiment.tables if table.name == "runs")
    column = [column.name for column in runs.columns].index("best_accuracy")
    accuracies = [float(str(row[column])) for row in runs.rows if row[0] == ARM]
    spread = max(accuracies) - min(accuracies)
    return Step(
        binned(labels(say, "numbers", 3), (0.5, 1.5), spread),
        partial(experiment_sections.show_drawing, say, experiment, experiment.drawings[0]),
        "lab",
        {"lab_experiment": EXPERIMENT},
        {
            "runs": len(accuracies),
            "spread": say.number(spread, 1),
            "lowest": say.number(min(accuracies), 1),
            "highest": say.number(max(accuracies), 1),
        },
    )


def small_sets(page: PageState) -> Step:
    """Ask how exact an accuracy on the smallest category of a test set is."""
    say, entry = page.say, static_model(page)
    recorded = companions.recorded_categories(shelf_models.card(entry), ANALOGIES[page.language])
    score = needed(page, recorded)
    large = [section for section in score.sections if section.covered >= FEWEST]
    section = needed(page, min(large, key=lambda each: each.covered, default=None))
    share = section.correct / section.covered
    half_width = 100 * Z95 * standard_error(share, section.covered)
    return Step(
        binned(labels(say, "numbers", 4), (2, 8), half_width),
        partial(_show_categories, with_models(page, entry), score),
        "analogies",
        {"models": entry.name, "view": "sets"},
        {
            "category": analogy_views.category_name(say, section.name),
            "correct": section.correct,
            "covered": section.covered,
            "accuracy": say.percent(share),
            "half_width": say.number(half_width, 1),
        },
    )


def _show_categories(page: PageState, score: AnalogyScore) -> None:
    """Draw the accuracy of the page's only model by category."""
    analogy_views.draw_categories(page, {page.label(page.entries[0]): score})
    st.caption(page.say("set.note_counts"))


NUMBERS = (coverage, chance, seeds, small_sets)

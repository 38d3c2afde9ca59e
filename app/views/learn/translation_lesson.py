"""Lesson: how a translator chooses, token by token."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app.figures.decoding_steps import candidates_figure, source_attention_figure
from app.loaders import network_answers
from app.views.learn.lesson_models import translator
from app.views.learn.lesson_step import Choice, Step, labels, ranked
from app.views.translate import beam_steps, translator_outputs
from app.widgets import network_inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.results.network_answers import TranslationInside
from embeddings.shelf import Entry

BEAM = 5
CANDIDATES, WORDS = 4, 4  # that are offered
SENTENCES = network_inputs.TRANSLATED_EXAMPLES["en"]


def next_token(page: PageState) -> Step:
    """Ask which token is likeliest where the translator is least sure."""
    say, entry, translation = _translated(page)
    number = _hardest(translation)
    step = translation.steps[number]
    offered = sorted(step.candidates[:CANDIDATES], key=lambda candidate: candidate.token)
    choice = ranked(
        [_written(candidate.token) for candidate in offered],
        [candidate.probability for candidate in offered],
        lambda share: f"{say.number(100 * share, 1)} %",
    )

    def show() -> None:
        figure = candidates_figure(step, say("translate.probability"), say.separators)
        st.caption(say("translate.candidates"))
        outputs.figure(say, figure, "translate-candidates", say("translate.candidates_alt"))

    return _step(entry, SENTENCES[0], choice, show, number, before=step.before)


def source_word(page: PageState) -> Step:
    """Ask which source word that step attends to most."""
    say, entry, translation = _translated(page)
    number = _hardest(translation)
    shares = [float(share) for share in translation.source_attention[number]]
    words = translation.source_words
    order = sorted(range(len(words)), key=lambda place: -shares[place])
    places = sorted({*order[: WORDS - 1], order[-1]})
    choice = ranked(
        [words[place] for place in places],
        [shares[place] for place in places],
        lambda share: f"{say.number(100 * share)} %",
    )

    def show() -> None:
        figure = source_attention_figure(words, shares, say("translate.share"), say.separators)
        st.caption(say("translate.looked"))
        outputs.figure(say, figure, "translate-looked", say("translate.looked_alt"))

    step = translation.steps[number]
    token = _written(step.chosen.token)
    return _step(entry, SENTENCES[0], choice, show, number, before=step.before, token=token)


def greedy_or_beam(page: PageState) -> Step:
    """Ask whether five hypotheses find another sentence than one."""
    say, entry, translation = _translated(page)
    greedy = network_answers.inside(entry, SENTENCES[0], 1)
    is_same = greedy.target == translation.target
    choice = Choice(tuple(labels(say, "learn_translation.3", 2)), 0 if is_same else 1)

    def show() -> None:
        st.markdown(
            say(
                "learn.greedy", text=outputs.plain(greedy.target), score=say.number(greedy.score, 2)
            )
        )
        st.markdown(
            say(
                "learn.beam",
                beam=BEAM,
                text=outputs.plain(translation.target),
                score=say.number(translation.score, 2),
            )
        )
        beam_steps.show_beam_tree(say, translation, BEAM)

    return _step(entry, SENTENCES[0], choice, show, 0, beam=BEAM)


def least_sure(page: PageState) -> Step:
    """Ask of which sentence the translator is least sure."""
    say, entry = page.say, translator(page)
    scores = [network_answers.inside(entry, text, BEAM).score for text in SENTENCES]
    choice = ranked(
        SENTENCES,
        scores,
        lambda score: say("learn.log_score", score=say.number(score, 2)),
        smallest=True,
    )
    text = SENTENCES[choice.right]
    target = network_answers.inside(entry, text, BEAM).target

    def show() -> None:
        translator_outputs.show_translations(say, [entry], text, BEAM)

    return _step(entry, text, choice, show, 0, target=target)


def _translated(page: PageState) -> tuple[Wording, Entry, TranslationInside]:
    """Return the first example translated."""
    entry = translator(page)
    return page.say, entry, network_answers.inside(entry, SENTENCES[0], BEAM)


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
    entry: Entry, text: str, choice: Choice, show: Callable[[], None], number: int, **fields: object
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

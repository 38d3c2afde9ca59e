"""Learn: the lessons in their order; the overview, a step before and after its guess, the summary; a lesson on paper and as a quiz."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from app.views.learn import (
    context_lessons,
    lesson_files,
    lesson_step,
    network_lessons,
    word_lessons,
)
from app.views.learn.lesson_step import Choice, Lesson, Progress, Step, verdict
from app.widgets import footer, inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording, glossary

COLUMNS = 2  # of the overview


def show_overview(say: Wording, progress: Progress) -> None:
    """Offer the lessons, each in a card; the finished ones have a tick."""
    for first in range(0, len(LESSONS), COLUMNS):
        columns = st.columns(COLUMNS)
        for column, number in zip(columns, range(first, first + COLUMNS), strict=True):
            lesson = LESSONS[number]
            with column.container(border=True, height="stretch"):
                tick = " :green[:material/check_circle:]" if lesson.name in progress.done else ""
                st.subheader(
                    f"{number + 1}. {say(f'learn_lesson.{lesson.name}')}{tick}", anchor=False
                )
                st.markdown(say(f"learn_{lesson.name}.about"))
                st.caption(say("learn.length", minutes=lesson.minutes, steps=len(lesson.steps)))
                label = say("learn.reopen" if lesson.name in progress.done else "learn.start")
                key, begin = f"learn-open-{lesson.name}", lesson_step.open_lesson
                inputs.button(label, key, "play_arrow", begin, lesson.name)
    st.caption(say("learn.stored"))


def show_glossary(page: PageState) -> None:
    """Write every term with its meaning and the page where one sees it, in the language of the screen."""
    languages = f"lang={page.say.language}&text={page.language}"
    st.markdown(glossary.table(page.say, lambda name: f"{name}?{languages}"))


def show_heading(page: PageState, lesson: Lesson, progress: Progress) -> None:
    """Write the lesson's title, the way back and how far one is."""
    say, total = page.say, len(lesson.steps)
    saved_files.start(say(f"learn_lesson.{lesson.name}"))
    _button(say, "all", "arrow_back", lesson_step.open_lesson, "", type="tertiary")
    st.title(say(f"learn_lesson.{lesson.name}"), anchor=False)
    step = min(progress.step, total)
    done = min(progress.step - 1 + (progress.guess(progress.step) is not None), total)
    st.progress(done / total, text=say("learn.step", step=step, total=total))


def show_step(page: PageState, lesson: Lesson, progress: Progress, step: Step) -> None:
    """Ask, and once there is a guess, say what it got right and show the answer."""
    say, key = page.say, f"learn_{lesson.name}.{progress.step}"
    fields = plain_fields(step)
    st.markdown(say(f"{key}_ask", **fields))
    guess = progress.guess(progress.step)
    if guess is None or guess >= len(step.choice.options):
        _ask(progress, step.choice)
    else:
        _reveal(page, key, step, guess)
    _show_ways(page, lesson, progress, answered=guess is not None)


def plain_fields(step: Step) -> dict[str, object]:
    """Return the fields of a step's sentences, texts escaped."""
    return {
        name: outputs.plain(value) if isinstance(value, str) else value
        for name, value in step.fields.items()
    }


def _ask(progress: Progress, choice: Choice) -> None:
    """Offer the options, a button each."""
    with st.container(width=560):
        for position, option in enumerate(choice.options):
            key, guess = f"learn-guess-{progress.step}-{position}", lesson_step.note_guess
            inputs.button(
                outputs.plain(option), key, "", guess, progress, position, width="stretch"
            )


def _reveal(page: PageState, key: str, step: Step, guess: int) -> None:
    """Say whether the guess is right, what was measured, what it means, and show it."""
    say, choice = page.say, step.choice
    escaped = replace(choice, options=tuple(map(outputs.plain, choice.options)))
    sentence = verdict(say, escaped, guess)
    if guess == choice.right:
        st.success(sentence, icon=":material/check:")
    else:
        st.warning(sentence, icon=":material/lightbulb:")
    if any(choice.measured):
        by_rank = sorted(range(len(choice.options)), key=choice.ranks.__getitem__)
        st.markdown("\n".join(_measured_line(say, choice, guess, place) for place in by_rank))
    means = say(f"{key}_means", **plain_fields(step))
    if pointing := say.get(f"{key}_screen"):  # at what is drawn below: the sheets leave it out
        means = f"{means} {pointing.format(**plain_fields(step))}"
    st.markdown(means)
    step.show()
    st.page_link(
        f"views/{step.page}/{step.page}.py",
        label=say("learn.more", page=say(f"{step.page}.nav")),
        icon=":material/open_in_new:",
        query_params={name: str(value) for name, value in link_settings(page, step).items()},
    )


def link_settings(page: PageState, step: Step) -> dict[str, object]:
    """Return what the address of the page holds to which a step leads."""
    return {"lang": page.say.language, "text": page.language, **step.settings}


def _measured_line(say: Wording, choice: Choice, guess: int, position: int) -> str:
    """Return an option with what was measured, the guess marked."""
    mark = say("learn.yours") if position == guess else ""
    option, value = outputs.plain(choice.options[position]), choice.measured[position]
    name = f"**{option}**" if position == choice.right else option
    return f"{choice.ranks[position]}. {name}: {value} {mark}".rstrip()


def _show_ways(page: PageState, lesson: Lesson, progress: Progress, *, answered: bool) -> None:
    """Offer the step before, another guess, and the next step once there was a guess."""
    say, total = page.say, len(lesson.steps)
    with st.container(horizontal=True, key="learn-ways"):  # stays in sight: browser_document.js
        back = (progress, progress.step - 1, total)
        first = progress.step == 1
        _button(say, "back", "chevron_left", lesson_step.go_to, *back, disabled=first)
        if answered:
            _button(say, "again", "replay", lesson_step.note_guess, progress, None)
            label = say("learn.next" if progress.step < total else "learn.finish")
            following = (progress, progress.step + 1, total)
            forward = {"label": label, "type": "primary"}
            _button(say, "next", "chevron_right", lesson_step.go_to, *following, **forward)
    _offer_sheet(page, lesson)


def _button(
    say: Wording, name: str, icon: str, on_click: Callable[..., None], *args: object, **look: Any
) -> None:
    """Draw a button that leads elsewhere in the lessons."""
    label = look.pop("label", None) or say(f"learn.{name}")
    inputs.button(label, f"learn-{name}", icon, on_click, *args, **look)


def _offer_sheet(page: PageState, lesson: Lesson) -> None:
    """Offer the teacher's sheet, the lesson to answer and the quiz, each made when it is asked for."""
    say = page.say
    sheet = partial(lesson_files.sheet, page, lesson)
    files = (
        ("sheet", sheet, "-sheet-{}.html", "print"),
        ("lesson_file", partial(sheet, has_answers=False), "-lesson_file-{}.html", "print"),
        ("quiz", partial(lesson_files.quiz, page, lesson), "-{}.gift.txt", "quiz"),
    )
    with footer.draw_footer(page, "learn"):
        for name, make, ending, icon in files:
            outputs.download(
                say(f"learn.{name}"),
                make,
                f"klyuch-lesson-{lesson.name}{ending.format(say.language)}",
                f"learn-{name}",
                help=say(f"learn.{name}_help"),
                icon=f":material/{icon}:",
            )


def show_summary(page: PageState, lesson: Lesson, progress: Progress) -> None:
    """Say how many guesses were right, what the lesson was about, and offer the next one."""
    say, total = page.say, len(lesson.steps)
    with st.spinner(say("learn.running"), show_time=False):
        rights = [make(page).choice.right for make in lesson.steps]
    correct = sum(progress.guess(number) == right for number, right in enumerate(rights, 1))
    st.markdown(say("learn.score", correct=correct, total=total))
    st.markdown(say(f"learn_{lesson.name}.remember"))
    st.markdown(f"**{say('learn.discuss')}** {say(f'learn_{lesson.name}.discuss')}")
    following = LESSONS[(LESSONS.index(lesson) + 1) % len(LESSONS)]
    with st.container(horizontal=True):
        _button(say, "back", "chevron_left", lesson_step.go_to, progress, total, total)
        title = say("learn.following", title=say(f"learn_lesson.{following.name}"))
        forward = {"label": title, "type": "primary"}
        _button(
            say, "following", "chevron_right", lesson_step.open_lesson, following.name, **forward
        )
    _offer_sheet(page, lesson)


LESSONS = (
    Lesson("near", 6, word_lessons.NEAR),
    Lesson("analogy", 7, word_lessons.ANALOGY),
    Lesson("senses", 8, context_lessons.SENSES),
    Lesson("ratios", 7, word_lessons.RATIOS),
    Lesson("context", 8, context_lessons.CONTEXT),
    Lesson("attention", 9, network_lessons.ATTENTION),
    Lesson("translation", 7, network_lessons.TRANSLATION),
    Lesson("numbers", 8, network_lessons.NUMBERS),
)
BY_NAME = {lesson.name: lesson for lesson in LESSONS}

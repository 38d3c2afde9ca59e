"""A lesson and a step of it: question, options, what the models answer, what a guess got right; its models; how far a person is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import streamlit as st

from app import shelf_models
from app.components import component
from app.widgets import address, frame, network_inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.method_registry import DEFAULT_METHOD
from embeddings.shelf import Entry


@dataclass(frozen=True)
class Choice:
    """The options of a step.

    Attributes
    ----------
    options : tuple of str
        As they are offered.
    right : int
        Position of the option that the models bear out.
    measured : tuple of str
        What was measured for each option, as the screen says it; () where options are no things that are measured.
    ranks : tuple of int
        Place of each option by what was measured, from 1; () likewise.
    is_scale : bool
        Whether the options rise, so that a guess can be too low or too high.
    """

    options: tuple[str, ...]
    right: int
    measured: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    is_scale: bool = False


@dataclass(frozen=True)
class Step:
    """A question whose answer is computed.

    Attributes
    ----------
    choice : Choice
        The options, and the right one.
    show : callable
        Draws the part of a page that shows the answer.
    page : str
        The page that shows more; ``settings`` are what its address holds.
    fields : mapping
        What the sentences of the step name.
    """

    choice: Choice
    show: Callable[[], object]
    page: str
    settings: Mapping[str, object] = field(default_factory=dict)
    fields: Mapping[str, object] = field(default_factory=dict)

    def at(self, **settings: object) -> Step:
        """Return the step with further settings in the address that it leads to."""
        return replace(self, settings={**self.settings, **settings})


MakeStep = Callable[[PageState], Step]


@dataclass(frozen=True)
class Lesson:
    """A lesson: its sentences are in the wording under ``learn_NAME``; ``minutes`` it takes."""

    name: str
    minutes: int
    steps: tuple[MakeStep, ...]


def ranked(
    values: Mapping[str, float], form: Callable[[float], str], *, smallest: bool = False
) -> Choice:
    """Return options ranked by their values; the right one has the largest, or the smallest.

    Examples
    --------
    >>> choice = ranked({"dog": 0.7, "tree": 0.2}, "{:.1f}".format)
    >>> choice.right, choice.measured, choice.ranks
    (0, ('0.7', '0.2'), (1, 2))
    """
    keys = [value if smallest else -value for value in values.values()]
    ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
    return Choice(tuple(values), ranks.index(1), tuple(map(form, values.values())), ranks)


def binned(options: Sequence[str], bounds: Sequence[float], value: float) -> Choice:
    """Return options that rise, the right one by the bounds that the value reaches.

    Examples
    --------
    >>> binned(["few", "some", "many"], [3, 7], 3).right
    1
    """
    return Choice(tuple(options), bisect_right(bounds, value), is_scale=True)


def labels(say: Wording, lesson: str, step: int, *, count: int = 3, **fields: object) -> list[str]:
    """Return the options of a step in the wording, as ``learn_near.2_option_1``."""
    return [say(f"learn_{lesson}.{step}_option_{n}", **fields) for n in range(1, count + 1)]


def verdict(say: Wording, choice: Choice, guess: int) -> str:
    """Return whether a guess is right, and what it got right where it is not."""
    chosen, answer = (choice.options[place].rstrip(".") for place in (guess, choice.right))
    if guess == choice.right:
        return say("learn.right", answer=answer)
    if choice.is_scale:
        key = "learn.too_low" if guess < choice.right else "learn.too_high"
        return say(key, guess=chosen, answer=answer)
    if choice.ranks:
        place = choice.ranks[guess]
        return say("learn.place", guess=chosen, answer=answer, place=place, of=len(choice.options))
    return say("learn.wrong", guess=chosen, answer=answer)


T = TypeVar("T")


def static_model(page: PageState, method: str = DEFAULT_METHOD) -> Entry:
    """Return the static model of a method in the models' language, one that ships before the user's own."""
    entries = (entry for entry in frame.offered(page.language) if entry.method == method)
    return needed(page, next(entries, None))


def network(page: PageState) -> Entry:
    """Return the network that the pages on sentences offer first."""
    entries = network_inputs.by_language(shelf_models.networks(), page.language)
    return needed(page, next(iter(entries), None))


def translator(page: PageState) -> Entry:
    """Return a translator of the plain kind, or else any."""
    entries = sorted(shelf_models.translators(), key=lambda entry: entry.method == "bert-fused")
    return needed(page, next(iter(entries), None))


def with_models(page: PageState, *entries: Entry) -> PageState:
    """Return the state of a page on which these models are chosen."""
    return replace(page, entries=entries)


def needed(page: PageState, value: T | None) -> T:
    """Return what a lesson needs; where it is missing, say so and end the page."""
    if value is None:
        outputs.end(page.say("learn.no_model", language=page.say(f"language.{page.language}")))
    return value


MOST_OPTIONS = 6
UNGUESSED = "0"
MARKS = "lesson-marks"


@dataclass(frozen=True)
class Progress:
    """Where a person is.

    ``lesson`` is "" in the overview; ``step`` counts from 1, one more than there are steps is the summary; ``guesses`` holds one
    position an answered step, None where a step was passed over; ``done`` names the finished lessons.
    """

    lesson: str
    step: int
    guesses: tuple[int | None, ...]
    done: tuple[str, ...]

    def guess(self, step: int) -> int | None:
        """Return the guess of a step, None if there was none."""
        return self.guesses[step - 1] if step <= len(self.guesses) else None


def read_progress(lessons: Mapping[str, Lesson]) -> Progress:
    """Return what the address says of where a person is in the lessons."""
    lesson = address.keep("learn_lesson", "", ["", *lessons])
    last = len(lessons[lesson].steps) + 1 if lesson else 1
    step = address.keep("learn_step", 1, (1, last))
    positions = [str(number) for number in range(MOST_OPTIONS + 1)]
    guesses = address.keep("learn_guesses", list[str](), positions)
    done = address.keep("learn_done", list[str](), list(lessons))
    return Progress(
        lesson,
        step,
        tuple(int(text) - 1 if text != UNGUESSED else None for text in guesses),
        tuple(dict.fromkeys(done)),
    )


def remember_done(progress: Progress, names: Sequence[str]) -> None:
    """Let the browser remember the finished lessons, and take over those that it knew."""
    component("lesson_marks")(
        key=MARKS,
        data={"done": list(progress.done), "names": list(names)},
        on_done_change=_take_remembered,
    )


def _take_remembered() -> None:
    """Mark the lessons that the browser remembers."""
    known = st.session_state[MARKS].get("done") or []
    done = [str(name) for name in known] if isinstance(known, list) else []
    address.put(learn_done=done)


def open_lesson(name: str) -> None:
    """Begin a lesson; "" is the overview."""
    address.put(learn_lesson=name, learn_step=1, learn_guesses=[])


def note_guess(progress: Progress, position: int | None) -> None:
    """Note a guess of the present step, or take it back."""
    guesses = [UNGUESSED if g is None else str(g + 1) for g in progress.guesses]
    guesses += [UNGUESSED] * (progress.step - len(guesses))
    guesses[progress.step - 1] = UNGUESSED if position is None else str(position + 1)
    address.put(learn_guesses=guesses)


def go_to(progress: Progress, step: int, last: int) -> None:
    """Open another step; behind the last the lesson is done."""
    done = [*progress.done]
    if step > last and progress.lesson not in done:
        done.append(progress.lesson)
    address.put(learn_step=step, learn_done=done)

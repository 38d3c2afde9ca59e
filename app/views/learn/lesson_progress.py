"""Learn: which lesson is open, which step, and the guesses so far: all of it in the address; the browser remembers finished lessons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app.components import component
from app.widgets import address

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


def read(names: Sequence[str], steps: Sequence[int]) -> Progress:
    """Return what the address says; ``steps`` are the lengths of the lessons ``names``."""
    lesson = address.keep("learn_lesson", "", ["", *names])
    last = steps[names.index(lesson)] + 1 if lesson else 1
    step = address.keep("learn_step", 1, (1, last))
    positions = [str(number) for number in range(MOST_OPTIONS + 1)]
    guesses = address.keep("learn_guesses", list[str](), positions)
    done = address.keep("learn_done", list[str](), names)
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


def guess(progress: Progress, position: int | None) -> None:
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

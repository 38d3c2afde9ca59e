"""Learn: the lessons in their order, each the functions that make its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.views.learn import (
    analogy_lesson,
    attention_lesson,
    context_lesson,
    near_lesson,
    numbers_lesson,
    ratios_lesson,
    senses_lesson,
    translation_lesson,
)
from app.views.learn.lesson_step import Step
from app.widgets.frame import PageState

MakeStep = Callable[[PageState], Step]


@dataclass(frozen=True)
class Lesson:
    """A lesson: its sentences are in the wording under ``learn_NAME``; ``minutes`` it takes."""

    name: str
    minutes: int
    steps: tuple[MakeStep, ...]


LESSONS = (
    Lesson("near", 6, near_lesson.STEPS),
    Lesson("analogy", 7, analogy_lesson.STEPS),
    Lesson("senses", 8, senses_lesson.STEPS),
    Lesson("ratios", 7, ratios_lesson.STEPS),
    Lesson("context", 8, context_lesson.STEPS),
    Lesson("attention", 9, attention_lesson.STEPS),
    Lesson("translation", 7, translation_lesson.STEPS),
    Lesson("numbers", 8, numbers_lesson.STEPS),
)
BY_NAME = {lesson.name: lesson for lesson in LESSONS}

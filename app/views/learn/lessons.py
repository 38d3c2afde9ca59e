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
    Lesson("near", 6, near_lesson.NEAR),
    Lesson("analogy", 7, analogy_lesson.ANALOGY),
    Lesson("senses", 8, senses_lesson.SENSES),
    Lesson("ratios", 7, ratios_lesson.RATIOS),
    Lesson("context", 8, context_lesson.CONTEXT),
    Lesson("attention", 9, attention_lesson.ATTENTION),
    Lesson("translation", 7, translation_lesson.TRANSLATION),
    Lesson("numbers", 8, numbers_lesson.STEPS),
)
BY_NAME = {lesson.name: lesson for lesson in LESSONS}

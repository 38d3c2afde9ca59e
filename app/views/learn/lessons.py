"""Learn: the lessons in their order, each the functions that make its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.views.learn import context_lessons, network_lessons, numbers_lesson, word_lessons
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
    Lesson("near", 6, word_lessons.NEAR),
    Lesson("analogy", 7, word_lessons.ANALOGY),
    Lesson("senses", 8, context_lessons.SENSES),
    Lesson("ratios", 7, word_lessons.RATIOS),
    Lesson("context", 8, context_lessons.CONTEXT),
    Lesson("attention", 9, network_lessons.ATTENTION),
    Lesson("translation", 7, network_lessons.TRANSLATION),
    Lesson("numbers", 8, numbers_lesson.STEPS),
)
BY_NAME = {lesson.name: lesson for lesson in LESSONS}

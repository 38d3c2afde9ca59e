"""Learn: a lesson as a file: for the teacher with aims, answers and what to talk about, for pupils to answer or to print, as a quiz.

An HTML page loads nothing and prints on A4; the answers are computed when it is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from app.views.learn.lesson_step import Lesson, Step, verdict
from app.widgets.frame import PageState
from embeddings.saved_page.html_page import offline_page

SCRIPT = Path(__file__).with_name("lesson_file.js")
STYLE = Path(__file__).with_name("lesson_file.css")


def sheet(page: PageState, lesson: Lesson, *, has_answers: bool = True) -> str:
    """Return a lesson as an HTML page in the screen's language: a sheet for the teacher, or for pupils, whose guesses it checks.

    On paper the pupils' page has boxes to tick and lines for a reason, and no answer to a question that nobody has answered.
    """
    say, name = page.say, f"learn_{lesson.name}"
    title, total = say(f"learn_lesson.{lesson.name}"), len(lesson.steps)
    questions = list(_questions(page, lesson))
    parts = [f"<h1>{escape(title)}</h1>"]
    if has_answers:
        length = say("learn.length", minutes=lesson.minutes, steps=total)
        parts += [
            f"<p>{escape(length)}</p><p>{markup(say(f'{name}.about'))}</p>",
            f"<h2>{escape(say('learn.sheet_how'))}</h2><p>{markup(say('learn.sheet_method'))}</p>",
        ]
    for number, (step, ask, means) in enumerate(questions, 1):
        heading = escape(say("learn.step", step=number, total=total))
        drawn = _solved(step, means) if has_answers else _question_form(page, step, means)
        parts.append(f'<section class="step"><h2>{heading}</h2><p>{ask}</p>{drawn}</section>')
    scores = [say("learn.score", correct=correct, total=total) for correct in range(total + 1)]
    score = "" if has_answers else f'<div id="score">{_hidden(map(markup, scores))}</div>'
    remember = (
        f"<h2>{escape(say('learn.sheet_remember'))}</h2><p>{markup(say(f'{name}.remember'))}</p>"
    )
    discuss = f"<h2>{escape(say('learn.discuss'))}</h2><p>{markup(say(f'{name}.discuss'))}</p>"
    hide = "" if has_answers else " hidden"
    parts += [
        f'<div role="status">{score}<section id="remember"{hide}>{remember}</section></div>',
        f"<section>{discuss}</section></main><footer>{escape(say('learn.sheet_made'))}</footer>",
    ]
    script = "" if has_answers else SCRIPT.read_text(encoding="utf-8")
    right = [step.choice.right for step, _, _ in questions]
    style, body = STYLE.read_text(encoding="utf-8"), f"<main>{''.join(parts)}"
    return offline_page(title, body, right, "lesson", style, script, say.language)


def _questions(page: PageState, lesson: Lesson) -> Iterator[tuple[Step, str, str]]:
    """Yield each step of a lesson with its question and what the answer means, as HTML."""
    for number, make in enumerate(lesson.steps, 1):
        step = make(page)
        key = f"learn_{lesson.name}.{number}"
        ask, means = (page.say(f"{key}_{part}", **step.fields) for part in ("ask", "means"))
        yield step, markup(ask), markup(means)


def _solved(step: Step, means: str) -> str:
    """Return the options of a step with what was measured, and what the answer means."""
    choice = step.choice
    measured = choice.measured or ("",) * len(choice.options)
    lines = []
    for position, (option, value) in enumerate(zip(choice.options, measured, strict=True)):
        kind = ' class="right"' if position == choice.right else ""
        note = f' <span class="measured">({escape(value)})</span>' if value else ""
        lines.append(f"<li{kind}>{escape(option)}{note}</li>")
    return f'<ol>{"".join(lines)}</ol><p class="answer">{means}</p>'


def _question_form(page: PageState, step: Step, means: str) -> str:
    """Return the options of a step as buttons, lines for a reason, and hidden what a guess brings up."""
    options = step.choice.options
    buttons = "".join(f'<button type="button">{escape(option)}</button>' for option in options)
    verdicts = (escape(verdict(page.say, step.choice, guess)) for guess in range(len(options)))
    reason = escape(page.say("learn.sheet_reason"))
    return (
        f'<div class="options">{buttons}</div><p class="reason">{reason}</p><p class="reason"></p>'
        f'<div role="status"><div class="verdicts">{_hidden(verdicts)}</div>'
        f'<div class="solved" hidden>{_solved(step, means)}</div></div>'
    )


def _hidden(sentences: Iterable[str]) -> str:
    """Return sentences of HTML as paragraphs of which none is shown yet."""
    return "".join(f"<p hidden>{sentence}</p>" for sentence in sentences)


def quiz(page: PageState, lesson: Lesson) -> str:
    """Return a lesson in Moodle's GIFT format: a question a step, with what the answer means as feedback."""
    title = page.say(f"learn_lesson.{lesson.name}")
    parts = [f"$CATEGORY: Klyuch/{title.replace('/', '-')}\n"]
    for number, (step, ask, means) in enumerate(_questions(page, lesson), 1):
        options = "".join(
            f"{'=' if position == step.choice.right else '~'}{_gift(escape(option))}\n"
            for position, option in enumerate(step.choice.options)
        )
        parts.append(
            f"::{_gift(f'{title} {number}')}::[html]<p>{_gift(ask)}</p>"
            f"{{\n{options}####<p>{_gift(means)}</p>\n}}\n"
        )
    return "\n".join(parts)


def _gift(text: str) -> str:
    r"""Return a text in which no sign means anything to GIFT, on one line: an empty line would end a question.

    Examples
    --------
    >>> _gift("a = b: {c}")
    'a \\= b\\: \\{c\\}'
    """
    return re.sub(r"([\\~=#{}:])", r"\\\1", " ".join(text.split()))


def markup(text: str) -> str:
    """Return a sentence of the wording as HTML: paragraphs, bold and italics.

    Examples
    --------
    >>> markup("**Near** <1>")
    '<b>Near</b> &lt;1&gt;'
    """
    html = escape(text.strip())
    html = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html)
    html = re.sub(r"(?<!\w)[*](.+?)[*](?!\w)", r"<i>\1</i>", html)
    return html.replace("\n\n", "</p><p>")

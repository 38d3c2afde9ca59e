"""Learn: a lesson on paper: for the teacher with aims, answers and what to talk about, for pupils the questions alone; and as a quiz.

One HTML page that loads nothing and prints on A4; the answers are computed when it is made.
"""

from __future__ import annotations

import re
from html import escape

from app.views.learn.lesson_step import Step
from app.views.learn.lessons import Lesson
from app.widgets.frame import PageState

STYLE = """
@page { size: A4; margin: 18mm }
body { font: 11pt/1.45 Georgia, "Times New Roman", serif; max-width: 44em; margin: 2em auto; padding: 0 1em; color: #22201c }
h1 { font-size: 20pt; margin-bottom: 0.2em } h2 { font-size: 13pt; margin: 1.4em 0 0.3em }
section { break-inside: avoid } li.right { font-weight: bold } .measured { color: #5a554a; font-weight: normal }
ul.options { list-style: none; padding-left: 0.5em } ul.options li::before { content: "\\2610\\00a0" }
.reason { border-bottom: 1px solid #5a554a; height: 1.6em; color: #5a554a }
.answer { border-left: 3px solid #8a5a00; padding-left: 0.8em } footer { margin-top: 2em; font-size: 9pt; color: #5a554a }
"""


def sheet(page: PageState, lesson: Lesson, *, has_answers: bool = True) -> str:
    """Return a lesson as an HTML page in the screen's language, for the teacher or, without answers, for pupils."""
    say, name = page.say, f"learn_{lesson.name}"
    title = say(f"learn_lesson.{lesson.name}")
    draw = _section if has_answers else _question
    steps = "".join(
        draw(page, name, number, len(lesson.steps), make(page))
        for number, make in enumerate(lesson.steps, 1)
    )
    length = say("learn.length", minutes=lesson.minutes, steps=len(lesson.steps))
    about = [f"<h1>{escape(title)}</h1>"]
    if has_answers:
        about += [
            f"<p>{escape(length)}</p><p>{markup(say(f'{name}.about'))}</p>",
            f"<h2>{escape(say('learn.sheet_how'))}</h2><p>{markup(say('learn.sheet_method'))}</p>",
        ]
    discuss = f"<h2>{escape(say('learn.discuss'))}</h2><p>{markup(say(f'{name}.discuss'))}</p>"
    after = [f"<section>{discuss}</section>"]
    if has_answers:
        remember = f"<h2>{escape(say('learn.sheet_remember'))}</h2><p>{markup(say(f'{name}.remember'))}</p>"
        after = [f"<section>{remember}</section>", *after]
        after.append(f"<footer>{escape(say('learn.sheet_made'))}</footer>")
    return (
        f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join([*about, steps, *after])}</body></html>"
    )


def _asked(page: PageState, name: str, number: int, total: int, step: Step) -> str:
    """Return the heading and the question of a step."""
    heading = page.say("learn.step", step=number, total=total)
    ask = markup(page.say(f"{name}.{number}_ask", **step.fields))
    return f"<h2>{escape(heading)}</h2><p>{ask}</p>"


def _question(page: PageState, name: str, number: int, total: int, step: Step) -> str:
    """Return a step for pupils: its question, boxes to tick, lines for a reason."""
    lines = "".join(f"<li>{escape(option)}</li>" for option in step.choice.options)
    reason = escape(page.say("learn.sheet_reason"))
    return (
        f'<section>{_asked(page, name, number, total, step)}<ul class="options">{lines}</ul>'
        f'<p class="reason">{reason}</p><p class="reason"></p></section>'
    )


def _section(page: PageState, name: str, number: int, total: int, step: Step) -> str:
    """Return a step for the teacher: its question, the options with what was measured, the answer."""
    choice = step.choice
    measured = choice.measured or ("",) * len(choice.options)
    lines = []
    for position, (option, value) in enumerate(zip(choice.options, measured, strict=True)):
        kind = ' class="right"' if position == choice.right else ""
        note = f' <span class="measured">({escape(value)})</span>' if value else ""
        lines.append(f"<li{kind}>{escape(option)}{note}</li>")
    means = markup(page.say(f"{name}.{number}_means", **step.fields))
    return (
        f"<section>{_asked(page, name, number, total, step)}<ol>{''.join(lines)}</ol>"
        f'<p class="answer">{means}</p></section>'
    )


def quiz(page: PageState, lesson: Lesson) -> str:
    """Return a lesson in Moodle's GIFT format: a question a step, with what the answer means as feedback."""
    say, name = page.say, f"learn_{lesson.name}"
    title = say(f"learn_lesson.{lesson.name}")
    parts = [f"$CATEGORY: Klyuch/{title.replace('/', '-')}\n"]
    for number, make in enumerate(lesson.steps, 1):
        step = make(page)
        ask, means = (
            _gift(markup(say(f"{name}.{number}_{part}", **step.fields)))
            for part in ("ask", "means")
        )
        options = "".join(
            f"{'=' if position == step.choice.right else '~'}{_gift(escape(option))}\n"
            for position, option in enumerate(step.choice.options)
        )
        parts.append(
            f"::{_gift(f'{title} {number}')}::[html]<p>{ask}</p>{{\n{options}####<p>{means}</p>\n}}\n"
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

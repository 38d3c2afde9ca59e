"""Learn: a lesson on paper for the teacher: aims, questions with options, what the models answer, what to talk about.

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
.answer { border-left: 3px solid #8a5a00; padding-left: 0.8em } footer { margin-top: 2em; font-size: 9pt; color: #5a554a }
"""


def sheet(page: PageState, lesson: Lesson) -> str:
    """Return the teacher's sheet of a lesson as an HTML page in the screen's language."""
    say, name = page.say, f"learn_{lesson.name}"
    title = say(f"learn_lesson.{lesson.name}")
    steps = "".join(
        _section(page, name, number, len(lesson.steps), make(page))
        for number, make in enumerate(lesson.steps, 1)
    )
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(say('learn.length', minutes=lesson.minutes, steps=len(lesson.steps)))}</p>",
        f"<p>{markup(say(f'{name}.about'))}</p>",
        f"<h2>{escape(say('learn.sheet_how'))}</h2><p>{markup(say('learn.sheet_method'))}</p>",
        steps,
        f"<section><h2>{escape(say('learn.sheet_remember'))}</h2><p>{markup(say(f'{name}.remember'))}</p></section>",
        f"<section><h2>{escape(say('learn.discuss'))}</h2><p>{markup(say(f'{name}.discuss'))}</p></section>",
        f"<footer>{escape(say('learn.sheet_made'))}</footer>",
    ]
    return (
        f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def _section(page: PageState, name: str, number: int, total: int, step: Step) -> str:
    """Return a step: its question, the options with what was measured, the answer."""
    say, choice = page.say, step.choice
    fields = dict(step.fields)
    measured = choice.measured or ("",) * len(choice.options)
    lines = []
    for position, (option, value) in enumerate(zip(choice.options, measured, strict=True)):
        kind = ' class="right"' if position == choice.right else ""
        note = f' <span class="measured">({escape(value)})</span>' if value else ""
        lines.append(f"<li{kind}>{escape(option)}{note}</li>")
    heading = say("learn.step", step=number, total=total)
    means = markup(say(f"{name}.{number}_means", **fields))
    ask = markup(say(f"{name}.{number}_ask", **fields))
    return (
        f"<section><h2>{escape(heading)}</h2><p>{ask}</p><ol>{''.join(lines)}</ol>"
        f'<p class="answer">{means}</p></section>'
    )


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

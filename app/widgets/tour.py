"""A tour of the first screen for a new visitor; dismissed, it does not come back; only the browser remembers that."""

from __future__ import annotations

from urllib.parse import urlencode

from app.components.registration import component
from app.widgets.frame import PageState

STEPS = 4


def draw(page: PageState) -> None:
    """Draw what the screen is for, in a few steps, with the way to the first lesson."""
    say = page.say
    settings = {"lang": say.language, "text": page.language, "learn_lesson": "near"}
    component("tour")(
        key="tour",
        data={
            "title": say("tour.title"),
            "steps": [
                [say(f"tour.{number}_title"), say(f"tour.{number}_text")]
                for number in range(1, STEPS + 1)
            ],
            "lesson": say("tour.lesson"),
            "address": f"learn?{urlencode(settings)}",
            "dismiss": say("tour.dismiss"),
        },
    )

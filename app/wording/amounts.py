"""Times and sizes in words."""

from __future__ import annotations

from app.wording import Wording


def duration(say: Wording, seconds: float) -> str:
    """Return seconds as seconds, minutes or hours."""
    if seconds < 100:
        return say("train.seconds", value=say.number(max(seconds, 0)))
    if seconds < 6000:
        return say("train.minutes", value=say.number(seconds / 60))
    return say("train.hours", value=say.number(seconds / 3600, 1))


def amount(say: Wording, size: float) -> str:
    """Return bytes as kB, MB or GB."""
    if size < 1e4:
        return say("train.kilo", value=say.number(size / 1e3, 1))
    if size < 1e9:
        return say("train.mega", value=say.number(size / 1e6, 0 if size >= 1e7 else 2))
    return say("train.giga", value=say.number(size / 1e9, 1))

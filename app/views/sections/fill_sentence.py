"""Fill the blank: the sentence, the word in it that is hidden, what follows as context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app.views.sections import sentence_pair
from app.widgets import address, outputs
from app.widgets.frame import Here

MASK = "[MASK]"
WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")
PART = re.compile(r"[\w\u0300-\u036f]+")


@dataclass(frozen=True)
class Asked:
    """What goes to the network: a text with [MASK], what follows it, the word that was hidden."""

    text: str
    second: str
    words: tuple[str, ...]

    def seen(self, unknown: Sequence[str]) -> list[str]:
        """What of the unknown words the network meets as [UNK]: a hidden one only where it stands once more."""
        met = PART.findall(f"{self.text} {self.second}")
        return [word for word in unknown if word not in self.words or word in met]


def ask(here: Here) -> Asked | None:
    """Ask for a sentence and let a word of it be hidden; None where there is no word."""
    say = here.say
    text, second = sentence_pair.ask(here, "fill", _hidden)
    if MASK in text:
        return Asked(text, second, ())
    words = list(WORD.finditer(text))
    if not words:
        return None
    numbers = [str(number) for number in range(len(words))]
    address.keep("fill_hidden", _first_hidden(text, sentence_pair.examples(here)), numbers)
    st.pills(
        say("fill_hidden.label"),
        numbers,
        format_func=lambda number: outputs.plain(words[int(number)].group()),
        key="fill_hidden",
        help=say("fill_hidden.help"),
        required=True,
    )
    chosen = words[int(st.session_state["fill_hidden"])]
    blank = text[: chosen.start()] + MASK + text[chosen.end() :]
    return Asked(blank, second, (chosen.group(),))


def _first_hidden(text: str, pairs: Sequence[sentence_pair.Example]) -> str:
    """Return which word is hidden to begin with: the example's own, else the last."""
    words = [match.group() for match in WORD.finditer(text)]
    blanks = [pair["blank"] for pair in pairs if pair["first"] == text]
    known = blanks and blanks[0] in words
    return str(words.index(blanks[0]) if known else len(words) - 1)


def _hidden(pair: sentence_pair.Example) -> dict[str, str]:
    """An example brings its hidden word."""
    return {"fill_hidden": _first_hidden(pair["first"], [pair])}

"""Fill the blank: the sentence, the word in it that is hidden, what follows as context."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from app import network_resources
from app.widgets import address, inputs, outputs
from app.widgets.frame import Here

MASK = "[MASK]"
WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’‑-][\w\u0300-\u036f]+)*")
SHORT = 34  # letters of a sentence on a button


@dataclass(frozen=True)
class Asked:
    """What goes to the network: a text with [MASK], what follows it, the word that was hidden."""

    text: str
    second: str
    words: tuple[str, ...]


def ask(here: Here) -> Asked | None:
    """Ask for a sentence and let a word of it be hidden; None where there is no word."""
    say = here.say
    pairs = [
        pair for pair in network_resources.sentence_pairs() if pair["language"] == here.language
    ]
    left, right = st.columns(2)
    with left:
        text = inputs.line(say, "fill_first", pairs[0]["first"])
    with right:
        second = inputs.line(say, "fill_second", "")
    with st.container(horizontal=True, gap="small"):
        for place, pair in enumerate(pairs):
            st.button(
                _short(pair["first"]),
                key=f"example-fill-{place}",
                type="tertiary",
                help=say("fill.example", first=pair["first"], second=pair["second"]),
                on_click=_take,
                args=(pair,),
            )
    if MASK in text:
        return Asked(text, second, ())
    words = list(WORD.finditer(text))
    if not words:
        return None
    numbers = [str(number) for number in range(len(words))]
    address.keep("fill_hidden", _first_hidden(text, pairs), numbers)
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


def _first_hidden(text: str, pairs: list[dict[str, str]]) -> str:
    """Return which word is hidden to begin with: the example's own, else the last."""
    words = [match.group() for match in WORD.finditer(text)]
    blanks = [pair["blank"] for pair in pairs if pair["first"] == text]
    known = blanks and blanks[0] in words
    return str(words.index(blanks[0]) if known else len(words) - 1)


def _take(pair: dict[str, str]) -> None:
    """Take an example over: its sentence, its hidden word, and what follows where that is asked."""
    address.put(fill_first=pair["first"], fill_hidden=_first_hidden(pair["first"], [pair]))
    if str(st.session_state.get("fill_second", "")).strip():
        address.put(fill_second=pair["second"])


def _short(text: str) -> str:
    """Cut a sentence for a button, at a word."""
    return text if len(text) <= SHORT else text[:SHORT].rsplit(" ", 1)[0] + " …"

"""A sentence and what follows it: two lines, and pairs written for the project as buttons below."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from app import network_resources
from app.widgets import address, inputs
from app.widgets.frame import Here

Example = Mapping[str, str]
SHORT = 34  # letters of a sentence on a button


def examples(here: Here) -> list[dict[str, str]]:
    """Return the pairs in the models' language."""
    return [
        pair for pair in network_resources.sentence_pairs() if pair["language"] == here.language
    ]


def ask(
    here: Here, page: str, also: Callable[[Example], Mapping[str, str]] = lambda _: {}
) -> tuple[str, str]:
    """Ask for both; widgets are named after the page, ``also`` says what else an example sets."""
    say, pairs = here.say, examples(here)
    left, right = st.columns(2)
    with left:
        first = inputs.line(say, f"{page}_first", pairs[0]["first"])
    with right:
        second = inputs.line(say, f"{page}_second", "")
    with st.container(horizontal=True, gap="small"):
        for place, pair in enumerate(pairs):
            st.button(
                _short(pair["first"]),
                key=f"example-{page}-{place}",
                type="tertiary",
                help=say(f"{page}.example", first=pair["first"], second=pair["second"]),
                on_click=_take,
                args=(page, pair, also),
            )
    return first, second


def _take(page: str, pair: Example, also: Callable[[Example], Mapping[str, str]]) -> None:
    """Fill the first sentence, and the second where there is one already."""
    address.put(**{f"{page}_first": pair["first"]}, **also(pair))
    if str(st.session_state.get(f"{page}_second", "")).strip():
        address.put(**{f"{page}_second": pair["second"]})


def _short(text: str) -> str:
    """Cut a sentence for a button, at a word."""
    return text if len(text) <= SHORT else text[:SHORT].rsplit(" ", 1)[0] + " …"

"""Inputs of the pages of networks: one sentence or two, with example pairs as buttons, and the choice of a BERT or ALBERT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings import shelf
from embeddings.shelf import Entry
from embeddings.shelf.shipped_examples import sentence_pairs

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator

ExampleSentences = Mapping[str, str]
SETTINGS, EXAMPLES = "common.more_settings", "common.examples"  # what popovers are called
ICONS = {SETTINGS: ":material/tune:", EXAMPLES: ":material/list:"}
SHORT = 34  # letters of a sentence on a button


def example_sentences(page: PageState) -> list[dict[str, str]]:
    """Return the pairs in the models' language."""
    return [pair for pair in sentence_pairs() if pair["language"] == page.language]


def sentence_row(say: Wording, *closed: str) -> tuple[DeltaGenerator, ...]:
    """Return the place of the sentence, and next to it popovers called by keys of the wording, for what few people need."""
    left, right = st.columns([5, len(closed)], vertical_alignment="bottom")
    row = right.container(horizontal=True, gap="small")
    popovers = (row.popover(say(key), icon=ICONS[key], type="tertiary") for key in closed)
    return left, *popovers


def ask_sentences(
    page: PageState,
    prefix: str,
    also: Callable[[ExampleSentences], Mapping[str, str]] = lambda _: {},
) -> tuple[tuple[str, str], DeltaGenerator]:
    """Ask for both, the second, seldom wanted, in a closed popover; return them and the popover, for further settings.

    The names of widgets begin with ``prefix``, ``also`` says what else an example sets.
    """
    say, pairs = page.say, example_sentences(page)
    field, more = sentence_row(say, SETTINGS)
    with field:
        first = inputs.line(say, f"{prefix}_first", pairs[0]["first"])
    with more:
        second = inputs.line(say, f"{prefix}_second", "")
    with st.container(horizontal=True, gap="small"):
        for number, pair in enumerate(pairs):
            st.button(
                _short(pair["first"]),
                key=f"example-{prefix}-{number}",
                type="tertiary",
                help=say(f"{prefix}.example", first=pair["first"], second=pair["second"]),
                on_click=_take,
                args=(prefix, pair, also),
            )
    return (first, second), more


def _take(
    prefix: str, pair: ExampleSentences, also: Callable[[ExampleSentences], Mapping[str, str]]
) -> None:
    """Fill the first sentence, and the second where there is one already."""
    address.put(**{f"{prefix}_first": pair["first"]}, **also(pair))
    if str(st.session_state.get(f"{prefix}_second", "")).strip():
        address.put(**{f"{prefix}_second": pair["second"]})


def _short(text: str) -> str:
    """Cut a sentence for a button, at a word."""
    return text if len(text) <= SHORT else text[:SHORT].rsplit(" ", 1)[0] + " …"


def pick_network(page: PageState, key: str = "network") -> Entry:
    """Let a network be chosen; without one on the shelf the page ends with the way to get one.

    Those that ship come first; of them those that have read the models' language, the one of fewest languages before the others.
    """
    say = page.say
    entries = {entry.name: entry for entry in shelf_models.networks()}
    if not entries:
        st.info(say("network.none"))
        raise outputs.Halt
    names = [entry.name for entry in by_language(tuple(entries.values()), page.language)]
    return entries[inputs.pick_model(say, key, names)]


def by_language(networks: Sequence[Entry], language: str) -> list[Entry]:
    """Return networks in the order in which they are offered for texts in ``language``."""

    def rank(entry: Entry) -> tuple[bool, bool, int, bool, str]:
        languages = shelf_models.languages(entry)
        reads = language in languages
        return shelf.is_own(entry), not reads, len(languages), entry.method != "bert", entry.name

    return sorted(networks, key=rank)

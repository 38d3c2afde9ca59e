"""Words of the chosen models offered while a word is typed, the commonest first."""

from __future__ import annotations

from itertools import chain, zip_longest

import streamlit as st

from app.components.registration import component
from app.loaders import shelf_models
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry

OFFERED = 10
LONGEST = 100  # letters of what is completed


@st.fragment
def offer_words(page: PageState, key: str) -> None:
    """Offer words under the text field ``key``: while somebody types, this alone runs again."""
    letters = str((st.session_state.get("typeahead") or {}).get("letters") or "")
    component("typeahead")(
        key="typeahead",
        data={"label": page.say(f"{key}.label"), "words": complete(page.entries, letters)},
        default={"letters": ""},
        on_letters_change=_nothing,
    )


def complete(entries: tuple[Entry, ...], text: str) -> list[str]:
    """Return up to `OFFERED` texts that complete the last word of ``text``, a word or several between commas.

    The commonest of each model in turn; of a vocabulary of millions that is two binary searches in a sorted file.
    """
    before, comma, last = text.rpartition(",")
    letters = last.lstrip()
    if not letters or len(letters) > LONGEST:
        return []
    offers = []
    for entry in entries:
        try:
            offers.append(shelf_models.vectors(entry).beginning_with(letters, OFFERED))
        except KlyuchError:  # damaged: the page says so
            continue
    words = dict.fromkeys(filter(None, chain.from_iterable(zip_longest(*offers))))
    start = before + comma + last[: len(last) - len(letters)]
    return [start + word for word in words][:OFFERED]


def _nothing() -> None:
    """Let the letters be kept."""

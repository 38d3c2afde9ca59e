"""Save as a file: an answer of a page as one HTML file that opens without a network."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from app.widgets import address, outputs
from app.widgets.frame import PageState
from embeddings.saved_page.answer import SavedAnswer, Source
from embeddings.saved_page.html_page import saved_page
from embeddings.shelf import Entry


def offer_file(
    page: PageState,
    name: str,
    make: Callable[[Source], SavedAnswer],
    entries: Sequence[Entry],
    settings: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
) -> None:
    """Offer the answer that ``make`` returns as ``klyuch-NAME.html``; it is made when a person asks for the file.

    ``settings`` are those of the citations, ``facts`` further lines on where the answer comes from.
    """
    say = page.say
    url = (st.context.url or "").partition("?")[0]
    link = f"{url}?{urlencode(address.kept())}" if url else ""

    def written() -> str:
        citations = tuple(outputs.citation(entry, settings) for entry in entries)
        day = say.date(datetime.date.today().isoformat())
        return saved_page(make(Source(citations, facts or {}, day, link, say.language, say.number)))

    outputs.download(
        say("common.save_file"),
        written,
        f"klyuch-{name}.html",
        f"file-{name}",
        help=say("common.save_file_help"),
        icon=":material/draft:",
    )

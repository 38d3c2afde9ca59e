"""The quiet row under every view: what it is, how it is reproduced and cited, its link with a QR code, its files."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st

from app import shelf_models
from app.streamlit_private import DeltaGenerator
from app.widgets import frame, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording, glossary
from embeddings import citation
from embeddings.saved_page.answer import Source
from embeddings.shelf import Entry
from embeddings.shelf.companions import provenance

THIS_COMPUTER = ("localhost", "127.0.0.1", "::1")
MAX_QR_BYTES = 2953  # of the largest QR code at the lowest level of error correction
QR_WIDTH = 420  # pixels on the page
QR_SCALE = 6  # pixels of a module in the image
QR_BORDER = 4  # modules around the code


def draw_footer(
    page: PageState,
    key: str,
    *,
    code: str = "",
    entries: Sequence[Entry] = (),
    settings: Sequence[str] = (),
) -> DeltaGenerator:
    """Draw the row, and return it: a view adds its files.

    Parameters
    ----------
    page : PageState
    key : str
        The part of the wording that explains the view; "" where there is none.
    code : str, default ""
        Python that gives what the view shows.
    entries, settings
        Models and settings that the numbers are from.
    """
    say = page.say
    saved_files.shown().has_footer = True
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    with row:
        if key:
            explain(say, key)
        with st.popover(say("common.take_away"), icon=":material/code:", type="tertiary"):
            if code:
                st.markdown(say("common.python"))
                st.code(code, language="python")
            _show_citation(say, cited(entries, settings)[1:])
        _offer_link(say)
        if code:
            _offer_file(page, entries, settings)
    return row


def complete(say: Wording) -> None:
    """Draw the row on a page that ended before its view did."""
    shown = saved_files.shown()
    if shown.title and not shown.has_footer:
        page = frame.page_state()
        draw_footer(page, page.name if say.get(f"{page.name}.explain") else "")


@cache
def formulas(of: str) -> dict[str, Any]:
    """Return what formulas.toml has of the explanations, or of the steps of a half of a network, by name."""
    path = Path(__file__).with_name("formulas.toml")
    table: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return table[of]


def explain(say: Wording, key: str) -> None:
    """Offer what the person is looking at: the method in words and formulas, and its terms."""
    with st.popover(say("common.explain"), icon=":material/help:", type="tertiary"):
        st.markdown(say(f"{key}.explain"))
        for formula in formulas("explanations").get(key, ()):
            st.latex(formula)
        if after := say.get(f"{key}.explain_after"):
            st.markdown(after)
        if terms := glossary.page_terms(say, key):
            rows = "\n".join(f"- **{term}**: {meaning}" for term, meaning in terms)
            st.markdown(f"**{say('common.glossary')}**\n\n{rows}")
        st.markdown(f"[{say('common.whole_glossary')}]({glossary.address(say)})")


@st.fragment
def _offer_link(say: Wording) -> None:
    """Offer the link to the page as it is, and as a QR code; both are made when they are opened."""
    opened = st.popover(
        say("common.link"),
        icon=":material/qr_code_2:",
        type="tertiary",
        key="box-link",
        on_change="rerun",
    )
    link = saved_files.page_link() if opened.open else ""
    if not link:
        return
    with opened:
        st.markdown(say("common.link_note"))
        st.code(link, language=None, wrap_lines=True)
        if urlsplit(link).hostname in THIS_COMPUTER:
            st.caption(say("common.link_local"))
        if len(link) > MAX_QR_BYTES:
            st.caption(say("common.link_long", length=len(link), most=MAX_QR_BYTES))
        else:
            st.image(qr_code(link), width=QR_WIDTH, alt=say("common.link_alt"))


def qr_code(link: str) -> bytes:
    """Return the QR code of a link as a PNG image with a white margin.

    Raises
    ------
    ValueError
        If the link is too long.
    """
    image = io.BytesIO()
    segno.make_qr(link, error="l").save(image, kind="png", scale=QR_SCALE, border=QR_BORDER)
    return image.getvalue()


def _offer_file(page: PageState, entries: Sequence[Entry], settings: Sequence[str]) -> None:
    """Offer what the view shows as one HTML file, once a page, if it shows an answer."""
    shown = saved_files.shown()
    if page.name not in saved_files.PAGES or shown.write or shown.is_empty:
        return
    say = page.say
    outputs.download(
        say("common.save_file"),
        saved_files.writer(
            say,
            [entry.name for entry in entries],
            source_of(say, entries, settings),
        ),
        f"klyuch-{page.name}.html",
        f"file-{page.name}",
        help=say("common.save_file_help"),
        icon=":material/draft:",
    )


def _show_citation(say: Wording, numbers: Sequence[str]) -> None:
    """Show how the program is cited, as a sentence and for BibTeX, and where ``numbers`` come from."""
    st.markdown(say("common.cite"))
    st.code(citation.sentence(), language=None, wrap_lines=True)
    st.code(citation.bibtex(), language=None)
    if numbers:
        st.markdown(say("common.provenance"))
        st.code("\n".join(numbers), language=None, wrap_lines=True)


def source_of(
    say: Wording, entries: Sequence[Entry], settings: Sequence[str] = ()
) -> Callable[[], Source]:
    """Return what tells where the answer of a page comes from, for a file."""
    return saved_files.source_of(say, lambda: cited(entries, settings))


def cited(entries: Sequence[Entry], settings: Sequence[str] = ()) -> list[str]:
    """Return the sentence to cite, and a line for each model and what they share."""
    models = [provenance(entry, shelf_models.card(entry)) for entry in entries]
    return citation.lines(models, [*settings])

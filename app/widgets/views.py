"""A page's row of views, of which only the open one is computed; the line that offers the tour; signing in, where it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlencode

import streamlit as st

from app import access
from app.components import component
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording

KEY = "view"  # the parameter of the address, on every page
VIEWS = {  # of each page, in the order of the row; labels stand under ``view.{name}``
    "analogies": ("answer", "steps", "reliability", "sets"),
    "associations": ("axes", "list", "test"),
    "attention": ("heads", "word", "off"),
    "change": ("report", "texts", "periods", "whatif"),
    "classify": ("moved", "off", "scores"),
    "compare": ("words", "differ", "sets"),
    "contexts": ("senses", "layers", "pairs", "one", "annotation", "documents"),
    "explore": ("neighbours", "map", "senses", "why", "sentences", "reliability"),
    "fill": ("answer", "moved", "layers"),
    "grammar": ("tokens", "layers", "own", "benchmarks"),
    "lab": ("verdicts", "curves", "numbers"),
    "translate": ("step", "beam", "heads", "moved", "off", "scores"),
}
FORMER_SETTINGS: dict[str, dict[str, dict[str, str]]] = {
    # for addresses without a view, written when the page showed everything: the settings of views, with their former defaults
    "analogies": {"sets": {"questions": "set"}},
    "attention": {"off": {"off": "0"}},
    "change": {  # all of this was on Compare
        "periods": {"sides_way": "texts"},
        "texts": {"sides_first": "paste", "sides_second": "paste", "sides_permutations": "20"},
        "whatif": {
            "whatif_word": "",
            "whatif_documents": "",
            "whatif_swap": "nothing",
            "whatif_corpus": "demonstration",
        },
    },
    "classify": {"off": {"off": "0"}},
    "compare": {"differ": {"compared_among": "500"}},
    "contexts": {"one": {"contexts_one": "1"}},
    "fill": {"moved": {"fill_moved": "0"}},
    "translate": {
        "moved": {"translate_moved": "0"},
        "off": {"translate_off": "0"},
        "heads": {
            "translate_kind": "cross",
            "translate_level": "word",
            "translate_special": "shown",
            "translate_head": "average",
            "translate_view": "lines",
        },
    },
}


def open_view(
    page: PageState,
    without: Collection[str] = (),
    former: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Draw the row of views and return the name of the open one, the first until somebody chooses.

    Each page remembers its own view. An address with an unknown view opens the first, and the page says so
    (`outputs.say_absent`). Lazy tabs also draw the open one alone, but have labels for values: in another language of the screen the
    first tab opens again (tried).

    Parameters
    ----------
    page : PageState
        The page that has the views.
    without : collection of str
        Those of its `VIEWS` that are not offered at this time.
    former : mapping, optional
        The page's `FORMER_SETTINGS`, if their defaults depend on the language. The first view with a setting that the address
        changes is opened.
    """
    say, state = page.say, st.session_state
    names = [name for name in VIEWS[page.name] if name not in without]
    remembered: dict[str, str] = state.setdefault("_views", {})
    if state.get("_view_of") != page.name:
        state["_view_of"] = page.name
        address.forget(KEY)
    first = names[0] if address.arrived() else remembered.get(page.name, names[0])
    address.keep(KEY, _asked_for(former or FORMER_SETTINGS.get(page.name, {})) or first, names)
    st.segmented_control(
        say("view.label"),
        names,
        format_func=lambda name: say(f"view.{name}"),
        key=KEY,
        required=True,
        label_visibility="collapsed",
    )
    remembered[page.name] = str(state[KEY] or names[0])
    return remembered[page.name]


def _asked_for(former: Mapping[str, Mapping[str, str]]) -> str:
    """Return the view whose settings an address without a view changes; "" where there is none."""
    if KEY in address.arrived():
        return ""
    return next((view for view, settings in former.items() if _changes(settings)), "")


def _changes(settings: Mapping[str, str]) -> bool:
    """Whether the address that this run takes over changes one of some settings, given with their defaults."""
    arrived = address.arrived()
    return any(arrived.get(key, default) != default for key, default in settings.items())


def lead_on(page: str, settings: Mapping[str, str], own: Mapping[str, str], label: str) -> None:
    """Open the page that has taken over some settings where an address without a view changes them.

    Where the address also changes one of this page's ``own`` settings, offer it as a link called ``label``.
    """
    arrived = address.arrived()
    if KEY in arrived or not _changes(settings):
        return
    if not _changes(own):
        st.switch_page(page, query_params=arrived)
    st.page_link(page, label=label, query_params=arrived)


def draw_tour(page: PageState) -> None:
    """Draw a line with the way to the first lesson, unless the visit began with a link that asks for something."""
    say, state = page.say, st.session_state
    if state.setdefault("_came_by_link", bool(address.arrived())):
        return
    settings = {"lang": say.language, "text": page.language, "learn_lesson": "near"}
    component("tour")(
        key="tour",
        data={
            "title": say("tour.title"),
            "lesson": say("tour.lesson"),
            "address": f"learn?{urlencode(settings)}",
            "dismiss": say("tour.dismiss"),
        },
    )


def draw_sign_in(say: Wording) -> None:
    """Ask for a sign-in and end the page; once signed in, say who it is and what that person may do."""
    if access.is_public() or not access.has_sign_in():
        return
    if not access.is_signed_in():
        st.title(say("access.title"), anchor=False)
        st.markdown(say("access.lead"))
        inputs.button(say("access.sign_in"), "sign-in", "login", st.login, type="primary")
        raise outputs.Halt
    with st.sidebar:
        who = access.email() or say("access.unnamed")
        role = "access.editor" if access.may_change() else "access.visitor"
        st.caption(outputs.plain(say(role, who=who)))
        st.button(say("access.sign_out"), key="sign-out", type="tertiary", on_click=st.logout)

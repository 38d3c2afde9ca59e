"""The state of a page in its address, so that a link reopens the same view.

`keep` ties a widget's key to a parameter of the same name; values are in the address as plain
codes, the same in every language of the screen. All of a page's settings are in it, defaults too, so
that a link means the same when a default has changed. What a link asks for and the page cannot have is
remembered (`absent`), so that the page can say so. What a page held is remembered when the person
comes back.

Streamlit's own ``bind="query-params"`` (1.67) does less: it writes the labels of the screen's language, so that a link made in one
language is dropped in another, leaves defaults out, and makes no entry in the history, so that going back leaves the page.

``persist_state="session"`` keeps a value while its widget is not drawn (tried: it does), but not the value that the widget had at the
end of the last run. `start` needs that one to see which widget was moved, and `held` returns it, so the memory here would stay.

A named fragment that a widget's callback reruns (tried: the page does not run) skips `start` and `finish`, so what was moved would be
missing in the address. So would what a widget with ``on_change="ignore"`` holds, which reaches the server with the next run (tried).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeVar, cast

import streamlit as st

from app.streamlit_private import is_history_navigation

T = TypeVar("T")
FRAME = ("lang", "text", "models")  # these belong to the frame, not to a page
LATE = 1.0  # seconds in which a browser may still send an address that was written over
OLD = 16  # addresses written over that are remembered
# They ask the models nothing.
UNASKED = {*FRAME, "train_job", "learn_lesson", "learn_step", "learn_done", "learn_shown"}


def start() -> None:
    """Begin a run: take over parameters that came from outside (a link, the back button)."""
    state, now = st.session_state, st.query_params.to_dict()
    memory, written = state.get("_memory", {}), state.get("_written", {})
    moved = any(key in state and state[key] != value for key, value in memory.items())
    went_back = is_history_navigation()
    # Streamlit gives a page's path an entry of its own in the history, before the settings: there nothing
    # is asked for, and writing the settings again would keep the person from going further back.
    # So it is in a later run of the page until a setting moves: a part of it that arrives brings one.
    state["_went_back"] = went_back
    state["_bare"] = not now and (went_back or (state.get("_bare", False) and not moved))
    is_new = now != written and not state["_bare"]
    is_late = is_new and not went_back and _is_late(now, moved=moved)
    # an answer to an earlier click may have reached the browser since it sent this
    state["_unsure"] = state.get("_unsure", False) or went_back or (is_late and moved)
    if is_new and not is_late:
        _note_old(written)
        state["_arrived"], state["_taken"] = now, set()
        state["_written"] = now  # a link is taken over once, even if this run is cut off
        state["_lost"], state["_waiting"] = {}, {}
    state["_kept"] = {}
    state.setdefault("_waiting", {})
    state.setdefault("_memory", {})
    state.setdefault("_absent", {})


def enter(page: str) -> None:
    """Continue a run once its page is known: to another page nobody went back."""
    state = st.session_state
    state["_bare"] = state["_bare"] and (state["_went_back"] or state.get("_page") == page)
    state["_page"] = page


def keep(key: str, default: T, allowed: Sequence[object] | None = None) -> T:
    """Give the widget ``key`` its value and return it.

    The address comes first, then the session, what the page held before, and ``default``.
    Call it before the widget is drawn. ``allowed`` names the values that a link may bring; lists
    keep what is allowed.
    """
    state = st.session_state
    value: Any = state.get(key, state["_memory"].get(key, default))
    is_new = bool(state.get("_arrived")) and key not in state["_taken"]
    text = state["_arrived"].get(key, _format(default)) if is_new else ""
    waited = state["_waiting"].pop(key, None)
    if is_new:
        state["_taken"].add(key)  # a link says all: what it leaves out has its default
        value = _parse(text, default)
    elif waited is not None and key not in state:
        value = _parse(waited, default)
    if allowed is not None:
        value = _bounded(value, default, allowed)
    if is_new and key in state["_arrived"]:
        _note_absent(key, text, value)
    state[key] = state["_memory"][key] = value
    state["_kept"][key] = default
    return cast(T, value)


def arrived() -> dict[str, str]:
    """Return the parameters of the link that this run takes over; none in later runs."""
    return dict(st.session_state.get("_arrived", {}))


def _note_absent(key: str, text: str, value: object) -> None:
    """Remember what a link asks for in vain, next to what the widget holds instead."""
    held = _format(value).split(",") if isinstance(value, list) else [_format(value)]
    asked = [part for part in text.split(",") if part] if isinstance(value, list) else [text]
    lacking = [part for part in asked if part not in held]
    is_text = isinstance(value, str) and value == text
    same_number = isinstance(value, int | float) and _parse(text, value) == value
    if lacking and not is_text and not same_number:
        st.session_state["_absent"][key] = (", ".join(lacking), value)
    else:
        st.session_state["_absent"].pop(key, None)


def absent(keys: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return what the last link asked for and this page cannot have, by widget, with what the widget holds instead.

    It is so until the widget is set by hand. Those of ``keys`` that the page never came to offer, for want of any such thing, hold "".
    """
    state = st.session_state
    arrived = {key: state["_arrived"][key] for key in keys if key in state.get("_arrived", {})}
    state["_lost"] = state.get("_lost", {}) | arrived
    lost = {key: (asked, "") for key, asked in state["_lost"].items() if key not in state["_kept"]}
    for key, (_, instead) in [*state["_absent"].items()]:
        if key in state["_kept"] and state.get(key) != instead:
            del state["_absent"][key]
    held = settings()
    return lost | {key: (a, held[key]) for key, (a, _) in state["_absent"].items() if key in held}


def settings() -> dict[str, str]:
    """Return the settings that this run of the page has kept so far, as written in the address."""
    state = st.session_state
    return {key: _format(state.get(key, default)) for key, default in state["_kept"].items()}


def shorten(key: str, longest: int) -> bool:
    """Cut the text that `keep` gave a widget; whether what it holds now was cut.

    Streamlit's own bound is not used: a field that has one drops a longer paste without a word.
    """
    state = st.session_state
    if len(state[key]) > longest:
        state[key] = state["_memory"][key] = state[f"_cut_{key}"] = state[key][:longest]
    return bool(state[key] == state.get(f"_cut_{key}"))


def put(**values: object) -> None:
    """Set widgets from a button's callback."""
    for key, value in values.items():
        st.session_state[key] = value


def follow(**values: object) -> None:
    """Let widgets take values that the page computes in each run, as long as nobody has changed one of them."""
    state, key = st.session_state, f"_followed_{'_'.join(values)}"
    if {name: state.get(name) for name in values} == state.get(key):
        put(**values)
    state[key] = values


def held(key: str, default: object) -> Any:
    """Return what the widget ``key`` held when it was last drawn."""
    return st.session_state["_memory"].get(key, default)


def forget(*keys: str) -> None:
    """Let widgets take their defaults again (what these were made for has changed)."""
    for key in keys:
        st.session_state.pop(key, None)
        st.session_state["_memory"].pop(key, None)


def forget_pages(*spared: str) -> None:
    """Drop what pages hold (the models' language changed, so their words no longer fit)."""
    for key in [*st.session_state["_memory"]]:
        if key not in UNASKED.union(spared):
            st.session_state["_memory"].pop(key)
            st.session_state.pop(key, None)
    st.session_state.pop("models", None)
    st.session_state["_memory"].pop("models", None)


def is_untouched() -> bool:
    """Whether nobody has asked anything: all but the languages and models have their defaults."""
    return not set(st.session_state.get("_changed", ())) - UNASKED


def finish() -> None:
    """End a run: write every setting of the page into the address."""
    state = st.session_state
    written = settings()
    defaults = state["_kept"].items()
    state["_changed"] = [key for key, default in defaults if state.get(key, default) != default]
    now = st.query_params.to_dict()
    for old in (now, state.get("_written", written)):
        if old != written:
            _note_old(old)
    if state.get("_bare"):
        written = now
    elif written != now or state.get("_unsure"):
        st.query_params.from_dict(written)
    state["_unsure"] = False
    if state.get("_arrived"):  # settings of views that are closed, until somebody opens them
        taken = state["_taken"]
        state["_waiting"] = {k: text for k, text in state["_arrived"].items() if k not in taken}
    state["_written"], state["_arrived"] = written, {}


def _note_old(address: dict[str, str]) -> None:
    """Remember an address that another one replaces."""
    before = [(old, since) for old, since in st.session_state.get("_old", []) if old != address]
    st.session_state["_old"] = [*before, (address, time.monotonic())][-OLD:]


def _is_late(now: dict[str, str], *, moved: bool) -> bool:
    """Whether an address is one that was written over, sent before the browser had the new one.

    With a widget's new value (``moved``) an old address is late however slow the machine: whatever else brings one moves no widget.
    Without one it is late only for a moment, then it is a link.
    """
    times = [since for old, since in st.session_state.get("_old", []) if old == now]
    return bool(times) and (moved or time.monotonic() - times[-1] < LATE)


def _parse(text: str, default: object) -> object:
    """Turn a parameter into the default's type; what does not parse is the default."""
    try:
        if isinstance(default, bool):
            return text == "1"
        if isinstance(default, int | float):
            return type(default)(text)
    except ValueError:
        return default
    return [part for part in text.split(",") if part] if isinstance(default, list) else text


def _format(value: object) -> str:
    """Turn a value into a parameter."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _bounded(value: Any, default: Any, allowed: Sequence[object]) -> Any:
    """Keep a list's allowed members, a number within the ends, or one of the values."""
    if isinstance(value, list):
        return [item for item in value if item in allowed] or default
    if isinstance(default, int | float) and not isinstance(default, bool):
        low, high = cast(Any, allowed[0]), cast(Any, allowed[-1])
        return type(default)(min(max(value, low), high))
    return value if value in allowed else default

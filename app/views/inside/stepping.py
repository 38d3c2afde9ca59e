"""Inside: from step to step, by hand or by itself."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from app.widgets import address
from app.wording import Wording

SECONDS = 5.0  # a step is shown while the walk moves by itself
PLAYING, SHOWN_SINCE = "_inside_playing", "_inside_since"


def offer_next_steps(say: Wording, part: str, names: Sequence[str], step: str) -> None:
    """Offer the step before and the step after, of the "inside" (the encoder's) or the "decoder", and to let the walk move."""
    index = names.index(step)
    is_playing = st.session_state.get(PLAYING) == part
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for key, neighbour in (("back", index - 1), ("next", index + 1)):
            if key == "next":
                st.button(
                    say("inside.pause" if is_playing else "inside.play"),
                    key=f"{part}-play",
                    icon=":material/pause:" if is_playing else ":material/play_arrow:",
                    help=say("inside.play_help"),
                    type="tertiary",
                    on_click=_toggle,
                    args=(part, names, step),
                )
            if 0 <= neighbour < len(names):
                st.button(
                    say(f"inside.{key}", step=say(f"{part}_step.{names[neighbour]}")),
                    key=f"{part}-{key}",
                    on_click=_go,
                    args=(part, names[neighbour]),
                )
    if is_playing:
        st.fragment(_move_on, run_every=1.0)(part, names, step)


def _go(part: str, step: str) -> None:
    """Go to a step by hand: the walk stands still."""
    st.session_state.pop(PLAYING, None)
    address.put(**{f"{part}_step": step})


def _toggle(part: str, names: Sequence[str], step: str) -> None:
    """Let the walk move, from its beginning where it has ended, or let it stand."""
    if st.session_state.pop(PLAYING, None) == part:
        return
    st.session_state[PLAYING], st.session_state[SHOWN_SINCE] = part, time.monotonic()
    if step == names[-1]:
        address.put(**{f"{part}_step": names[0]})


def _move_on(part: str, names: Sequence[str], step: str) -> None:
    """Show the next step once this one was shown long enough; stand still at the last."""
    state = st.session_state
    if state.get(PLAYING) != part or time.monotonic() - state[SHOWN_SINCE] < SECONDS:
        return
    index = names.index(step) + 1
    state[SHOWN_SINCE] = time.monotonic()
    if index >= len(names):
        state.pop(PLAYING, None)
    else:
        state["_inside_next"] = (f"{part}_step", names[index])
    st.rerun()


def take_next_step() -> None:
    """Go to the step that the walk has moved on to; called before the steps are drawn."""
    if moved := st.session_state.pop("_inside_next", None):
        key, step = moved
        address.put(**{key: step})

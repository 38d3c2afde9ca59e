"""What a person reads while their answer waits in the queue: how many are before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import caching
from app.wording import wording

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


def start() -> None:
    """Let every loader tell people their place in the queue."""
    caching.telling = telling


@contextmanager
def telling() -> Iterator[caching.Tell]:
    """Say how many are before a person, where the answer will stand; the sentence goes when the answer is begun."""
    slot: DeltaGenerator | None = None
    said: int | None = None

    def tell(before: int | None) -> None:
        nonlocal slot, said
        language = st.session_state.get("lang", "en")  # here Streamlit ends the run of who has left
        if before == said:
            return
        said, slot = before, slot or st.empty()
        if before is None:
            slot.empty()
        else:
            say = wording(language)
            sentence = say("queue.before", before=before) if before else say("queue.next")
            slot.info(sentence, icon=":material/hourglass_empty:")

    yield tell
    if slot is not None:
        slot.empty()

"""Attention: the whole view as a file, the weights as a table, and what each head looks at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.components.attention_component import view_labels
from app.widgets import outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.attention_view.html_page import fitting, standalone
from embeddings.attention_view.payload import Panel, ViewState
from embeddings.results.network_answers import AttentionMap

SHARES = ("previous", "following", "itself", "cls", "sep")


def save(page: PageState, panels: Sequence[Panel], at: ViewState) -> None:
    """Offer the view as one HTML file, and the weights of the head shown as CSV."""
    say = page.say
    shown = panels[0].shown
    whole = len(fitting(panels, at)) == shown.layers * len(shown.heads)
    with st.container(horizontal=True):
        outputs.download(
            say("attention.html"),
            lambda: standalone(
                panels,
                at,
                heading=say("attention.title"),
                about=shown.model,
                labels=view_labels(say),
                language=say.language,
            ),
            "klyuch-attention.html",
            "attention_html",
            help=say("attention.html_help" if whole else "attention.html_part"),
        )
        outputs.download(
            say("attention.weights"),
            lambda: outputs.csv_bytes(weights(shown, at, say("attention.looks"))),
            f"klyuch-attention-{at.layer}-{at.head}.csv",
            "attention_csv",
            help=say("attention.weights_help"),
        )


def show(say: Wording, panel: Panel) -> None:
    """List what each head looks at, on average."""
    rows = pd.DataFrame(
        {
            say("attention_table.layer"): profile.layer,
            say("attention_table.head"): profile.head,
            say("attention_table.pattern"): _pattern(say, profile.pattern),
            **{say(f"attention_shown.{name}"): getattr(profile, name) for name in SHARES},
            say("attention_table.entropy"): profile.entropy,
            say("attention_table.distance"): profile.distance,
        }
        for profile in panel.profiles
    )
    shares = [say(f"attention_shown.{name}") for name in SHARES]
    digits = {
        **{name: partial(say.number, digits=2) for name in shares},
        say("attention_table.entropy"): partial(say.number, digits=2),
        say("attention_table.distance"): partial(say.number, digits=1),
    }
    st.caption(say("attention_table.note"))
    outputs.table(say, rows, "attention-heads", forms=digits, shares=shares)


def weights(shown: AttentionMap, at: ViewState, corner: str) -> pd.DataFrame:
    """Return the weights of one head, one row per attending word, one column per attended word."""
    rows = pd.DataFrame(
        shown.head_weights(at.layer, at.head), columns=distinct(shown.to_side.labels)
    )
    rows.insert(0, corner, list(shown.from_side.labels), allow_duplicates=True)
    return rows


def _pattern(say: Wording, pattern: str) -> str:
    """Return the pattern's name."""
    return say(f"attention_shown.{pattern}") if pattern else "–"


def distinct(labels: Sequence[str]) -> list[str]:
    """Number labels that occur more than once: a table's columns have names of their own."""
    times: dict[str, int] = {}
    names = []
    for label in labels:
        times[label] = times.get(label, 0) + 1
        names.append(label if times[label] == 1 else f"{label} ({times[label]})")
    return names

"""Classify: how good the classifier is, and what it takes for what, as its card tells it."""

from __future__ import annotations

import streamlit as st

from app import classification_resources, resources
from app.figures.classify import confusion_figure
from app.widgets import outputs
from app.wording import Wording
from embeddings.library import Entry


def show(say: Wording, entry: Entry) -> None:
    """Show accuracy and confusion of every set on the card; or that there is none."""
    st.header(say("classify.scores"), anchor=False)
    card = resources.card(entry)
    found = classification_resources.confusion(entry, card)
    if not found:
        st.info(say("classify.no_scores", model=outputs.plain(entry.name)))
    names = list(classification_resources.labels(entry).values())
    for place, (test_set, one) in enumerate(found.items()):
        st.markdown(
            say(
                "classify.accuracy",
                share=say.number(100 * one.accuracy, 2),
                right=say.number(one.right),
                total=say.number(one.total),
                test_set=outputs.plain(test_set),
            )
        )
        axes = (say("classify.called"), say("classify.is"))
        drawn = confusion_figure(one, names, axes, say.separators)
        alt = say("classify.confusion_alt", test_set=test_set)
        outputs.figure(say, drawn, f"classify-confusion-{place}", alt)
    bert = card.get("bert")
    if isinstance(bert, dict):
        name, digest = outputs.plain(str(bert.get("name"))), str(bert.get("sha256"))[:16]
        st.caption(say("classify.bert", name=name, digest=digest))

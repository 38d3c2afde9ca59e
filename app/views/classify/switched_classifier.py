"""Classify: label and log-odds with parts of the classifier switched off, and which head matters for the label."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.loaders.shelf_models import ask, ask_in_queue
from app.views.classify.chosen_classifier import EXAMPLES, label_names
from app.widgets import outputs, snippets, switched_parts
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.errors import KlyuchError
from embeddings.results.network_answers import ClassAblation
from embeddings.shelf import Entry


def show(page: PageState, entry: Entry, text: str) -> str:
    """Ask which parts are off and show the label with and without them; return the same in Python, "" where there is no answer."""
    say = page.say
    st.markdown(say("off.lead"))
    try:
        words = ask("ablated_answers.words_of_class_text", entry, text)
        layers, heads = ask("label_prediction.layers_and_heads", entry)
        parts = switched_parts.ask_parts(say, layers, heads, words)
        others = EXAMPLES.get(entry.language, EXAMPLES["en"])
        replacement = switched_parts.ask_replacement(say, others, text)
        ablation = ask_in_queue("ablated_answers.ablate_class", entry, text, parts, replacement)
        with st.spinner(say("off.running"), show_time=False):
            effects = ask_in_queue("ablated_answers.class_head_effects", entry, text, replacement)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return ""
    if not parts:
        st.info(say("off.nothing_off"))
    names = label_names(say, entry)
    _show_labels(say, ablation, names)
    title = say("off.effects_guess", token=names[effects.answer])
    switched_parts.show_effects(page, effects, title, "off.note_class", needed_is_blue=True)
    return snippets.class_ablation(entry.name, text, parts, replacement)


def _show_labels(say: Wording, ablation: ClassAblation, names: dict[str, str]) -> None:
    """Set the probabilities of all labels, and the log-odds of the first answer, next to those without the parts."""
    before, after = ablation.before, ablation.after
    label, now = before.label, after.label
    st.markdown(
        say(
            "off.class_same" if label == now else "off.class_changed",
            before=outputs.plain(names[label]),
            after=outputs.plain(names[now]),
            log_odds=say.number(ablation.before_log_odds, 3),
            left=say.number(ablation.after_log_odds, 3),
        )
    )
    columns = [say("off.class_label"), say("off.share"), say("off.left")]
    rows = [
        (names[code], share, after.probabilities[code])
        for code, share in before.probabilities.items()
    ]
    outputs.table(say, pd.DataFrame(rows, columns=columns), "switched-classes", shares=columns[1:])
    st.markdown(say("off.class_cosine", cosine=say.number(ablation.cosine, 4)))

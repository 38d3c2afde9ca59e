"""Shelf: all models in one table, what is damaged, and the choice of one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import resources
from app.views.sections import shelf_change
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from app.wording import Wording
from embeddings.library import Entry, damaged, find
from embeddings.results.shelf import ShelfModel


def show(here: Here) -> Entry:
    """Show the table and return the model that is looked at; without any the page ends here."""
    say = here.say
    _damaged(say)
    models = resources.all_models()
    if not models:
        st.info(say("shelf.empty"))
        raise outputs.Halt
    config = {
        say("shelf.size"): st.column_config.NumberColumn(format="bytes"),
        say("shelf.words"): st.column_config.NumberColumn(format="localized"),
    }
    outputs.table(say, pd.DataFrame([_row(say, model) for model in models]), "shelf", config)
    own = sum(model.own for model in models)
    counts = {"models": say.number(len(models)), "own": say.number(own)}
    st.caption(say("shelf.counted", **counts, size=amount(say, sum(m.size for m in models))))
    names = [model.name for model in models]
    first = next((m.name for m in models if m.language == here.language), names[0])
    ordered = [first, *(name for name in names if name != first)]
    return find(inputs.pick(say, "shelf_model", ordered, {name: name for name in names}))


def amount(say: Wording, size: float) -> str:
    """Return bytes as kB, MB or GB."""
    for unit, bytes_each in (("giga", 1e9), ("mega", 1e6)):
        if size >= bytes_each:
            return say(f"shelf.size_{unit}", value=say.number(size / bytes_each, 1))
    return say("shelf.size_kilo", value=say.number(size / 1e3, 1))


def method(say: Wording, name: str) -> str:
    """Return a method's name as it is written: BERT, Skip-gram."""
    return say.get(f"method.{name}", name.upper() if name in {"bert", "albert"} else name)


def _row(say: Wording, model: ShelfModel) -> dict[str, object]:
    """One line of the table."""
    return {
        say("shelf.name"): model.name,
        say("shelf.whose"): say("shelf.own" if model.own else "shelf.shipped"),
        say("shelf.kind"): say.get(f"shelf.kind_{model.kind}", model.kind),
        say("shelf.method"): method(say, model.method),
        say("shelf.language"): model.language,
        say("shelf.words"): model.words,
        say("shelf.vector_size"): model.vector_size,
        say("shelf.size"): model.size,
        say("shelf.corpus"): model.corpus,
        say("shelf.licence"): model.licence,
        say("shelf.created"): model.created,
    }


def _damaged(say: Wording) -> None:
    """Say which folders cannot be used, and offer to delete those of the person's own."""
    for one in damaged():
        st.warning(
            outputs.plain(say("shelf.damaged", name=one.name, reason=one.reason)),
            icon=":material/warning:",
        )
        if one.own:
            shelf_change.ask_delete(say, one.name, key=f"damaged-{one.name}")

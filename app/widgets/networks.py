"""Choosing a network: the BERTs and ALBERTs on the shelf."""

from __future__ import annotations

import streamlit as st

from app import resources
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings.library import Entry


def pick(say: Wording, key: str = "network") -> Entry:
    """Let a network be chosen; without one on the shelf the page ends with the way to get one."""
    entries = {entry.name: entry for entry in resources.networks()}
    if not entries:
        st.info(say("network.none"))
        raise outputs.Halt
    if len(entries) == 1:
        return next(iter(entries.values()))
    names = sorted(entries, key=lambda name: (entries[name].method != "bert", name))
    return entries[inputs.pick(say, key, names, {name: name for name in names})]

"""The sentences that ship, among a user's concordances: what they are called on a page, and what they are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import streamlit as st

from app.wording import Wording
from embeddings.shelf.locations import find_concordance, sample_concordance, sample_name


def corpus_labels(say: Wording, names: Iterable[str], language: str) -> dict[str, str]:
    """Return what each concordance is called: the one that ships by its kind, others by their names."""
    labels = {name: name for name in names}
    sample = sample_name(language)
    if sample in labels and find_concordance(sample) == sample_concordance(sample):
        labels[sample] = say("sample_sentences.name")
    return labels


def say_if_sample(say: Wording, path: Path) -> bool:
    """Say of a concordance that ships whose sentences it holds; return whether it is one."""
    is_sample = path == sample_concordance(path.stem)
    if is_sample:
        st.caption(say("sample_sentences.note"))
    return is_sample

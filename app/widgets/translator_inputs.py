"""Translate: which translator, which other one to compare, what sentence, how wide a beam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app.loaders import shelf_models, translation_answers
from app.widgets import inputs, outputs
from app.wording import Wording
from embeddings import shelf
from embeddings.errors import KlyuchError
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator

EXAMPLES = {  # of the language that is translated from
    "en": (
        "Two children are playing with a red ball in the park.",
        "I try to understand the Transformer architecture.",
        "A woman in a yellow jacket is riding her bicycle through the snow.",
        "The old man who is sitting on the bench is reading a newspaper.",
    ),
    "de": ("Die Wohnung wurde im vergangenen Jahr umfassend renoviert.",),
}
COMMANDS = """klyuch translation train train.en train.de val.en val.de --run runs/en-de
klyuch models import runs/en-de/model --name en-de"""


def translators(say: Wording) -> list[Entry]:
    """Return the translators on the shelf, those that ship first; without one the page ends with the way to get one."""
    entries = sorted(
        shelf_models.translators(), key=lambda e: (shelf.is_own(e), _is_fused(e), e.name)
    )
    if not entries:
        st.info(say("translate.none"))
        st.code(COMMANDS, language="sh")
        raise outputs.Halt
    return entries


def models(say: Wording, entries: Sequence[Entry]) -> tuple[Entry, Entry | None]:
    """Let a translator be chosen, and next to it one of the other kind, plain or fused, if there is one."""
    by_name = {model.name: model for model in entries}
    entry = by_name[inputs.pick_model(say, "translate_model", list(by_name))]
    others = (
        model
        for model in entries
        if _is_fused(model) != _is_fused(entry) and model.language == entry.language
    )
    other = next(others, None)
    if other is not None and not inputs.switch(say, "translate_beside", default=True):
        other = None
    return entry, other


def ask(say: Wording, entry: Entry, shown: DeltaGenerator) -> str:
    """Ask for a sentence, examples in ``shown``; of a text that the translator cannot read whole, for one of its sentences."""
    examples = EXAMPLES.get(entry.language.partition("-")[0], EXAMPLES["en"])
    text = inputs.line(say, "translate_text", examples[0])
    with shown:
        inputs.examples(say, "translate_text", examples)
    if not text:
        st.info(say("translate.empty"))
        raise outputs.Halt
    try:
        parts = translation_answers.parts(entry, text)
    except KlyuchError as error:
        outputs.refuse(say, error)
        raise outputs.Halt from error
    if len(parts) == 1:
        return parts[0]
    numbers = [str(number) for number in range(1, len(parts) + 1)]
    labels = {number: f"{number}. {part}" for number, part in zip(numbers, parts, strict=True)}
    return parts[int(inputs.pick(say, "translate_part", numbers, labels)) - 1]


def beam(say: Wording) -> int:
    """Ask how many hypotheses the beam keeps."""
    return inputs.number(say, "translate_width", 5, 1, 10)


def _is_fused(entry: Entry) -> bool:
    """Whether BERT is fused into a translator."""
    return entry.method == "bert-fused"

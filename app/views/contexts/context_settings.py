"""Contexts: settings that few people change: colours, number of senses, network, what a point is, how senses are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.loaders import shelf_models
from app.views.contexts import sense_bench
from app.views.contexts.chosen_contexts import ChosenContexts
from app.widgets import inputs, network_inputs
from app.widgets.frame import PageState
from embeddings.results.sentence_answers import INDUCTION_METHODS, VECTORS
from embeddings.shelf import Entry

if TYPE_CHECKING:
    from app.streamlit_private import DeltaGenerator


@dataclass(frozen=True)
class ContextSettings:
    """How contexts are read, grouped and shown; ``static`` is the companion model, None without one."""

    network: Entry
    static: Entry | None
    vector: str
    induction: str
    colour: str
    number: str
    centred: bool


def ask(page: PageState, chosen: ChosenContexts, place: DeltaGenerator) -> ContextSettings:
    """Ask for the settings in ``place``, a closed popover."""
    say = page.say
    static = shelf_models.companion(page.language)
    vectors = VECTORS if static else VECTORS[1:]
    colours = ("found", "marked", "form") if chosen.is_annotated else ("found", "form")
    with place:
        number = sense_bench.choose_number(page)
        vector = inputs.choice(say, "contexts_vector", vectors, "word")
        colour = inputs.choice(say, "contexts_colour", colours)
        induction = inputs.choice(say, "contexts_by", INDUCTION_METHODS)
        cosine = inputs.choice(say, "contexts_cosine", ("plain", "centred"))
        network = network_inputs.pick_network(page)
    return ContextSettings(network, static, vector, induction, colour, number, cosine == "centred")

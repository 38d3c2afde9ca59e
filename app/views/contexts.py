import numpy as np
import streamlit as st

from app import context_resources
from app.views.sections import (
    contexts_groups,
    contexts_map,
    contexts_matrix,
    contexts_near,
    contexts_senses,
    contexts_sentences,
)
from app.widgets import frame, inputs, networks, outputs, snippets
from embeddings.errors import KlyuchError

here = frame.here()
say = here.say
outputs.heading(here, "contexts", on_vectors=False)
entry = networks.pick(say)
asked = contexts_sentences.ask(here)
try:
    with st.spinner(say("contexts.running"), show_time=False):
        states = context_resources.states(entry, asked.occurrences)
        maps = context_resources.maps(entry, asked.occurrences)
        context_resources.baseline(entry, here.language)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
contexts_map.warn(here, asked, states)
marked = all(context.gold for context in asked.contexts)
with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
    ways = ("marked", "found", "form") if marked else ("found", "form")
    colour = inputs.choice(say, "contexts_colour", ways)
    by = inputs.choice(say, "contexts_by", ("around", "inside"))
    centred = inputs.choice(say, "contexts_cosine", ("plain", "centred")) == "centred"
best = contexts_groups.best_layer(here, entry, asked, states.layers)
layer = contexts_map.layer_of(here, best, states.layers)
found = contexts_groups.find(here, entry, asked, by, layer)
groups = contexts_groups.groups_of(here, asked, found, colour)
sweep = contexts_groups.sweep_of(here, entry, asked, groups, colour == "marked")
marks = contexts_groups.marks(here, asked, groups, np.asarray(states.truncated))
selected = contexts_map.show(here, asked, maps, marks, layer)
contexts_matrix.numbers(here, sweep, layer)
contexts_map.coordinates(here, asked, {say("contexts.group"): groups}, maps[layer])
contexts_map.by_layer(here, asked, maps, marks, sweep, centred)
contexts_senses.show(here, asked, found)
contexts_matrix.show(here, entry, asked, groups, layer, centred)
row = contexts_near.show(here, entry, asked, selected)
outputs.explain(
    say,
    "contexts",
    r"h_l(w) = \frac{1}{|T_w|} \sum_{t \in T_w} h_{l,t}, \qquad"
    r" \cos(x, y) = \frac{x \cdot y}{\lVert x \rVert \, \lVert y \rVert}",
    r"b_l = \operatorname{mean}_{i \ne j} \cos(x_i, x_j)\ \text{(random words)}, \qquad"
    r" \cos_{\text{centred}}(x, y) = \cos(x - m_l,\; y - m_l)",
    r"s_i = \frac{b_i - a_i}{\max(a_i, b_i)}, \qquad"
    r" \text{ARI} = \frac{\text{RI} - \mathbb{E}[\text{RI}]}{\max \text{RI} - \mathbb{E}[\text{RI}]}",
)
code = snippets.contexts(entry.name, asked.occurrences, here.language, layer)
cited = [f"layer {layer}", f"{len(asked.contexts)} contexts of {asked.word}", f"senses by {by}"]
outputs.take_away(here, code, (entry,), cited)

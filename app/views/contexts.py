import numpy as np
import streamlit as st

from app import context_resources, resources
from app.context_resources import AROUND, VECTORS, Question
from app.views.sections import (
    contexts_groups,
    contexts_map,
    contexts_matrix,
    contexts_near,
    contexts_senses,
    contexts_sentences,
)
from app.widgets import contexts_snippet, frame, inputs, networks, outputs
from embeddings.errors import KlyuchError

CITED = {
    "both": "the words around, in both models",
    "around": "the words around",
    "word": "the word",
    "blank": "the blank",
}

here = frame.here()
say = here.say
outputs.heading(here, "contexts", on_vectors=False)
entry = networks.pick(say)
asked = contexts_sentences.ask(here)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    static = resources.companion(here.language)
    vectors = VECTORS if static else VECTORS[1:]
    vector = inputs.choice(say, "contexts_vector", vectors)
    ways = ("marked", "found", "form") if asked.is_marked else ("found", "form")
    colour = inputs.choice(say, "contexts_colour", ways)
    by = inputs.choice(say, "contexts_by", contexts_groups.WAYS)
    centred = inputs.choice(say, "contexts_cosine", ("plain", "centred")) == "centred"
question = Question(entry, here.language, asked.contexts, vector, static)
try:
    with st.spinner(say("contexts.running"), show_time=False):
        states = context_resources.states(question)
        maps = context_resources.maps(question, asked.taught_rows)
        best = contexts_groups.best_layer(question, asked, states.layers)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
contexts_map.warn(here, asked, states)
layer = contexts_map.layer_of(here, best, states.layers)
with st.spinner(say("contexts.running"), show_time=False):
    found = contexts_groups.find(question, asked, by, layer)
    groups = contexts_groups.groups_of(here, asked, found, colour)
    sweep = contexts_groups.sweep_of(question, asked, groups, colour)
marks = contexts_groups.marks(here, asked, groups, np.asarray(states.truncated))
selected = contexts_map.show(here, asked, maps, marks, layer)
contexts_map.say_vector(here, question)
contexts_matrix.numbers(here, sweep, layer)
contexts_map.coordinates(here, asked, {say("contexts.group"): groups}, maps[layer])
contexts_map.by_layer(here, question, asked, (maps, marks, sweep), centred)
contexts_senses.show(here, asked, found)
contexts_matrix.show(here, question, asked, groups, (layer, centred))
row = contexts_near.show(here, question, asked, selected)
outputs.explain(
    say,
    "contexts",
    r"c_l = \operatorname{unit} \sum_{w} g_w \operatorname{unit}(h_l(w) - m_l), \qquad"
    r" (s,\ \tfrac{1}{2} c_l)\ \text{in both models}",
    r"h_l(w) = \frac{1}{|T_w|} \sum_{t \in T_w} h_{l,t}, \qquad"
    r" \cos(x, y) = \frac{x \cdot y}{\lVert x \rVert \, \lVert y \rVert}",
    r"b_l = \operatorname{mean}_{i \ne j} \cos(x_i, x_j)\ \text{(random words)}, \qquad"
    r" \cos_{\text{centred}}(x, y) = \cos(x - m_l,\; y - m_l)",
    r"s_i = \frac{b_i - a_i}{\max(a_i, b_i)}, \qquad"
    r" \text{ARI} = \frac{\text{RI} - \mathbb{E}[\text{RI}]}{\max \text{RI} - \mathbb{E}[\text{RI}]}",
)
shown = contexts_snippet.Shown(entry.name, vector, layer, static.name if static else "")
code = contexts_snippet.contexts(here.language, asked.contexts, shown, asked.taught_rows)
cited = [
    f"vector: {CITED[vector]}, layer {layer}",
    f"{len(asked.contexts)} contexts of {asked.word}",
]
models = (entry, static) if static and vector in AROUND else (entry,)
outputs.take_away(here, code, models, cited)

import numpy as np
import streamlit as st

from app.loaders import context_answers, shelf_models
from app.loaders.context_answers import AROUND, VECTORS, Question
from app.views.contexts import context_choice, layer_maps, one_context, sense_groups
from app.widgets import frame, inputs, network_inputs, network_snippets, outputs
from embeddings.errors import KlyuchError

CITED = {
    "both": "the words around, in both models",
    "around": "the words around",
    "word": "the word",
    "blank": "the blank",
}

page = frame.page_state()
say = page.say
outputs.heading(page, "contexts", on_vectors=False)
entry = network_inputs.pick_network(say)
asked = context_choice.ask(page)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    static = shelf_models.companion(page.language)
    vectors = VECTORS if static else VECTORS[1:]
    vector = inputs.choice(say, "contexts_vector", vectors)
    ways = ("marked", "found", "form") if asked.is_marked else ("found", "form")
    colour = inputs.choice(say, "contexts_colour", ways)
    by = inputs.choice(say, "contexts_by", sense_groups.WAYS)
    centred = inputs.choice(say, "contexts_cosine", ("plain", "centred")) == "centred"
question = Question(entry, page.language, asked.contexts, vector, static)
try:
    with st.spinner(say("contexts.running"), show_time=False):
        states = context_answers.states(question)
        maps = context_answers.maps(question, asked.taught_rows)
        best = sense_groups.best_layer(question, asked, states.layers)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
layer_maps.warn(page, asked, states)
layer = layer_maps.layer_of(page, best, states.layers)
with st.spinner(say("contexts.running"), show_time=False):
    found = sense_groups.find(question, asked, by, layer)
    groups = sense_groups.groups_of(page, asked, found, colour)
    sweep = sense_groups.sweep_of(question, asked, groups, colour)
marks = sense_groups.marks(page, asked, groups, np.asarray(states.truncated))
selected = layer_maps.show_map(page, asked, maps, marks, layer)
layer_maps.say_vector(page, question)
layer_maps.show_sweep(page, sweep, layer)
layer_maps.coordinates(page, asked, {say("contexts.group"): groups}, maps[layer])
layer_maps.by_layer(page, question, asked, (maps, marks, sweep), centred)
sense_groups.show_senses(page, asked, found)
layer_maps.show_matrix(page, question, asked, groups, (layer, centred))
row = one_context.show(page, question, asked, selected)
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
shown = network_snippets.ShownContexts(entry.name, vector, layer, static.name if static else "")
code = network_snippets.contexts(page.language, asked.contexts, shown, asked.taught_rows)
cited = [
    f"vector: {CITED[vector]}, layer {layer}",
    f"{len(asked.contexts)} contexts of {asked.word}",
]
models = (entry, static) if static and vector in AROUND else (entry,)
outputs.take_away(page, code, models, cited)

import numpy as np
import streamlit as st

from app.loaders import context_answers, shelf_models
from app.loaders.context_answers import Question
from app.views.contexts import (
    context_choice,
    layer_maps,
    one_context,
    sense_bench,
    sense_groups,
    sense_reports,
)
from app.widgets import frame, inputs, network_inputs, network_snippets, outputs
from embeddings.errors import KlyuchError
from embeddings.results.word_contexts import AROUND, INDUCTION_METHODS, VECTORS

CITED_VECTORS = {
    "both": "the words around, in both models",
    "around": "the words around",
    "word": "the word",
    "blank": "the blank",
}

page = frame.page_state()
say = page.say
outputs.heading(page, "contexts", on_vectors=False)
chosen = context_choice.choose_contexts(page)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    colourings = ("marked", "found", "form") if chosen.is_annotated else ("found", "form")
    colour = inputs.choice(say, "contexts_colour", colourings)
    number = sense_bench.choose_number(page)
more = st.expander(say("contexts.more_settings"), icon=":material/tune:")
with more, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    entry = network_inputs.pick_network(page)
    static = shelf_models.companion(page.language)
    vectors = VECTORS if static else VECTORS[1:]
    vector = inputs.choice(say, "contexts_vector", vectors)
    induction = inputs.choice(say, "contexts_by", INDUCTION_METHODS)
    centred = inputs.choice(say, "contexts_cosine", ("plain", "centred")) == "centred"
by_hand = sense_bench.is_by_hand(chosen)
question = Question(entry, page.language, chosen.contexts, vector, static)
try:
    with st.spinner(say("contexts.running"), show_time=False):
        with outputs.progress_bar(say, "contexts.reading") as report:
            context_answers.prepare(question, report)
        answer = context_answers.answer(question, chosen.attested_rows, induction)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
layer_maps.warn_about_contexts(page, chosen, answer.states)
with more:
    layer = layer_maps.choose_layer(page, answer.best_layer, answer.states.layers)
with st.spinner(say("contexts.running"), show_time=False):
    senses = sense_groups.find_senses(question, answer, layer)
    if senses.induction is not None:
        grouping = sense_bench.arrangement(chosen, senses, number)
        senses = sense_groups.name_senses(question, senses, grouping)
    groups = sense_groups.group_contexts(page, chosen, senses, colour)
    separation = sense_groups.measure_separation(question, chosen, groups, colour)
marks = sense_groups.mark_contexts(page, chosen, groups, np.asarray(answer.states.truncated))
selected = layer_maps.show_context_map(page, chosen, answer.maps, marks, layer)
layer_maps.explain_vector(page, question)
layer_maps.show_separation(page, separation, layer)
layer_maps.say_if_not_apart(page, separation, layer)
layer_maps.show_coordinates(page, chosen, {say("contexts.group"): groups}, answer.maps[layer])
sense_groups.show_senses(page, chosen, senses, by_hand=by_hand)
sense_bench.show_bench(page, chosen, senses, selected)
sense_reports.show_tree(page, chosen, senses, marks)
sense_reports.show_frequencies(page, chosen, senses, marks)
sense_reports.show_agreement(page, chosen, senses)
sense_reports.offer_files(page, chosen, senses)
layer_maps.show_all_layers(
    page,
    question,
    chosen,
    layer_maps.LayerComparison(answer.maps, marks, separation),
    centred=centred,
)
layer_maps.show_context_matrix(page, question, chosen, groups, layer, centred=centred)
row = one_context.show_one_context(page, question, chosen, selected)
outputs.explain(
    say,
    "contexts",
    r"c_l = \operatorname{unit} \sum_{w} g_w \operatorname{unit}(h_l(w) - m_l), \qquad"
    r" (v,\ \tfrac{1}{2} c_l)",
    r"h_l(w) = \frac{1}{|T_w|} \sum_{t \in T_w} h_{l,t}, \qquad"
    r" \cos(x, y) = \frac{x \cdot y}{\lVert x \rVert \, \lVert y \rVert}",
    r"r_l = \operatorname{mean}_{i \ne j} \cos(z_i, z_j), \quad \mu_l = \operatorname{mean}_i z_i, \qquad"
    r" \cos_{\mu}(x, y) = \cos(x - \mu_l,\; y - \mu_l)",
    r"s_i = \frac{b_i - a_i}{\max(a_i, b_i)}, \qquad"
    r" \text{ARI} = \frac{\text{RI} - \mathbb{E}[\text{RI}]}{\max \text{RI} - \mathbb{E}[\text{RI}]}",
)
shown = network_snippets.ShownContexts(entry.name, vector, layer, static.name if static else "")
code = network_snippets.contexts(page.language, chosen.contexts, shown, chosen.attested_rows)
settings = [
    f"vector: {CITED_VECTORS[vector]}, layer {layer}",
    f"contexts of {chosen.word}: {len(chosen.contexts)}",
]
models = (entry, static) if static and vector in AROUND else (entry,)
outputs.take_away(page, code, models, settings)

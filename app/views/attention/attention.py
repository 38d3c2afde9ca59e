from dataclasses import astuple

import streamlit as st

from app.components.attention_component import attention_view
from app.loaders import network_answers
from app.views.attention import attention_inputs, switched_off
from app.widgets import attention_heads, frame, network_inputs, network_snippets, outputs
from embeddings.errors import KlyuchError

page = frame.page_state()
say = page.say
outputs.heading(page, "attention", on_vectors=False)
entry = network_inputs.pick_network(page)
texts = attention_inputs.ask_texts(page)
if not texts[0][0]:
    st.info(say("attention.empty"))
    raise outputs.Halt
options = attention_inputs.ask_map_options(say, bool(texts[0][1]))
try:
    with st.spinner(say("attention.running"), show_time=False):
        panels = [
            network_answers.attention_panel(
                entry,
                pair,
                options.level,
                options.special,
                options.sentences if pair[1] else "all",
                options.measure,
            )
            for pair in texts
        ]
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
attention_inputs.warn_about_texts(say, [network_answers.attention(entry, *pair) for pair in texts])
view_state = attention_inputs.read_view_state(panels[0].shown)
labels = {"scale": say("attention.scale_norms")} if options.measure == "norms" else {}
attention_view(say, panels, view_state, attention_inputs.save_view_state, labels)
st.caption(say(f"attention.shown_{options.measure}"))
if panels[0].shown.shared:
    st.caption(say("attention.shared"))
attention_heads.save(page, panels, view_state)
attention_heads.show(say, panels[0])
ablation_code = switched_off.show(page, entry, texts[0])
outputs.explain(
    say,
    "attention",
    r"\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right)",
    r"R_n = \tfrac12\left(\bar A_n + I\right) R_{n-1}, \quad R_0 = I",
)
code = network_snippets.attention(
    entry.name, texts[0], astuple(options), (view_state.layer, view_state.head)
)
outputs.take_away(
    page, code + ablation_code, (entry,), attention_inputs.citation_settings(options, view_state)
)

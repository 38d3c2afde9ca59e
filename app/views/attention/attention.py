"""Attention: what each head of a network looks at."""

from dataclasses import asdict
from functools import partial

import streamlit as st

from app import shelf_models
from app.views.attention import attention_views
from app.widgets import footer, frame, network_inputs, network_parts, outputs, snippets, views
from embeddings.verbs import NetworkVerbs

page = frame.page_state()
say = page.say
outputs.heading(page, "attention", on_vectors=False)
text, more = network_inputs.ask_sentences(page, "attention")
with more:
    entry = network_inputs.pick_network(page)
if not text[0]:
    outputs.end(say("attention.empty"))
view = views.open_view(page)
ablation_code = ""
if view == "off":
    with outputs.refusals_said(say):
        ablation_code = attention_views.show_switched_off(page, entry, text)
with more:
    texts = attention_views.ask_compared(page, text)
    options = attention_views.ask_map_options(say, bool(text[1]))
with st.spinner(say("attention.running"), show_time=False):
    panels = [attention_views.attention_panel(entry, pair, **asdict(options)) for pair in texts]
for pair in texts:
    attention_views.warn_about_text(say, shelf_models.ask(NetworkVerbs.attention, entry, *pair))
panel = panels[0]
view_state = attention_views.read_view_state(panel.shown)
settings = attention_views.citation_settings(options, view_state)
if view == "heads":
    labels = {"scale": say("attention.scale_norms")} if options.measure == "norms" else {}
    source = footer.source_of(say, (entry,), settings)
    title = say("attention.title")
    network_parts.show_attention_view(say, "attention", panels, view_state, title, labels, source)
    st.caption(say(f"attention.shown_{options.measure}"))
    if panel.shown.shared:
        st.caption(say("attention.shared"))
    outputs.lazy_expander(
        say,
        "attention_table.title",
        "attention-heads",
        ":material/table_rows:",
        partial(network_parts.show, say, panel),
    )
elif view == "word":
    attention_views.show_in_all_heads(page, panel, view_state)
code = ablation_code or snippets.code(
    "attention",
    model=entry.name,
    texts=snippets.Code(", ".join(map(repr, filter(None, text)))),
    layer=view_state.layer,
    head=view_state.head,
    options=snippets.options(measure=options.measure if options.measure != "weights" else ""),
    **asdict(options),
)
footer.draw_footer(page, "attention", code=code, entries=(entry,), settings=settings)

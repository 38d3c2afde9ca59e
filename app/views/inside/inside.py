from typing import Any

import streamlit as st

from app.views.inside.array_cells import Half, choose_step, show_step
from app.views.inside.decoder_steps import DECODER
from app.views.inside.encoder_steps import ENCODER
from app.widgets import footer, frame, inputs, network_inputs, outputs, snippets
from app.wording import first_texts, wording

page = frame.page_state()
say = page.say
outputs.heading(page, "inside", on_vectors=False)
with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
    is_decoder = inputs.choice(say, "inside_half", ("encoder", "decoder")) == "decoder"
    if is_decoder:
        entry = inputs.pick_model(say, "decoder_model", network_inputs.translators(say))
        example = first_texts(entry.language.partition("-")[0], "decoded")[0]
    else:
        entry, example = network_inputs.pick_network(page), wording(page.language)("inside.example")
half: Half[Any] = DECODER if is_decoder else ENCODER
text = inputs.line(say, f"{half.name}_text", example)
if not text:
    outputs.end(say("inside.empty"))
step, view = choose_step(page, half, entry, text)
if is_decoder:
    walk = view.walk
    pair = {"source": outputs.plain(walk.source), "target": outputs.plain(walk.target)}
    st.markdown(say("decoder.pair", **pair))
show_step(half, step, view)
layer, head = view.walk.layer, view.walk.head
code = snippets.code(half.name, model=entry.name, text=text, layer=layer, head=head)
settings = [f"layer {layer}", f"head {head}", *(["greedy"] if is_decoder else [])]
footer.draw_footer(page, half.name, code=code, entries=(entry,), settings=settings)

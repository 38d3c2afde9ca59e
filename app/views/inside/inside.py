import streamlit as st

from app.views.inside import decoder_steps, encoder_steps
from app.widgets import footer, frame, inputs, outputs

page = frame.page_state()
say = page.say
outputs.heading(page, "inside", on_vectors=False)
row = st.container(horizontal=True, vertical_alignment="top", gap="medium")
with row:
    half = inputs.choice(say, "inside_half", ("encoder", "decoder"))
show_half = decoder_steps.show_decoder if half == "decoder" else encoder_steps.show_encoder
entry, code, settings = show_half(page, row)
key = "decoder" if half == "decoder" else "inside"
footer.draw_footer(page, key, code=code, entries=(entry,), settings=settings)

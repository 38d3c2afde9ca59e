import streamlit as st

from app.views.inside import decoder_steps, encoder_steps
from app.widgets import frame, inputs, outputs

here = frame.here()
say = here.say
outputs.heading(here, "inside", on_vectors=False)
half = inputs.choice(say, "inside_half", ("encoder", "decoder"))
st.caption(say(f"inside_half.about_{half}"))
shown = decoder_steps if half == "decoder" else encoder_steps
entry, code, settings = shown.page(here)
outputs.explain(say, "decoder" if half == "decoder" else "inside")
outputs.take_away(here, code, (entry,), settings)

import streamlit as st

from app.views.sections import (
    translate_attention,
    translate_beam,
    translate_said,
    translate_scores,
    translate_steps,
    translate_text,
)
from app.widgets import frame, network_snippets, outputs

here = frame.here()
say = here.say
outputs.heading(here, "translate", on_vectors=False)
entry, other = translate_text.models(say)
text = translate_text.ask(say, entry)
beam = translate_text.beam(say)
with st.spinner(say("translate.running"), show_time=False):
    shown = translate_said.show(say, [one for one in (entry, other) if one], text, beam)
found = shown[entry]
translate_steps.show(say, found)
translate_beam.show(say, found, beam)
at = translate_attention.show(here, entry, shown, (text, beam))
translate_scores.show(say, list(shown))
outputs.explain(
    say,
    "translate",
    r"\tilde s_t = \tfrac12\big(\mathrm{attn}_B(\hat s_t, H_B, H_B)"
    r" + \mathrm{attn}_E(\hat s_t, H_E, H_E)\big)",
    r"\frac{\log p(y \mid x)}{\big((5 + |y|)/6\big)^{\alpha}}, \quad \alpha = 1",
)
code = network_snippets.translate(text, beam, at)
settings = [f"beam {beam}", "length penalty 1.0", f"text {text!r}"]
outputs.take_away(here, code, list(shown), settings)

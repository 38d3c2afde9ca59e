import streamlit as st

from app.views.translate import beam_steps, translation_attention, translator_outputs
from app.widgets import frame, network_snippets, outputs, translator_inputs

page = frame.page_state()
say = page.say
outputs.heading(page, "translate", on_vectors=False)
entry, other = translator_inputs.models(say)
text = translator_inputs.ask(say, entry)
beam = translator_inputs.beam(say)
with st.spinner(say("translate.running"), show_time=False):
    shown = translator_outputs.show_translations(
        say, [one for one in (entry, other) if one], text, beam
    )
found = shown[entry]
beam_steps.show_steps(say, found)
beam_steps.show_beam(say, found, beam)
at = translation_attention.show(page, entry, shown, (text, beam))
translator_outputs.show_scores(say, list(shown))
outputs.explain(
    say,
    "translate",
    r"\tilde s_t = \tfrac12\big(\mathrm{attn}_B(\hat s_t, H_B, H_B)"
    r" + \mathrm{attn}_E(\hat s_t, H_E, H_E)\big)",
    r"\frac{\log p(y \mid x)}{\big((5 + |y|)/6\big)^{\alpha}}, \quad \alpha = 1",
)
code = network_snippets.translate(text, beam, at)
settings = [f"beam {beam}", "length penalty 1.0", f"text {text!r}"]
outputs.take_away(page, code, list(shown), settings)

import streamlit as st

from app.views.translate import (
    beam_steps,
    moved_translation,
    switched_heads,
    translation_attention,
    translator_outputs,
)
from app.widgets import frame, network_snippets, outputs, translator_inputs

page = frame.page_state()
say = page.say
outputs.heading(page, "translate", on_vectors=False)
entry, other = translator_inputs.models(say)
text = translator_inputs.ask(say, entry)
beam = translator_inputs.beam(say)
with st.spinner(say("translate.running"), show_time=False):
    translations = translator_outputs.show_translations(
        say, [translator for translator in (entry, other) if translator], text, beam
    )
translation = translations[entry]
beam_steps.show_decoding_steps(say, translation)
beam_steps.show_beam_tree(say, translation, beam)
is_attributed = moved_translation.show_moved_translation(say, entry, text, beam)
attended = translation_attention.show_attention(page, entry, translations, text, beam)
ablation_code = switched_heads.show(page, entry, text, beam, needed_is_blue=True)
translator_outputs.show_bleu(say, list(translations))
outputs.explain(
    say,
    "translate",
    r"\tilde s_t = \tfrac12\big(\mathrm{attn}_B(\hat s_t, H_B, H_B)"
    r" + \mathrm{attn}_E(\hat s_t, H_E, H_E)\big)",
    r"\frac{\log p(y \mid x)}{\big((5 + |y|)/6\big)^{\alpha}}, \quad \alpha = 1",
)
code = network_snippets.translate(text, beam, attended)
if is_attributed:
    code += network_snippets.translation_attribution(entry.name, text, beam)
settings = [f"beam {beam}", "length penalty 1.0", f"text {text!r}"]
outputs.take_away(page, code + ablation_code, list(translations), settings)

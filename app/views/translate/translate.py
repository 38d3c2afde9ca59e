import streamlit as st

from app.views.translate import translation_views
from app.widgets import footer, frame, network_inputs, outputs, snippets, views

page = frame.page_state()
say = page.say
outputs.heading(page, "translate", on_vectors=False)
translators = network_inputs.translators(say)
field, shown, more = network_inputs.sentence_row(
    say, network_inputs.EXAMPLES, network_inputs.MORE_SETTINGS
)
with more:
    entry, other = network_inputs.models(say, translators)
with field:
    text = network_inputs.ask_text_to_translate(say, entry, shown)
view = views.open_view(page)
with more:
    beam = network_inputs.beam(say)
with st.spinner(say("translate.running"), show_time=False):
    translations = translation_views.show_translations(
        say, [translator for translator in (entry, other) if translator], text, beam
    )
translation = translations[entry]
settings = [f"beam {beam}", "length penalty 1.0", f"text {text!r}"]
code = snippets.code("translate", model=entry.name, text=text, beam=beam)
if view == "step":
    translation_views.show_decoding_steps(say, translation)
elif view == "beam":
    translation_views.show_beam_tree(say, translation, beam)
elif view == "heads":
    source = footer.source_of(say, list(translations), settings)
    code = translation_views.show_attention(say, entry, translations, (text, beam), source) or code
elif view == "moved":
    with outputs.refusals_said(say):
        code = translation_views.show_moved_translation(say, entry, text, beam)
elif view == "off":
    with outputs.refusals_said(say):
        code = translation_views.show_switched_off(page, entry, text, beam)
else:
    translation_views.show_bleu(say, list(translations))
footer.draw_footer(page, "translate", code=code, entries=list(translations), settings=settings)

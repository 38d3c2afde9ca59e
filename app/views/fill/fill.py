from typing import Any

import streamlit as st

from app.shelf_models import ask
from app.views.fill import blank_answers
from app.widgets import footer, frame, inputs, network_inputs, outputs, snippets, views
from embeddings import shelf
from embeddings.verbs import NetworkVerbs

page = frame.page_state()
say = page.say
outputs.heading(page, "fill", on_vectors=False)
sentence, more = blank_answers.ask_masked_sentence(page)
with more:
    only_words = inputs.switch(say, "fill_words", default=True)
    entry = network_inputs.pick_network(page)
if sentence is None:
    outputs.end(say("fill.empty"))
view = views.open_view(page)
lens = network_inputs.choose_lens(say, entry) if view == "layers" else None
filled = ask(
    NetworkVerbs.fill,
    entry,
    sentence.text,
    second=sentence.second,
    words=sentence.masked_words,
    only_words=only_words,
    lens=lens,
)
if unknown := sentence.met_as_unknown(filled.unknown):
    words = say.list(unknown)
    st.warning(outputs.plain(say("attention.unknown", words=words)))
guess: dict[str, Any] = {}
if view == "moved":
    with outputs.refusals_said(say):
        guess = blank_answers.show_moved_guess(say, entry, sentence, filled)
else:
    blank_answers.show_blanks(page, sentence, filled, by_layer=view == "layers")
if view == "layers":
    network_inputs.show_agreement(say, entry)
if not shelf.is_own(entry):
    st.caption(say("fill.small"))
code = snippets.code(
    "fill",
    model=entry.name,
    text=sentence.text,
    only_words=only_words,
    options=snippets.options(
        second=sentence.second,
        words=list(sentence.masked_words),
        lens=snippets.LENS if lens is not None else "",
    ),
)
if guess:
    given = snippets.options(**guess, second=sentence.second)
    code += snippets.code("guess_attribution", text=sentence.text, options=given)
settings = [f"text {sentence.text!r}"]
footer.draw_footer(page, "fill", code=code, entries=(entry,), settings=settings)

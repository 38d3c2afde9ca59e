import streamlit as st

from app import network_resources
from app.views.sections import fill_answers, fill_sentence
from app.widgets import frame, inputs, network_snippets, networks, outputs
from embeddings.errors import KlyuchError

here = frame.here()
say = here.say
outputs.heading(here, "fill", on_vectors=False)
entry = networks.pick(say)
asked = fill_sentence.ask(here)
if asked is None:
    st.info(say("fill.empty"))
    raise outputs.Halt
only_words = inputs.switch(say, "fill_words", default=True)
try:
    found = network_resources.filled(entry, asked.text, asked.second, asked.words, only_words)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
if unknown := asked.seen(found.unknown):
    words = ", ".join(unknown)
    st.warning(outputs.plain(say("attention.unknown", words=words)))
for number, mask in enumerate(found.masks, 1):
    fill_answers.show(say, asked, mask, number, len(found.masks))
outputs.explain(
    say,
    "fill",
    r"p(v) = \mathrm{softmax}\big(W\, t(h)\big)_v, \qquad"
    r" p_l(v) = \mathrm{softmax}\big(W\, t(h_l)\big)_v",
)
code = network_snippets.fill(entry.name, asked.text, asked.second, asked.words, only_words)
outputs.take_away(here, code, (entry,), [f"text {asked.text!r}"])

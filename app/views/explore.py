import streamlit as st

from app import resources
from app.views.sections import listed, neighbours, pairs, word_map
from app.widgets import frame, inputs, outputs, snippets

here = frame.here()
say = here.say
outputs.heading(here, "explore")
examples = here.examples["words"].split(" | ")
text = inputs.line(say, "word", examples[0])
inputs.examples(say, "word", examples)
words = (text,) if text in resources.vectors(here.entries[0]) else inputs.split_list(text)
if not words:
    st.info(say("explore.empty"))
    st.stop()
if len(words) == 1:
    named, asked = neighbours.show(here, words[0])
    code = snippets.neighbours(here.entries[0].name, words[0], asked, tuple(named))
else:
    named = listed.show(here, words)
    code = snippets.listed(here.entries[0].name, tuple(named))
if named:
    word_map.show(here, named, words[:1] if len(words) == 1 else ())
pairs.show(here)
outputs.take_away(here, code, here.entries)

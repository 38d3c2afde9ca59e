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
    raise outputs.Halt
models, state = [entry.name for entry in here.entries], st.session_state
asked: dict[str, object] = {}
if len(words) == 1:
    named, asked = neighbours.show(here, words[0])
else:
    named = listed.show(here, words)
drawn = snippets.Map(models[0], ())
if named:
    word_map.show(here, named, words[:1] if len(words) == 1 else ())
    table = resources.vectors(next(e for e in here.entries if e.name == state["space"]))
    drawn = snippets.Map(
        state["space"],
        tuple(table.words[table.row(word)] for word in named if word in table),
        state["method_map"],
        int(state["dim"]),
        state.get("fit", "shown"),
        state.get("standardize", True),
    )
pairs.show(here)
if len(words) == 1:
    code = snippets.neighbours(models, words[0], asked, drawn)
else:
    code = snippets.listed(models, state.get("cells", models[0]), tuple(named), drawn)
cited = [f"{name} {value}" for name, value in asked.items() if value]
outputs.take_away(here, code, here.entries, [*cited, *filter(None, [drawn.cited()])])

import streamlit as st

from app.loaders import shelf_models
from app.views.explore import nearest_words, word_list, word_pairs, words_on_map
from app.widgets import frame, inputs, outputs, vector_snippets

page = frame.page_state()
say = page.say
outputs.heading(page, "explore")
examples = page.examples["words"].split(" | ")
text = inputs.line(say, "word", examples[0])
inputs.examples(say, "word", examples)
words = (text,) if text in shelf_models.vectors(page.entries[0]) else inputs.split_list(text)
if not words:
    st.info(say("explore.empty"))
    raise outputs.Halt
models, state = [entry.name for entry in page.entries], st.session_state
asked: dict[str, object] = {}
if len(words) == 1:
    named, asked = nearest_words.show(page, words[0])
else:
    named = word_list.show(page, words)
drawn = vector_snippets.Map(models[0], ())
if named:
    words_on_map.show_map(page, named, words[:1] if len(words) == 1 else ())
    table = shelf_models.vectors(next(e for e in page.entries if e.name == state["space"]))
    drawn = vector_snippets.Map(
        state["space"],
        tuple(table.words[table.row(word)] for word in named if word in table),
        state["method_map"],
        int(state["dim"]),
        state.get("fit", "shown"),
        state.get("standardize", True),
    )
word_pairs.show_pairs(page)
if len(words) == 1:
    code = vector_snippets.neighbours(models, words[0], asked, drawn)
else:
    code = vector_snippets.listed(models, state.get("cells", models[0]), tuple(named), drawn)
cited = [f"{name} {value}" for name, value in asked.items() if value]
outputs.take_away(page, code, page.entries, [*cited, *filter(None, [drawn.cited()])])

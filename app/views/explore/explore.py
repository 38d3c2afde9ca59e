import streamlit as st

from app.loaders import shelf_models, vocabulary_maps
from app.views.explore import (
    former_addresses,
    long_list,
    nearest_words,
    whole_vocabulary,
    word_list,
    word_senses,
    word_sentences,
    words_on_map,
)
from app.widgets import frame, inputs, outputs, tour, typeahead, vector_snippets, why_near
from app.widgets.model_refusals import warn_of_weak_vectors

page = frame.page_state()
say = page.say
former_addresses.lead_on(page)
tour.draw(page)
outputs.heading(page, "explore")
warn_of_weak_vectors(page)
examples = page.examples["words"].split(" | ")
text = inputs.line(say, "word", examples[0])
typeahead.offer_words(page, "word")
inputs.examples(say, "word", examples)
long_words = long_list.ask_long_list(page)
words = long_words or word_list.read_words(page, text)
if not words:
    st.info(say("explore.empty"))
    raise outputs.Halt
state = st.session_state
filters: dict[str, object] = {}
if len(words) == 1:
    models_by_word, filters = nearest_words.show_neighbours(page, words[0])
    on_map = word_senses.show_senses(page, words[0]) if models_by_word else {}
    why_near.show_why(page, {words[0]: list(models_by_word)[1:]})
    word_sentences.show_sentences(page, words[0])
    models_by_word |= {near: on_map[near] for near in on_map if near not in models_by_word}
else:
    models_by_word = word_list.show_word_list(page, words)
models = [entry.name for entry in page.entries if word_list.answers(entry, words)]
map_snippet = vector_snippets.Map(models[0] if models else "", ())
if models_by_word:
    words_on_map.show_word_map(page, models_by_word, words[:1] if len(words) == 1 else ())
    drawn = next(candidate for candidate in page.entries if candidate.name == state["space"])
    table = shelf_models.vectors_with_senses(drawn, models_by_word)
    map_snippet = vector_snippets.Map(
        state["space"],
        tuple(table.words[table.row(word)] for word in models_by_word if word in table),
        state["method_map"],
        int(state["dim"]),
        state.get("fit", "shown"),
        state.get("standardize", True),
    )
whole_vocabulary.show_vocabulary(page)
vocabulary_maps.warm_umap()
if not models:  # no model knows the word: there is nothing to reproduce
    raise outputs.Halt
if len(words) == 1:
    code = vector_snippets.neighbours(models, words[0], filters, map_snippet)
else:
    code = vector_snippets.listed(models, tuple(models_by_word), map_snippet)
settings = [f"{name} {value}" for name, value in filters.items() if value]
answering = [entry for entry in page.entries if entry.name in models]
outputs.take_away(page, code, answering, [*settings, *filter(None, [map_snippet.cited()])])

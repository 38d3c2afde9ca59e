import streamlit as st

from app.views.explore import nearest_words, word_list, word_uses, words_on_map
from app.widgets import address, frame, inputs, outputs, views
from app.widgets.model_answers import warn_of_weak_vectors

page = frame.page_state()
say = page.say
word_list.lead_on(page)
views.draw_tour(page)
outputs.heading(page, "explore", models=False)
warn_of_weak_vectors(page)
examples = page.examples["words"].split(" | ")
with st.container(horizontal=True, vertical_alignment="top"):
    with st.container(width=320, gap=None):
        text = inputs.line(say, "word", examples[0])
        inputs.offer_words(page, "word")
    frame.choose_models(page)
with st.container(horizontal=True, vertical_alignment="center"):
    inputs.examples(say, "word", examples)
    word_list.ask_long_list(page)
words = word_list.taken_list(page) or word_list.read_words(page, text)
if not words:
    outputs.end(say("explore.empty"))
with st.container(horizontal=True, vertical_alignment="center"):
    without = words_on_map.VIEWS_OF_ONE_WORD if len(words) > 1 else ()
    view = views.open_view(page, without, word_list.former(page))
    more = st.container()
    if view != "senses":
        more = st.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary")
if view == "senses":
    word_uses.show_senses(page, words[0])
elif view == "sentences":
    word_uses.show_sentences(page, words[0], more)
elif view == "map" and address.keep("vocabulary_shown", default=False):
    words_on_map.show_vocabulary(page)
elif len(words) > 1:
    listed = word_list.list_words(page, words)
    if view == "map":
        words_on_map.show_word_map(page, listed, more)
    else:
        word_list.show_word_list(page, listed, more)
else:
    near = nearest_words.find_neighbours(page, words[0], more)
    if view == "neighbours":
        nearest_words.show_neighbours(page, near, more)
    elif view == "map":
        senses = word_uses.on_map(page, near.word)
        words_on_map.show_word_map(page, near.mapped(senses), more)
    elif view == "why":
        nearest_words.show_why_near(page, near)
    else:
        nearest_words.show_reliability(page, near)
if view == "map":
    inputs.switch(say, "vocabulary_shown")

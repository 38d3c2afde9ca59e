import streamlit as st

from app.loaders.shelf_models import ask
from app.views.fill import blank_answers, moved_guess
from app.widgets import frame, inputs, network_inputs, network_snippets, outputs
from embeddings.errors import KlyuchError

page = frame.page_state()
say = page.say
outputs.heading(page, "fill", on_vectors=False)
entry = network_inputs.pick_network(page)
sentence = blank_answers.ask_masked_sentence(page)
if sentence is None:
    st.info(say("fill.empty"))
    raise outputs.Halt
only_words = inputs.switch(say, "fill_words", default=True)
try:
    filled = ask(
        "fill_mask.fill",
        entry,
        sentence.text,
        20,
        second=sentence.second,
        words=sentence.masked_words,
        only_words=only_words,
    )
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
if unknown := sentence.met_as_unknown(filled.unknown):
    words = say.list(unknown)
    st.warning(outputs.plain(say("attention.unknown", words=words)))
for number, mask in enumerate(filled.masks, 1):
    blank_answers.show_blank(page, sentence, mask, number, len(filled.masks))
guess = moved_guess.show_moved_guess(say, entry, sentence, filled)
outputs.explain(
    say,
    "fill",
    r"p(v) = \mathrm{softmax}\big(W\, t(h)\big)_v, \qquad"
    r" p_l(v) = \mathrm{softmax}\big(W\, t(h_l)\big)_v",
)
code = network_snippets.fill(
    entry.name, sentence.text, sentence.second, sentence.masked_words, only_words
)
if guess is not None:
    code += network_snippets.guess_attribution(
        sentence.text, sentence.second, guess.blank, guess.word, guess.token
    )
outputs.take_away(page, code, (entry,), [f"text {sentence.text!r}"])

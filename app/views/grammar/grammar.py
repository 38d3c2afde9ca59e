import streamlit as st

from app.loaders.shelf_models import ask
from app.views.grammar import benchmark_accuracy, score_sections, sentence_pair
from app.widgets import frame, network_inputs, network_snippets, outputs
from embeddings.errors import KlyuchError

page = frame.page_state()
say = page.say
outputs.heading(page, "grammar", on_vectors=False)
entry = network_inputs.pick_network(page)
texts = sentence_pair.ask(page)
if not all(texts):
    st.info(say("grammar.empty"))
    raise outputs.Halt
try:
    scores = ask("sentence_scoring.score_sentences", entry, texts)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
score_sections.show_verdict(say, scores)
score_sections.show_tokens(say, scores)
score_sections.show_layers(say, scores)
score_sections.show_table(say, scores)
benchmark_accuracy.show(page)
outputs.explain(
    say,
    "grammar",
    r"\mathrm{PLL}(s) = \sum_{t=1}^{|s|} \log p\big(s_t \mid s_{\setminus t}\big), \qquad"
    r" \frac{1}{|s|}\,\mathrm{PLL}(s)",
)
code = network_snippets.grammar(entry.name, texts)
outputs.take_away(page, code, (entry,), [f"sentences {texts[0]!r} / {texts[1]!r}"])

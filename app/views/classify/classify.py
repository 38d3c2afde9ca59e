import streamlit as st

from app.views.classify import chosen_classifier, moved_words, switched_classifier
from app.widgets import frame, network_snippets, outputs

page = frame.page_state()
say = page.say
outputs.heading(page, "classify", on_vectors=False)
entry = chosen_classifier.choose_classifier(say)
text = chosen_classifier.ask_classified_text(say, entry)
with st.spinner(say("classify.running"), show_time=False):
    label = chosen_classifier.show_prediction(say, entry, text)
moved_words.show_moved_words(say, entry, text, label)
ablation_code = switched_classifier.show(page, entry, text)
chosen_classifier.show_classifier_scores(say, entry)
outputs.explain(
    say,
    "classify",
    r"\mathrm{logit}(p) = \log\frac{p}{1-p} = F(x')"
    r" + \sum_i (x_i - x'_i) \cdot \int_0^1 \nabla_i F\big(x' + \alpha (x - x')\big)\, d\alpha",
)
code = network_snippets.classify(entry.name, text, label)
settings = [f"label {label}", f"text {text!r}"]
outputs.take_away(page, code + ablation_code, [entry], settings)

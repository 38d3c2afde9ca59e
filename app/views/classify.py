import streamlit as st

from app.views.sections import classify_moved, classify_scores, classify_text
from app.widgets import classify_snippet, frame, outputs

here = frame.here()
say = here.say
outputs.heading(here, "classify", on_vectors=False)
entry = classify_text.model(say)
text = classify_text.ask(say, entry)
with st.spinner(say("classify.running"), show_time=False):
    label = classify_text.answer(say, entry, text)
classify_moved.show(say, entry, text, label)
classify_scores.show(say, entry)
outputs.explain(
    say,
    "classify",
    r"\mathrm{logit}(p) = \log\frac{p}{1-p} = F(x')"
    r" + \sum_i (x_i - x'_i) \cdot \int_0^1 \nabla_i F\big(x' + \alpha (x - x')\big)\, d\alpha",
)
code = classify_snippet.classify(entry.name, text, label)
settings = [f"label {label}", f"text {text!r}"]
outputs.take_away(here, code, [entry], settings)

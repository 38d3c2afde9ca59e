import streamlit as st

from app.views.classify import chosen_classifier
from app.widgets import footer, frame, outputs, snippets, views

page = frame.page_state()
say = page.say
outputs.heading(page, "classify", on_vectors=False)
entry = chosen_classifier.choose_classifier(say)
text = chosen_classifier.ask_classified_text(say, entry)
view = views.open_view(page)
with st.spinner(say("classify.running"), show_time=False):
    label = chosen_classifier.show_prediction(say, entry, text)
code = snippets.code("classify", model=entry.name, text=text, label=label)
if view == "moved":
    chosen_classifier.show_moved_words(say, entry, text, label)
elif view == "off":
    with outputs.refusals_said(say):
        code = chosen_classifier.show_switched(say, entry, text)
else:
    chosen_classifier.show_classifier_scores(say, entry)
settings = [f"label {label}", f"text {text!r}"]
footer.draw_footer(page, "classify", code=code, entries=[entry], settings=settings)

import streamlit as st

from app.views.lab import experiment_sections
from app.widgets import footer, frame, inputs, outputs, snippets, views
from embeddings.lab import NAMES, read_experiment

page = frame.page_state()
say = page.say
outputs.heading(page, "lab", on_vectors=False)
name = inputs.choice(say, "lab_experiment", NAMES)
st.header(say(f"lab_question.{name}"), anchor=False)
st.markdown(say(f"lab_look.{name}"))
experiment = read_experiment(name)
view = views.open_view(page)
if experiment.short:
    st.info(say("lab.short"))
if view == "verdicts":
    experiment_sections.show_claims(say, experiment)
elif view == "curves":
    for drawing in experiment.drawings:
        experiment_sections.show_drawing(say, experiment, drawing)
else:
    experiment_sections.show_tables(say, experiment)
    experiment_sections.show_made(say, experiment)
code, made = snippets.code("experiment", name=name), experiment_sections.provenance(experiment)
footer.draw_footer(page, f"lab_{name}", code=code, settings=made)

import streamlit as st

from app.views.sections import lab_figures, lab_tables, lab_take, lab_verdicts
from app.widgets import frame, inputs, outputs
from embeddings.errors import KlyuchError
from embeddings.library.experiments import NAMES, read_experiment

here = frame.here()
say = here.say
outputs.heading(here, "lab", on_vectors=False)
name = inputs.choice(say, "lab_experiment", NAMES)
st.header(say(f"lab_question.{name}"), anchor=False)
st.markdown(say(f"lab_look.{name}"))
try:
    found = read_experiment(name)
except KlyuchError as error:
    outputs.refuse(say, error)
    raise outputs.Halt from error
if found.short:
    st.info(say("lab.short"))
lab_figures.show(say, found)
lab_verdicts.show(say, found)
lab_tables.show(say, found)
lab_take.made(say, found)
outputs.explain(say, f"lab_{name}")
lab_take.show(say, found)

import streamlit as st

from app.views.sections import train_jobs, train_live, train_settings, train_start, train_text
from app.widgets import frame, outputs

here = frame.here()
outputs.heading(here, "train", on_vectors=False)
job = train_jobs.pick(here)
if job is not None:
    train_live.show(here, job)
else:
    train_jobs.refused(here)
    st.header(here.say("train.text"), anchor=False)
    text = train_text.show(here)
    st.header(here.say("train.method_title"), anchor=False)
    method, settings = train_settings.show(here, text)
    train_start.show(here, text, method, settings)
outputs.explain(here.say, "train")

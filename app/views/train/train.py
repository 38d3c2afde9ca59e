import streamlit as st

from app.views.train import job_choice, job_start, method_settings, running_job, training_text
from app.widgets import frame, outputs

here = frame.here()
outputs.heading(here, "train", on_vectors=False)
job = job_choice.pick(here)
if job is not None:
    running_job.show_job(here, job)
else:
    job_choice.refused(here)
    st.header(here.say("train.text"), anchor=False)
    text = training_text.show_text(here)
    st.header(here.say("train.method_title"), anchor=False)
    method, settings = method_settings.show(here, text)
    job_start.show(here, text, method, settings)
outputs.explain(here.say, "train")

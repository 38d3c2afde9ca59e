import streamlit as st

from app.views.train import job_choice, job_start, method_settings, running_job, training_text
from app.widgets import frame, outputs

page = frame.page_state()
outputs.heading(page, "train", on_vectors=False)
job = job_choice.pick(page)
if job is not None:
    running_job.show_job(page, job)
else:
    job_choice.refused(page)
    st.header(page.say("train.text"), anchor=False)
    text = training_text.show_text(page)
    st.header(page.say("train.method_title"), anchor=False)
    method, settings = method_settings.show(page, text)
    job_start.show(page, text, method, settings)
outputs.explain(page.say, "train")

import streamlit as st

from app import access
from app.views.train import job_choice, job_start, method_settings, running_job, training_text
from app.widgets import frame, outputs

page = frame.page_state()
outputs.heading(page, "train", on_vectors=False)
if not access.may_change():
    st.code('pip install ".[app,networks]"\nklyuch app', language="shell")
    raise outputs.Halt
job = job_choice.choose_job(page)
if job is not None:
    running_job.show_job(page, job)
else:
    job_choice.show_refusal(page)
    st.header(page.say("train.text"), anchor=False)
    text = training_text.choose_text(page)
    st.header(page.say("train.method_title"), anchor=False)
    method, settings = method_settings.choose_method(page, text)
    job_start.ask_start(page, text, method, settings)
outputs.explain(page.say, "train")

import streamlit as st

from app import access
from app.views.train import job_choice, job_start, running_job
from app.widgets import footer, frame, outputs

page = frame.page_state()
outputs.heading(page, "train", on_vectors=False)
if not access.may_change():
    st.code('pip install ".[app,networks]"\nklyuch app', language="shell")
    raise outputs.Halt
job = job_choice.choose_job(page)
if job is not None:
    running_job.show_job(page, job)
else:
    outputs.show_kept_refusal(page.say)
    left, right = st.columns(2, gap="large")
    with left:
        st.header(page.say("train.text"), anchor=False)
        text = job_choice.choose_text(page)
        st.header(page.say("train.method_title"), anchor=False)
        method = job_start.choose_method(page)
    with right:
        st.header(page.say("train.settings_title"), anchor=False)
        settings = job_start.ask_settings(page, text, method)
        code = job_start.ask_start(page, text, method, settings, left)
    footer.draw_footer(page, "train", code=code)

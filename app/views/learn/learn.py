import streamlit as st

from app.views.learn import lesson_pages, lesson_step
from app.views.learn.lesson_pages import BY_NAME
from app.widgets import footer, frame, inputs, outputs

page = frame.page_state()
progress = lesson_step.read_progress(BY_NAME)
lesson_step.remember_done(progress, list(BY_NAME))
if not progress.lesson:
    outputs.heading(page, "learn", on_vectors=False)
    if inputs.choice(page.say, "learn_shown", ("lessons", "glossary")) == "glossary":
        lesson_pages.show_glossary(page)
    else:
        lesson_pages.show_overview(page.say, progress)
    footer.draw_footer(page, "learn")
    raise outputs.Halt
lesson = BY_NAME[progress.lesson]
lesson_pages.show_heading(page, lesson, progress)
if progress.step > len(lesson.steps):
    lesson_pages.show_summary(page, lesson, progress)
else:
    with st.spinner(page.say("learn.running"), show_time=False):
        step = lesson.steps[progress.step - 1](page)
    lesson_pages.show_step(page, lesson, progress, step)

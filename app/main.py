"""Klyuch in the browser: page set-up and navigation. ``streamlit run app/main.py`` starts it."""

import time

import streamlit as st

from app import events, warm_up
from app.answers import page_run
from app.widgets import address, footer, frame, outputs, views
from embeddings.errors import KlyuchError
from embeddings.optional import optional

begun = time.monotonic()
st.set_page_config(
    page_title="Klyuch", page_icon=outputs.ICON, layout="wide", initial_sidebar_state=frame.SIDEBAR
)
st.logo(outputs.LOGO, size="large")
address.start()
say = frame.screen_language()
PAGES = {
    "start": ("learn",),
    "words": ("explore", "associations", "analogies", "compare", "change", "ratios"),
    "sentences": ("contexts", "attention", "fill", "grammar", "translate", "classify"),
    "inside": ("inside", "lab"),
    "own": ("train", "shelf"),
}
pages = {
    say(f"group.{group}"): [
        st.Page(f"views/{name}/{name}.py", title=say(f"{name}.nav"), default=name == "explore")
        for name in names
    ]
    for group, names in PAGES.items()
}
page = st.navigation(pages, expanded=True)
name = page.url_path or "explore"
address.enter(name)
frame.draw_document(say)
notice = st.container()
try:
    with page_run(), optional():  # a page on networks where torch is not installed
        views.draw_sign_in(say)
        frame.draw(say, name)
        page.run()
except outputs.Halt:  # the page has said what it lacks
    pass
except KlyuchError as error:  # a damaged model, say: a page shows sentences, never a traceback
    events.note("refused", page=name, code=error.code)
    outputs.refuse(say, error)
footer.complete(say)
outputs.say_absent(say, notice)
# Last: with a title that came while the page was drawn, going back at once sometimes led to the same page again.
st.set_page_config(page_title=f"{page.title} – Klyuch")
if (seconds := time.monotonic() - begun) > events.SLOW:
    events.note("slow", page=name, seconds=round(seconds, 1))
warm_up.start_once()
address.finish()  # not reached by a run that a newer one interrupts

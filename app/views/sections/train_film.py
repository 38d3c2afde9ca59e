"""Train: the film: the map of chosen words over the passes, with slider, play, and a page to take away."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from app import resources
from app.figures.palette import PAPER, ink
from app.figures.train_film import film_figure
from app.widgets import inputs, outputs
from app.widgets.frame import Here
from embeddings.errors import KlyuchError
from embeddings.jobs.learned import film_words, kept_words, stamp
from embeddings.results.jobs import Film, Job


def show(here: Here, job: Job, words: tuple[str, ...]) -> None:
    """Show the film of a training that has ended."""
    say, kept = here.say, kept_words(job)
    if not kept:
        return
    st.header(say("train.film_title"), anchor=False)
    suggested = film_words(job, words)
    asked = st.text_input(
        say("train.film_words"),
        key=f"train_film_{job.job_id}",
        placeholder=", ".join(suggested),
        help=say("train.film_words_help", size=say.number(len(kept))),
    )
    chosen = inputs.split_list(asked or "") or suggested
    try:
        found = resources.film(job.job_id, stamp(job), chosen)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    shares = [say.number(100 * share, 1) for share in found.explained_variance_ratio]
    axes = [
        say("train.film_axis", number=number, share=share) for number, share in enumerate(shares, 1)
    ]
    names = {name: say(f"train.film_{name}") for name in ("play", "pause")}
    names["unit"] = say(f"train.unit_{found.unit}")
    drawn = film_figure(found, names, axes, words, say.separators)
    page = ink(drawn, dark=False)
    st.download_button(
        say("train.film_save"),
        lambda: standalone(page, job.name),
        f"klyuch-film-{job.name}.html",
        "text/html",
        key="train-film-save",
        help=say("train.film_save_help"),
        icon=":material/movie:",
        on_click="ignore",
    )
    alt = say("train.film_alt", words=len(found.words))
    outputs.figure(say, drawn, "train-film", alt)
    st.caption(say("train.film_note", first=shares[0], second=shares[1]))
    _coordinates(here, found)


def standalone(drawn: go.Figure, title: str) -> bytes:
    """Return a page that shows a figure without the network: Plotly is in it."""
    figure = go.Figure(drawn)
    figure.update_layout(paper_bgcolor=PAPER["ground"], plot_bgcolor=PAPER["ground"])
    figure.update_layout(title=title, margin={"t": 60})
    html: str = figure.to_html(include_plotlyjs=True, full_html=True, auto_play=False)
    return html.encode()


def _coordinates(here: Here, found: Film) -> None:
    """Offer every place of every word as CSV."""
    say = here.say
    rows = [
        {found.unit: done, say("common.word"): word, "x": place[0], "y": place[1]}
        for done, frame in zip(found.passes, found.coordinates, strict=True)
        for word, place in zip(found.words, frame, strict=True)
    ]
    outputs.csv(say, pd.DataFrame(rows), "train-film")

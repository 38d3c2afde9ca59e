"""Train: what has come on the shelf, its scores, and where to look at it."""

from __future__ import annotations

import streamlit as st

from app import resources
from app.views.sections.train_python import code_of
from app.widgets import outputs
from app.widgets.frame import Here
from embeddings.errors import KlyuchError
from embeddings.jobs.learned import NETWORKS
from embeddings.library import Entry, find
from embeddings.results.jobs import Job


def show(here: Here, job: Job) -> None:
    """Show the finished model; nothing for a job that brings none."""
    say = here.say
    if not job.method:
        return
    try:
        entry = find(job.name)
        card = resources.card(entry)
    except KlyuchError as error:  # deleted or renamed since
        outputs.refuse(say, error)
        return
    st.header(outputs.plain(say("train.result", name=entry.name)), anchor=False)
    if job.method in NETWORKS:
        counts = {"steps": say.number(job.passes), "corpus": job.corpus}
        st.markdown(outputs.plain(say("train.result_network", **counts)))
        if st.button(say("train.fill"), key="train-fill", type="primary"):
            st.switch_page("views/fill.py", query_params={"network": entry.name})
        outputs.take_away(here, code_of(job), (entry,))
        return
    _described(here, job, entry, card)
    if st.button(say("train.explore"), key="train-explore", type="primary"):
        language = entry.language if entry.language in ("en", "ru", "de") else here.language
        query = {"lang": say.language, "text": language, "models": entry.name}
        st.switch_page("views/explore.py", query_params=query)
    _scores(here, entry)
    outputs.take_away(here, code_of(job), (entry,))


def _described(here: Here, job: Job, entry: Entry, card: dict[str, object]) -> None:
    """Say what the card says."""
    say, vectors = here.say, resources.vectors(entry)
    corpus = card.get("corpus")
    running = corpus.get("words") if isinstance(corpus, dict) else None
    sentence = say(
        "train.result_card",
        words=say.number(len(vectors)),
        size=vectors.vector_size,
        text=say.number(float(str(running))) if running is not None else "–",
        corpus=job.corpus,
    )
    st.markdown(outputs.plain(sentence))


def _scores(here: Here, entry: Entry) -> None:
    """Score the model on the test sets of its language, when asked."""
    say = here.say
    st.subheader(say("train.scores"), anchor=False)
    paths = [
        *resources.analogy_set(entry.language),
        *resources.similarity_sets(entry.language),
    ]
    if not paths:
        st.caption(say("train.scores_none"))
        return
    key = f"_train_scored_{entry.name}"
    if not st.session_state.get(key) and not st.button(
        say("train.scores_start"), key="train-score"
    ):
        return
    st.session_state[key] = True
    with st.container(horizontal=True):
        for path in paths:
            score = resources.set_score(entry, path)
            shown = say.number(100 * score.value, 1) + " %"
            if score.measure != "accuracy":
                shown = f"ρ = {say.number(score.value, 2)}"
            counts = {"covered": say.number(score.covered), "total": say.number(score.total)}
            label = say.get(f"testset.{path.stem}", path.stem)
            st.metric(label, shown, help=say("set.covered", **counts))
    st.caption(say("train.scores_note"))

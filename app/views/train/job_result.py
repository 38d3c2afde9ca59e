"""Train: the model that a job made: its card and scores, and the Python that makes it again."""

from __future__ import annotations

import shlex

import streamlit as st

from app.loaders import shelf_models
from app.widgets import model_scores, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.jobs.learned_vectors import words_with_vectors
from embeddings.methods import METHODS
from embeddings.results.trainings import Job
from embeddings.shelf import Entry, find


def show_result(page: PageState, job: Job) -> None:
    """Show the finished model; nothing for a job that makes none."""
    say = page.say
    if not job.method:
        return
    try:
        entry = find(job.name)
        card = shelf_models.card(entry)
    except KlyuchError as error:  # deleted or renamed since
        outputs.refuse(say, error)
        return
    st.header(outputs.plain(say("train.result", name=entry.name)), anchor=False)
    if METHODS[job.method].is_network:
        trained = say("train.result_network", steps=job.passes, corpus=job.corpus)
        st.markdown(outputs.plain(trained))
        if st.button(say("train.fill"), key="train-fill", type="primary"):
            st.switch_page("views/fill/fill.py", query_params={"network": entry.name})
        outputs.take_away(page, job_code(job), (entry,))
        return
    _describe_result(page, job, entry, card)
    if st.button(say("train.explore"), key="train-explore", type="primary"):
        language = entry.language if entry.language in ("en", "ru", "de") else page.language
        query = {"lang": say.language, "text": language, "models": entry.name}
        query["word"] = first_word(job, entry)
        st.switch_page("views/explore/explore.py", query_params=query)
    _show_result_scores(page, entry)
    outputs.take_away(page, job_code(job), (entry,))


def first_word(job: Job, entry: Entry) -> str:
    """Return a word that the model has: the first that was watched, else its most frequent."""
    vectors = shelf_models.vectors(entry)
    return (*words_with_vectors(vectors, job.watched), vectors.words[0])[0]


def _describe_result(page: PageState, job: Job, entry: Entry, card: dict[str, object]) -> None:
    """Describe the model by its card."""
    say, vectors = page.say, shelf_models.vectors(entry)
    corpus = card.get("corpus")
    word_count = corpus.get("words") if isinstance(corpus, dict) else None
    is_count = isinstance(word_count, int) and abs(word_count) < 1 << 63
    sentence = say(
        "train.result_card",
        words=say("count.words", n=len(vectors)),
        size=vectors.vector_size,
        text=say("count.words", n=word_count) if is_count else "–",
        corpus=job.corpus,
    )
    st.markdown(outputs.plain(sentence))


def _show_result_scores(page: PageState, entry: Entry) -> None:
    """Score the model on the test sets of its language, when asked."""
    say = page.say
    st.subheader(say("train.scores"), anchor=False)
    scores = model_scores.scores_of(page, [entry])[entry]
    if not scores:
        return
    with st.container(horizontal=True):
        for name, score in scores.items():
            value_text = say.number(100 * score.value, 1) + " %"
            if score.measure != "accuracy":
                value_text = f"ρ = {say.number(score.value, 2)}"
            counts = {"covered": score.covered, "total": score.total}
            label = outputs.plain(outputs.title_of_test_set(say, name))
            st.metric(label, value_text, help=say("set.covered", **counts))
    st.caption(say("train.scores_note"))


def job_code(job: Job) -> str:
    """Return Python that trains the same model, and the commands for what else a job can be."""
    if not job.call:
        return commands_code(job)
    arguments = ", ".join(f"{name}={value!r}" for name, value in job.call.items())
    code = f"import embeddings\n\nmodel = embeddings.train({arguments})\n"
    return code if METHODS[job.method].is_network else f"{code}model.save({job.name!r})\n"


def commands_code(job: Job) -> str:
    """Return the job's commands for a shell, as Python runs them."""
    lines = [
        shlex.join(["klyuch", *(word.replace(f"{job.folder}/", "") for word in step)])
        for step in job.steps
    ]
    listed = "\n".join(f"    {line!r}," for line in lines)
    return (
        "import shlex, subprocess\n\n"
        f"for command in [\n{listed}\n]:\n"
        "    subprocess.run(shlex.split(command), check=True)\n"
    )

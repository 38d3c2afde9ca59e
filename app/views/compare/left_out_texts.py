"""Compare: documents, or the lines of a word, left out of a text or swapped; trainings in a process of their own say what moved."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import streamlit as st

from app import access, events
from app.loaders import training_answers
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.widgets.text_intake import receive_text
from embeddings.corpora.text_files import text_files
from embeddings.errors import InputError, KlyuchError
from embeddings.jobs import control, job_folder, recipes
from embeddings.results.trainings import Job
from embeddings.shelf import corpora, home
from embeddings.shelf.change_reports import FOLDER, SUFFIX

DEMONSTRATION = "demonstration"
REFUSAL, RUNNING = "_whatif_refused", "_whatif_job"
REFRESH_SECONDS = 1.0
SWAPS = ("nothing", "paste", "upload", "corpus")  # what takes the place of what is left out
STARTING = threading.Lock()  # of a training: the name of its report is free until its job is there


def show_what_if(page: PageState) -> None:
    """Ask for a text and what is left out of it, and show the training as long as it runs."""
    say = page.say
    if not access.may_change():
        return
    with st.expander(say("whatif.title"), icon=":material/science:"):
        st.markdown(say("whatif.lead"))
        own = [corpus.name for corpus in corpora() if corpus.kind == "text"]
        names = [DEMONSTRATION, *own]
        labels = {DEMONSTRATION: say("whatif.demonstration"), **{name: name for name in own}}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = inputs.pick(say, "whatif_corpus", names, labels)
            word = inputs.line(say, "whatif_word", "")
            documents = inputs.line(say, "whatif_documents", "")
        swap = inputs.choice(say, "whatif_swap", SWAPS if own else SWAPS[:-1])
        folder = _swapped_text(page, swap, own)
        st.button(
            say("whatif.start"),
            key="whatif-start",
            icon=":material/play_arrow:",
            on_click=_start,
            args=(page.language, name, documents, word, swap, folder),
        )
        error = st.session_state.pop(REFUSAL, None)
        if error is not None and error.code == "whatif_nothing":
            st.info(say("whatif.nothing"))  # the error's own sentence names options of the command
        elif error is not None:
            outputs.refuse(say, error)
        if job_id := st.session_state.get(RUNNING):
            _show_job(page, str(job_id))


def _swapped_text(page: PageState, swap: str, own: Sequence[str]) -> Path | None:
    """Ask for the text that takes the place of what is left out; None as long as there is none."""
    if swap == "nothing":
        return None
    if swap == "corpus":
        name = inputs.pick(page.say, "whatif_swap_corpus", own, {name: name for name in own})
        return home() / "corpora" / name
    try:
        folder = receive_text(page, "whatif_swap", swap)
    except outputs.Halt:  # refused with a sentence; the rest of the page is drawn all the same
        return None
    if folder is not None:  # the text that was stored last, whatever stands in the field by now
        st.caption(page.say("whatif.comes_in", name=outputs.plain(folder.name)))
    return folder


def _start(
    language: str, name: str, documents: str, word: str, swap: str, swapped: Path | None
) -> None:
    """Start the training, and choose the report that it will write."""
    try:
        access.check_change()
        if swap != "nothing" and swapped is None:
            raise InputError("whatif_no_swap")
        is_demonstration = name == DEMONSTRATION
        folder = recipes.demonstration(language) if is_demonstration else home() / "corpora" / name
        files = text_files([folder])
        words = training_answers.text_preview(files).words
        text = recipes.Text(files, folder.name, language)
        with STARTING:
            report = free_report(folder.name)
            job = control.start(recipes.whatif_plan(text, words, report, documents, word, swapped))
    except KlyuchError as error:
        events.note("refused", page="compare", code=error.code)
        st.session_state[REFUSAL] = error
        return
    events.note("job", method="whatif", alive=job.is_alive)
    st.session_state[RUNNING] = job.job_id


def free_report(name: str) -> Path:
    """Return where a report on a text can be written: its name and the first number that no report and no unfinished job has."""
    unfinished = [job for job in job_folder.jobs() if job.state != "done"]
    arguments = {word for job in unfinished for step in job.steps for word in step}
    paths = (home() / FOLDER / f"{name}-{number}{SUFFIX}" for number in count(1))
    return next(path for path in paths if not path.exists() and f"--output={path}" not in arguments)


def _show_job(page: PageState, job_id: str) -> None:
    """Show the training, refreshed as long as it runs."""
    try:
        job = job_folder.find_job(job_id)
    except KlyuchError as error:  # removed in another window
        st.session_state.pop(RUNNING, None)
        outputs.refuse(page.say, error)
        return
    st.fragment(_draw_job, run_every=REFRESH_SECONDS if job.is_alive else None)(page, job_id)


def _draw_job(page: PageState, job_id: str) -> None:
    """Draw the state of the training; when it ends, its report is the one that is shown."""
    say = page.say
    try:
        job = job_folder.find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    if job.is_alive:
        progress = job_folder.progress(job)
        share = progress.share if progress else 0.0
        step = say("train.step", step=min(job.finished + 1, len(job.steps)), steps=len(job.steps))
        st.progress(share, text=step)
        return
    st.session_state.pop(RUNNING, None)
    if (trouble := job_folder.trouble(job)) is not None:
        outputs.refuse(say, trouble)
    elif job.state == "done":
        address.put(change_report=report_of(job).stem)
        st.rerun()


def report_of(job: Job) -> Path:
    """Return where a job's report is written."""
    output = next(word for word in job.steps[-1] if word.startswith("--output="))
    return Path(output.removeprefix("--output="))

"""Train: which job is shown and what can be done to it, and the text of a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from app import access, events, shelf_models
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.widgets.paste_and_upload import receive_text
from app.wording import Wording
from embeddings.corpora.corpus_answers import TextPreview
from embeddings.corpora.text_files import text_files
from embeddings.corpora.text_preview import preview
from embeddings.jobs import control
from embeddings.jobs.job_answers import Job
from embeddings.jobs.job_folder import jobs
from embeddings.jobs.recipes import demonstration
from embeddings.shelf import corpus_names, data, home
from embeddings.sources.catalogue import read_catalogue

JOB_KEY, NEW_JOB = "train_job", "new"
OPENED_KEY = "_train_opened"  # the job that the next run of the page shows


def choose_job(page: PageState) -> Job | None:
    """Let one of the jobs be chosen, or the form for a new one; at first the one that runs."""
    say, jobs_by_id = page.say, {job.job_id: job for job in jobs()}
    if opened := st.session_state.pop(OPENED_KEY, ""):
        address.put(**{JOB_KEY: opened})
    if not jobs_by_id:
        address.forget(JOB_KEY)
        return None
    alive_ids = [name for name, job in reversed(jobs_by_id.items()) if job.is_alive]
    address.keep(JOB_KEY, alive_ids[0] if alive_ids else NEW_JOB, [NEW_JOB, *jobs_by_id])
    job_id = st.selectbox(
        **inputs.named(say, JOB_KEY),
        options=[NEW_JOB, *jobs_by_id],
        format_func=lambda name: (
            job_label(say, jobs_by_id[name]) if name in jobs_by_id else say(f"{JOB_KEY}.{NEW_JOB}")
        ),
        width=560,
    )
    return jobs_by_id.get(job_id or NEW_JOB)


def job_label(say: Wording, job: Job) -> str:
    """Return a job's title, when it was started, and how it ended if it did."""
    started = say.date(job.created) + (" UTC" if "T" in job.created else "")
    ended = "" if job.is_alive else f" · {job_state(say, job)}"
    return f"{job.title} · {started}{ended}"


def job_state(say: Wording, job: Job) -> str:
    """Return a job's state in words."""
    if job.is_stopping:
        return say("train.stopping")
    if job.state == "queued" and not job.ahead:
        return say("train.starting")
    return say(f"train.state_{job.state}", ahead=job.ahead)


def run_action(action: Callable[[], object], otherwise: str = "") -> None:
    """Run an action on a job; the next run of the page shows a refusal.

    The job that the action returns is chosen, else the one named ``otherwise``.
    """
    with outputs.refusal_kept():
        access.check_change()
        outcome = action()
        job_id = outcome.job_id if isinstance(outcome, Job) else otherwise
        if isinstance(outcome, Job):
            events.note("job", method=outcome.method, alive=outcome.is_alive)
        if job_id and job_id != st.session_state.get(JOB_KEY):
            st.session_state[OPENED_KEY] = job_id


def show_job_buttons(say: Wording, job: Job) -> None:
    """Offer what can be done to a job in its state."""
    with st.container(horizontal=True):
        if job.is_alive:
            stop = partial(control.cancel, job.job_id, kill=job.is_stopping)
            label = say("train.kill" if job.is_stopping else "train.cancel")
            look = {"help": say("train.cancel_help")}
            inputs.button(label, "train-cancel", "stop_circle", run_action, stop, **look)
            return
        if job.state != "done":
            label, resume = say("train.resume"), partial(control.resume, job.job_id)
            key, icon = "train-resume", "play_arrow"
            inputs.button(label, key, icon, run_action, resume, type="primary")
        inputs.put_button(say("train.again"), "train-again", {JOB_KEY: NEW_JOB})
        with st.popover(say("train.remove"), icon=":material/delete:"):
            st.markdown(say("train.remove_help"))
            label, action = say("train.remove_sure"), lambda: control.remove(job.job_id)
            inputs.button(label, "train-remove", "", run_action, action, NEW_JOB)


@dataclass(frozen=True)
class TrainingText:
    """A text that is stored: its name, files, words counted, and its language, "" where a person is to say it."""

    name: str
    files: tuple[Path, ...]
    preview: TextPreview
    language: str


def choose_text(page: PageState) -> TrainingText:
    """Ask for a text and show its preview; without one the page ends here."""
    say = page.say
    source = inputs.choice(say, "train_source", ("demo", "paste", "upload", "shelf"))
    if source == "demo":
        folder = demonstration(page.language)
    elif source == "shelf":
        folder = _choose_corpus(page)
    else:
        received = receive_text(page, "train", source)
        if received is None:
            raise outputs.Halt
        folder = received
    files = text_files([folder])
    with st.spinner(say("train.counting")):  # the loops are compiled where they never were
        counted = shelf_models.ask_in_queue(preview, files)
    if source == "demo":
        st.markdown(say("train.demo_note", words=say("count.words", n=counted.words)))
    _show_preview(say, counted)
    return TrainingText(folder.name, files, counted, page.language if source == "demo" else "")


def _choose_corpus(page: PageState) -> Path:
    """Let a corpus of the shelf be chosen."""
    names = corpus_names("text")
    offer_downloads(page)
    if not names:
        outputs.end(page.say("train.shelf_none"))
    name = inputs.pick(page.say, "train_corpus", names)
    return home() / "corpora" / name


def offer_downloads(page: PageState) -> None:
    """Offer the public texts of the language that are not downloaded yet."""
    say, folder = page.say, home() / "corpora"
    entries = {
        entry.name: entry
        for entry in read_catalogue(data() / "catalogue.toml")
        if entry.kind in ("corpus", "wikipedia")
        and page.language in entry.language
        and not entry.is_downloaded(folder)
    }
    if not entries:
        return
    with st.expander(say("train.get_title"), icon=":material/cloud_download:"):
        labels = {name: f"{name} · {entry.title}" for name, entry in entries.items()}
        name = inputs.pick(say, "train_get", list(entries), labels)
        plan = control.JobPlan(f"get_corpus {name}", "get_corpus", {"name": name})
        entry = entries[name]
        size = say.size(entry.size) if entry.size else "–"
        facts = {"title": entry.title, "size": size, "licence": entry.licence or "–"}
        st.caption(outputs.plain(say("train.get_about", **facts)))
        inputs.button(say("train.get"), "train-get", "", run_action, partial(control.start, plan))


def _show_preview(say: Wording, preview: TextPreview) -> None:
    """Show the first sentences split into words, and the commonest words."""
    with st.expander(say("train.preview"), icon=":material/visibility:"):
        for line, words in preview.sentences[:3]:
            st.caption(outputs.plain(line))
            st.markdown(" ".join(f"`{word.replace('`', '')}`" for word in words) or "–")
        common = say.list(f"{word} {say.number(count)}" for word, count in preview.common[:20])
        st.markdown(outputs.plain(say("train.preview_common", words=common)))
        note = say("train.preview_note")
        if preview.read < preview.total:
            share = say.number(100 * preview.read / preview.total)
            note = f"{say('train.preview_part', share=share)} {note}"
        st.caption(f"{note} {say('train.preview_pieces')}")

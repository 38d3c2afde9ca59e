"""Train: a job as it runs: state, progress, loss, neighbours of watched words; then its film, and what it has made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.palette import PAPER, ink
from app.figures.plain_figure import Figure
from app.figures.training_progress import film_figure, loss_figure
from app.views.shelf import model_cards
from app.views.train import job_choice
from app.widgets import footer, inputs, outputs, snippets
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.similarity import neighbours
from embeddings.errors import KlyuchError
from embeddings.jobs import job_folder, learned_vectors
from embeddings.jobs.job_answers import Film, Job, JobProgress
from embeddings.jobs.job_folder import find_job
from embeddings.jobs.learned_vectors import film_words, snapshot_words, words_with_vectors
from embeddings.jobs.progress_log import TRAINING
from embeddings.method_registry import METHODS, network_methods
from embeddings.shelf import Entry, find

if TYPE_CHECKING:
    from embeddings import Vectors

REFRESH_SECONDS = 1.0
PHASES = (
    *("encode", "number", "cooccurrence", "train", "glove"),
    *("pretrain", "prepare", "vectors", "compare"),
)
NEIGHBOURS_A_WORD = 6


def _job_key(job: Job) -> tuple[str, int]:
    """Return a job's folder and when its training last wrote."""
    return str(job.folder), learned_vectors.stamp(job)


@cached(4, {Job: _job_key})
def learned_so_far(job: Job) -> tuple[Vectors, int] | None:
    """Return the vectors of a job's training so far, with the passes done."""
    return learned_vectors.learned(job)


@cached(8, {Job: _job_key})
def film_of(job: Job, words: tuple[str, ...]) -> Film:
    """Return the film of a job's training."""
    return learned_vectors.film(job, words)


def show_job(page: PageState, job: Job) -> None:
    """Show a job; one that has ended is not refreshed."""
    words = _ask_words(page, job) if job.method else ()
    st.fragment(_draw_job, run_every=REFRESH_SECONDS if job.is_alive else None)(
        page, job.job_id, words, job.is_alive
    )
    made = _opened(page, job)
    if made is not None:
        show_result(page, job, *made)
    if not job.is_alive:
        with outputs.refusals_said(page.say):
            show_film(page, job, words)
    entries = made[:1] if made else ()
    code = snippets.calling(job.function or "train", job.call, job.name) if job.call else ""
    footer.draw_footer(page, "train", code=code, entries=entries)


def _ask_words(page: PageState, job: Job) -> tuple[str, ...]:
    """Ask for the words to watch; at first those that were asked for at the start."""
    say, key, watched = page.say, f"train_watch_{job.job_id}", ", ".join(job.watched)
    help_text = say("train.words_help")
    typed = inputs.proposed(say("train.words_label"), key, watched, help_text, width=560)
    return inputs.split_list(typed)


def _draw_job(page: PageState, job_id: str, words: tuple[str, ...], is_refreshed: bool) -> None:
    """Draw what changes; ``is_refreshed``: whether the fragment runs by itself."""
    say = page.say
    # A button of a fragment runs the fragment alone, but another choice concerns the whole page.
    if st.session_state.get(job_choice.OPENED_KEY, job_id) != job_id:
        st.rerun()
    try:
        job = find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    was_alive = st.session_state.get("_train_alive") == job_id
    st.session_state["_train_alive"] = job_id if job.is_alive else ""
    if was_alive and not job.is_alive:
        st.rerun()  # the whole page: the result has come
    if job.is_alive and not is_refreshed:
        st.rerun()  # resumed: the whole page, as a fragment run by its name does not refresh itself from then on (tried)
    show_state(page, job)
    outputs.show_kept_refusal(say)
    job_choice.show_job_buttons(say, job)
    if job.method:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _draw_loss(page, job)
        with right:
            _list_neighbours(page, job, words)
    if not job.is_alive and job.state != "done":
        with st.expander(say("train.log"), icon=":material/terminal:"):
            st.code(job_folder.log_tail(job), language=None)


def show_state(page: PageState, job: Job) -> None:
    """Show the progress, or why the job ended."""
    say, progress = page.say, job_folder.progress(job)
    if job.is_alive:
        share = progress.share if progress and job.state == "running" else 0.0
        st.progress(share, text=outputs.plain(_progress_line(say, job, progress)))
        _compare_with_estimate(page, job, progress)
        st.caption(say("train.closed"))
        return
    icon = {"done": ":material/check_circle:", "cancelled": ":material/cancel:"}.get(job.state)
    st.markdown(f"{icon or ':material/error:'} **{outputs.plain(job_choice.job_label(say, job))}**")
    if (error := job_folder.trouble(job)) is not None:
        outputs.refuse(say, error)


def _compare_with_estimate(page: PageState, job: Job, progress: JobProgress | None) -> None:
    """Say how long the whole job takes by what was measured so far, once its training says what is left."""
    say, taken = page.say, job_folder.seconds_taken(job)
    if progress is None or taken is None or progress.phase not in TRAINING:
        return
    if math.isfinite(progress.seconds_left):
        total = say.duration(taken + progress.seconds_left)
        st.caption(say("train.measured", total=total, taken=say.duration(taken)))


def _progress_line(say: Wording, job: Job, progress: JobProgress | None) -> str:
    """Return state, phase, pass, rate and time left in one line."""
    parts = [job_choice.job_state(say, job)]
    if job.state == "running":
        phase = (
            "begin" if progress is None else progress.phase if progress.phase in PHASES else "other"
        )
        parts.append(say(f"train.phase_{phase}"))
        if progress is not None and progress.epoch:
            parts.append(f"{say.number(progress.epoch)} / {say.number(progress.passes)}")
        if progress is not None and math.isfinite(progress.per_second):
            parts.append(say("train.rate", rate=say.number(progress.per_second)))
        if progress is not None and math.isfinite(progress.seconds_left):
            parts.append(say("train.left", time=say.duration(progress.seconds_left)))
    return " · ".join(parts)


def _draw_loss(page: PageState, job: Job) -> None:
    """Draw the loss."""
    say, curve = page.say, job_folder.curve(job)
    st.subheader(say("train.curve_title"), anchor=False)
    if not len(curve.losses):
        st.caption(say("train.curve_none"))
        return
    unit = say(f"train.unit_{curve.unit}")
    names = {"unit": unit, "loss": say.get(f"method_loss.{job.method}", say("train.loss"))}
    names |= {name: say(f"train.curve_{name}") for name in ("since", "pass", "heldout")}
    figure = loss_figure(curve, names, job.passes)
    outputs.figure(say, figure, "train-curve", say("train.curve_alt", unit=unit))
    st.caption(say("train.curve_read"))
    if len(curve.heldout):
        st.caption(say("train.curve_read_heldout"))


def _list_neighbours(page: PageState, job: Job, words: tuple[str, ...]) -> None:
    """List the neighbours of the watched words by now."""
    say = page.say
    learned = learned_so_far(job)
    if learned is None:
        st.subheader(say("train.words_label"), anchor=False)
        st.caption(say("train.near_none"))
        return
    vectors, passes = learned
    unit = say(f"train.unit_{job_folder.curve(job).unit}")
    st.subheader(say("train.near_title", unit=unit, passes=say.number(passes)), anchor=False)
    known_words = words_with_vectors(vectors, words)
    for word in known_words:
        nearest = neighbours(vectors, word, NEIGHBOURS_A_WORD)
        cells = ", ".join(
            f"{neighbour.word} {say.number(neighbour.similarity, 2)}" for neighbour in nearest
        )
        st.markdown(f"**{outputs.plain(word)}**  \n{outputs.plain(cells)}")
    missing = [
        word for word in words if word not in known_words and word.lower() not in known_words
    ]
    if missing:
        st.caption(outputs.plain(say("train.near_lacks", words=say.list(missing))))
    if job.method in network_methods():
        st.caption(say("train.near_pieces"))


def show_film(page: PageState, job: Job, words: tuple[str, ...]) -> None:
    """Show the film of a training that has ended."""
    say, all_words = page.say, snapshot_words(job)
    if not all_words:
        return
    st.header(say("train.film_title"), anchor=False)
    suggested = film_words(job, words)
    help_text = say("train.film_words_help", size=len(all_words))
    typed = inputs.proposed(
        say("train.film_words"), f"train_film_{job.job_id}", ", ".join(suggested), help_text
    )
    chosen = inputs.split_list(typed)
    film = film_of(job, chosen)
    axes = say.components(film.explained_variance_ratio, "train.film_axis")
    names = {name: say(f"train.film_{name}") for name in ("play", "pause")}
    names["unit"] = say(f"train.unit_{film.unit}")
    figure = film_figure(film, names, axes, words)
    light = ink(figure, dark=False)
    outputs.download(
        say("train.film_save"),
        lambda: film_page(light, job.name),
        f"klyuch-film-{job.name}.html",
        "train-film-save",
        help=say("train.film_save_help"),
        icon=":material/movie:",
        type="secondary",
    )
    alt = say("train.film_alt", words=len(film.words))
    outputs.figure(say, figure, "train-film", alt)
    first, second = (say.number(100 * share, 1) for share in film.explained_variance_ratio)
    st.caption(say("train.film_note", first=first, second=second))


def film_page(figure: Figure, title: str) -> bytes:
    """Return an HTML page that shows a figure offline: Plotly is in it."""
    import plotly.io

    page_figure = figure.copy()
    page_figure.update_layout(paper_bgcolor=PAPER["ground"], plot_bgcolor=PAPER["ground"])
    page_figure.update_layout(title=title, margin={"t": 60})
    html: str = plotly.io.to_html(
        page_figure.to_dict(), include_plotlyjs=True, full_html=True, auto_play=False
    )
    return html.encode()


def _opened(page: PageState, job: Job) -> tuple[Entry, dict[str, object]] | None:
    """Return the model of a job that is done, with its card; None where it makes none, or where it is gone."""
    if not job.method or job.state != "done":
        return None
    with outputs.refusals_said(page.say):  # deleted or renamed since
        entry = find(job.name)
        return entry, shelf_models.card(entry)
    return None


def show_result(page: PageState, job: Job, entry: Entry, card: dict[str, object]) -> None:
    """Show the finished model."""
    say = page.say
    st.header(outputs.plain(say("train.result", name=entry.name)), anchor=False)
    if METHODS[job.method].is_network:
        trained = say("train.result_network", steps=job.passes, corpus=job.corpus)
        st.markdown(outputs.plain(trained))
        if st.button(say("train.fill"), key="train-fill", type="primary"):
            st.switch_page("views/fill/fill.py", query_params={"network": entry.name})
        return
    vectors, corpus = shelf_models.vectors(entry), card.get("corpus")
    words = corpus.get("words") if isinstance(corpus, dict) else None
    text = say("count.words", n=words) if isinstance(words, int) else "–"
    facts = {"words": say("count.words", n=len(vectors)), "size": vectors.vector_size}
    sentence = say("train.result_card", text=text, corpus=job.corpus, **facts)
    st.markdown(outputs.plain(sentence))
    if st.button(say("train.explore"), key="train-explore", type="primary"):
        language = entry.language if entry.language in ("en", "ru", "de") else page.language
        query = {"lang": say.language, "text": language, "models": entry.name}
        query["word"] = first_word(job, entry)
        st.switch_page("views/explore/explore.py", query_params=query)
    st.subheader(say("train.scores"), anchor=False)
    model_cards.show_scores(page, entry)
    st.caption(say("train.scores_note"))


def first_word(job: Job, entry: Entry) -> str:
    """Return a word that the model has: the first that was watched, else its most frequent."""
    vectors = shelf_models.vectors(entry)
    return (*words_with_vectors(vectors, job.watched), vectors.words[0])[0]

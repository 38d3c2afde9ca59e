"""Change: two texts, two periods, or a text with parts left out: asked for, compared by a process of its own, and how far it is."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import streamlit as st

from app import access, events, shelf_models
from app.views.change.chosen_report import side_sizes
from app.views.train import job_choice, job_start, running_job
from app.widgets import address, inputs, outputs, snippets
from app.widgets.frame import PageState
from app.widgets.paste_and_upload import brought_text
from app.wording import Wording
from embeddings import text_comparison
from embeddings.corpora.dated_texts import YEARS, column_names, dated_table
from embeddings.corpora.text_files import text_files
from embeddings.errors import InputError, KlyuchError
from embeddings.jobs import control, job_folder
from embeddings.jobs.control import JobPlan
from embeddings.jobs.estimate import comparison_seconds
from embeddings.jobs.job_answers import ComparisonSize, Job
from embeddings.jobs.job_folder import jobs
from embeddings.jobs.recipes import change_plan, demonstration, whatif_plan
from embeddings.method_registry import DEFAULT_METHOD
from embeddings.shelf import corpus_names, home
from embeddings.shelf.change_reports import own_report
from embeddings.sources.pasted_and_uploaded import corpus_name
from embeddings.text_comparison import DEFAULTS, Compared

VIEWS_THAT_TRAIN = ("texts", "periods", "whatif")  # visitors who may not start jobs lack them
SOURCES = ("upload", "paste", "corpus")
SHUFFLES = (20, 100)  # with fewer than 20, one changed word among many is never past the null
FEW_DOCUMENTS = 20  # of a side: with fewer, one long document makes the null vary
DATES = ("date", "year", "дата", "год", "datum", "jahr")  # usual names of columns
TEXTS = ("text", "texts", "текст", "тексты", "texte")


def show_compared_texts(page: PageState, way: str) -> str:
    """Ask for two texts or two periods, say how much there is to measure and how long it takes, and offer the start.

    Returns the Python that runs the comparison, "" until both sides are there.

    Parameters
    ----------
    page : PageState
    way : str
        "texts" or "periods".
    """
    say = page.say
    st.markdown(say(f"sides.lead_{way}"))
    compared = _ask_texts(page) if way == "texts" else _ask_periods(page)
    with st.expander(say("common.more_settings"), icon=":material/tune:"):
        permutations = inputs.number(say, "sides_permutations", DEFAULTS.permutations, *SHUFFLES)
    if not isinstance(compared, InputError):
        size = shelf_models.ask_in_queue(text_comparison.compared_size, compared)
        _show_size(say, compared, size, permutations)
    is_started = inputs.button(say("sides.start"), "sides-start", "play_arrow", type="primary")
    if isinstance(compared, InputError):
        if is_started:
            outputs.refuse(say, compared)
        return ""

    def plan(report: Path) -> JobPlan:
        return change_plan(compared, size, report, permutations, page.language)

    if is_started:
        with outputs.refusals_said(say):
            start(lambda: _report_path(compared), plan)
    shown = plan(Path("report.json"))
    return snippets.calling(shown.function, shown.call)


def _ask_texts(page: PageState) -> Compared | InputError:
    """Ask for two texts."""
    own = corpus_names("text")
    left, right = st.columns(2, gap="large")
    with left:
        first = _ask(page, "sides_first", own)
    with right:
        second = _ask(page, "sides_second", own[1:] + own[:1])
    if first is None or second is None:
        return InputError("change_missing")
    return Compared(first, second)


def _ask_periods(page: PageState) -> Compared | InputError:
    """Ask for a table of texts with dates, its columns, and the year that divides it."""
    say = page.say
    st.markdown(say("sides.table_form"))
    table = _ask(page, "sides_table", corpus_names("table"), "table")
    if table is None:
        return InputError("change_table_missing")
    columns = shelf_models.ask(column_names, dated_table(table))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        date = inputs.pick(say, "sides_date", columns, default=_usual(columns, DATES))
        others = [column for column in columns if column != date]
        text = inputs.pick(say, "sides_column", others, default=_usual(others, TEXTS))
        year = inputs.line(say, "sides_year", "")
    if not re.fullmatch(r"[0-9]{1,4}", year):
        error = InputError("dates_year", year=year, low=YEARS[0], high=YEARS[1])
        if year:
            raise error
        return error
    return Compared(table, at=int(year), date_column=date, text_column=text)


def _ask(page: PageState, prefix: str, own: Sequence[str], kind: str = "text") -> Path | None:
    """Ask for one text or table: pasted, uploaded, or one that is stored."""
    source = inputs.choice(page.say, prefix, SOURCES if own else SOURCES[:-1])
    return brought_text(page, prefix, source, own, kind)


def _usual(columns: Sequence[str], names: Sequence[str]) -> str:
    """Return the column that has a usual name, else the first."""
    return next((column for column in columns if column in names), columns[0])


def _report_path(compared: Compared) -> Path:
    """Return where a report can be written, named after what it compares."""
    if compared.second is not None:
        return free_report(f"{compared.first.name[:28]}-{compared.second.name[:28]}")
    return free_report(f"{compared.first.name[:50]}-{compared.at}")


def _show_size(say: Wording, compared: Compared, size: ComparisonSize, permutations: int) -> None:
    """Say how much there is to measure, how often both sides are trained, and how long that takes; sides too small are refused."""
    text_comparison.check_size(size, permutations)
    settings, least = text_comparison.suited_settings(size)
    times = text_comparison.trainings(permutations)
    with st.spinner(say("train.sampling"), show_time=False):
        files = text_files(compared.sources[:1])
        sample = next(iter(job_start.measured_speed(DEFAULT_METHOD, None, files)), None)
    seconds = comparison_seconds(sum(size.tokens), settings, times, sample)
    st.markdown(
        say(
            "sides.size",
            words=text_comparison.measured_words(size),
            least=least,
            **side_sizes(size),
        )
    )
    st.markdown(
        say(
            "sides.time",
            trainings=times,
            permutations=permutations,
            retrainings=DEFAULTS.retrainings,
            time=say.duration(seconds),
        )
    )
    if size.undated:
        st.caption(say("sides.undated", undated=size.undated))
    if min(size.documents) < FEW_DOCUMENTS:
        st.caption(say("sides.few_documents"))
    if not size.is_whole:
        st.caption(say("sides.beginning"))
    if jobs_ahead := sum(job.is_alive for job in jobs()):
        st.caption(say("train.ahead", jobs=jobs_ahead))


RUNNING = "_comparison_job"  # of the visit
REFRESH_SECONDS = 1.0
# Held while a comparison starts: the name of its report is free until its job is there.
STARTING = threading.Lock()


def start(choose_report: Callable[[], Path], plan: Callable[[Path], JobPlan]) -> None:
    """Start a comparison, and run the page again, which shows its progress at the top.

    Parameters
    ----------
    choose_report : callable
        Returns where the report is written.
    plan : callable
        Returns the job that writes it there.

    Raises
    ------
    KlyuchError
        If this person may start nothing, or the comparison is refused.
    """
    try:
        access.check_change()
        with STARTING:
            job = control.start(plan(choose_report()))
    except KlyuchError as error:
        events.note("refused", page="change", code=error.code)
        raise
    events.note("job", page="change", alive=job.is_alive)
    st.session_state[RUNNING] = job.job_id
    st.rerun()


def free_report(name: str) -> Path:
    """Return where a report on a text can be written: its name and the first number that no report and no unfinished job has."""
    unfinished = (job for job in job_folder.jobs() if job.state != "done" and is_comparison(job))
    awaited = {report_of(job) for job in unfinished}
    paths = (own_report(f"{corpus_name(name)}-{number}") for number in count(1))
    return next(path for path in paths if not path.exists() and path not in awaited)


def is_comparison(job: Job) -> bool:
    """Whether a job writes a report."""
    return job.function in ("compare_texts", "leave_out")


def report_of(job: Job) -> Path:
    """Return where a comparison's report is written."""
    return Path(str(job.call["output"]))


def show_running(page: PageState) -> None:
    """Show the comparison that this session started, or else one that runs."""
    state = st.session_state
    if not access.may_change():
        return
    alive = [job.job_id for job in job_folder.jobs() if job.is_alive and is_comparison(job)]
    if not state.setdefault(RUNNING, alive[-1] if alive else ""):
        return
    with outputs.refusals_said(page.say):
        job = job_folder.find_job(state.pop(RUNNING))  # it may be removed in another window
        state[RUNNING] = job.job_id
        st.fragment(_draw, run_every=REFRESH_SECONDS if job.is_alive else None)(page, job.job_id)


def _draw(page: PageState, job_id: str) -> None:
    """Draw the state of a comparison; when it ends, its report is the one that is shown."""
    say = page.say
    try:
        job = job_folder.find_job(job_id)
    except KlyuchError as error:  # removed in another window
        outputs.refuse(say, error)
        return
    if job.is_alive:
        st.markdown(outputs.plain(job_choice.job_label(say, job)))
        running_job.show_state(page, job)
        outputs.show_kept_refusal(say)
        job_choice.show_job_buttons(say, job)
        return
    st.session_state.pop(RUNNING, None)
    if (trouble := job_folder.trouble(job)) is not None:
        outputs.refuse(say, trouble)
    elif job.state == "done":
        address.put(view="report", change_report=report_of(job).stem)
        st.rerun()
    else:
        st.info(say("comparison.cancelled"), icon=":material/cancel:")


DEMONSTRATION = "demonstration"
SWAPS = ("nothing", "paste", "upload", "corpus")  # what takes the place of what is left out


def show_what_if(page: PageState) -> str:
    """Ask for a text and what is left out of it; return the Python that trains both, "" until something is left out."""
    say = page.say
    st.markdown(say("whatif.lead"))
    own = corpus_names("text")
    labels = {DEMONSTRATION: say("whatif.demonstration"), **{name: name for name in own}}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = inputs.pick(say, "whatif_corpus", [DEMONSTRATION, *own], labels)
        word = inputs.line(say, "whatif_word", "")
        documents = inputs.line(say, "whatif_documents", "")
    chosen = inputs.choice(say, "whatif_swap", SWAPS if own else SWAPS[:-1])
    swap = None if chosen == "nothing" else brought_text(page, "whatif_swap", chosen, own)
    is_started = inputs.button(say("whatif.start"), "whatif-start", "play_arrow", type="primary")
    if not word and not documents:
        if is_started:
            st.info(say("whatif.nothing"))
        return ""
    is_own = name != DEMONSTRATION
    folder = home() / "corpora" / name if is_own else demonstration(page.language)

    def plan(report: Path) -> JobPlan:
        return whatif_plan(folder, report, documents, word, swap, page.language)

    if is_started:
        if chosen != "nothing" and swap is None:
            raise InputError("whatif_no_swap")
        if word:
            shelf_models.ask_in_queue(text_comparison.check_word, folder, word)
        start(lambda: free_report(folder.name), plan)
    shown = plan(Path("report.json"))
    return snippets.calling(shown.function, shown.call)

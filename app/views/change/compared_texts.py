"""Change: two texts, or two periods of dated texts, whose words are compared by trainings in a process of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.loaders import training_answers, word_answers
from app.views.change import running_comparison
from app.views.change.running_comparison import free_report, named_report
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from app.widgets.text_intake import brought_text
from app.wording.amounts import duration
from embeddings.corpora.dated_texts import YEARS
from embeddings.errors import InputError, KlyuchError
from embeddings.jobs import comparison_plan
from embeddings.jobs.comparison_plan import RETRAININGS, Compared, TwoPeriods, TwoTexts, change_plan
from embeddings.jobs.estimate import comparison_seconds, machine_factor
from embeddings.jobs.job_folder import jobs
from embeddings.results.trainings import SpeedSample
from embeddings.shelf import corpus_names

SOURCES = ("upload", "paste", "corpus")
CONTENTS = ("texts", "numbers")  # what stands beside the dates of a table
PERMUTATIONS = (20, 100)  # with fewer than 20, one changed word among many is never past the null
FEW_DOCUMENTS = 20  # of a side: with fewer, one long document makes the null vary
DATES = ("date", "year", "дата", "год", "datum", "jahr")  # usual names of columns
TEXTS = ("text", "texts", "текст", "тексты", "texte")
NUMBERS = ("documents", "document", "number", "документы", "документ", "dokumente", "dokument")


def show_compared_texts(page: PageState, way: str) -> None:
    """Ask for two texts or two periods, say how much there is to measure and how long it takes, and offer the start.

    Parameters
    ----------
    page : PageState
    way : str
        "texts" or "periods".
    """
    say = page.say
    st.markdown(say(f"sides.lead_{way}"))
    try:
        compared = _ask_texts(page) if way == "texts" else _ask_periods(page)
        with st.expander(say("common.more_settings"), icon=":material/tune:"):
            permutations = inputs.number(say, "sides_permutations", 20, *PERMUTATIONS)
            suggested = "" if isinstance(compared, InputError) else _suggested_report(compared).stem
            name = st.text_input(
                say("sides.name"),
                key="sides_name",
                placeholder=suggested,
                help=say("sides.name_help"),
                width=320,
            )
        if not isinstance(compared, InputError):
            _show_size(page, compared, permutations)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    if st.button(
        say("sides.start"), key="sides-start", icon=":material/play_arrow:", type="primary"
    ):
        try:
            _start(page.language, compared, permutations, (name or "").strip())
        except KlyuchError as error:
            outputs.refuse(say, error)


def _ask_texts(page: PageState) -> TwoTexts | InputError:
    """Ask for two texts."""
    own = corpus_names("text")
    left, right = st.columns(2, gap="large")
    with left:
        first = _ask(page, "sides_first", own)
    with right:
        second = _ask(page, "sides_second", own[1:] + own[:1])
    if first is None or second is None:
        return InputError("change_missing")
    return TwoTexts(first, second)


def _ask_periods(page: PageState) -> TwoPeriods | InputError:
    """Ask for a table with dates, its columns, the year that divides it, and the text whose documents it names."""
    say = page.say
    st.markdown(say("sides.table_form"))
    table = _ask(page, "sides_table", corpus_names("table"), "table")
    if table is None:
        return InputError("change_table_missing")
    columns = word_answers.table_columns(table)
    content = inputs.choice(say, "sides_content", CONTENTS, _usual_content(columns))
    labels = {column: column for column in columns}
    usual = TEXTS if content == "texts" else NUMBERS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        date = inputs.pick(say, "sides_date", columns, labels, _usual(columns, DATES))
        others = [column for column in columns if column != date]
        other = inputs.pick(say, "sides_column", others, labels, _usual(others, usual))
        year = inputs.line(say, "sides_year", "")
    text = _ask(page, "sides_text", corpus_names("text")) if content == "numbers" else None
    if content == "numbers" and text is None:
        return InputError("change_text_missing")
    if not re.fullmatch(r"[0-9]{1,4}", year):
        error = InputError("dates_year", year=year, low=YEARS[0], high=YEARS[1])
        if year:
            raise error
        return error
    return TwoPeriods(table, int(year), (date, other), text)


def _ask(page: PageState, prefix: str, own: Sequence[str], kind: str = "text") -> Path | None:
    """Ask for one text or table: pasted, uploaded, or one that is stored."""
    source = inputs.choice(page.say, prefix, SOURCES if own else SOURCES[:-1])
    return brought_text(page, prefix, source, own, kind)


def _usual_content(columns: Sequence[str]) -> str:
    """Return what a table most likely has next to its dates."""
    has_numbers = not set(columns).isdisjoint(NUMBERS) and set(columns).isdisjoint(TEXTS)
    return "numbers" if has_numbers else "texts"


def _usual(columns: Sequence[str], names: Sequence[str]) -> str:
    """Return the column that has a usual name, else the first."""
    return next((column for column in columns if column in names), columns[0])


def _suggested_report(compared: Compared) -> Path:
    """Return where a report can be written that is named after what it compares."""
    if isinstance(compared, TwoTexts):
        return free_report(f"{compared.first.name[:28]}-{compared.second.name[:28]}")
    return free_report(f"{(compared.text or compared.table).name[:50]}-{compared.year}")


def _show_size(page: PageState, compared: Compared, permutations: int) -> None:
    """Say how much there is to measure, how often both sides are trained, and how long that takes; sides too small are refused."""
    say, size = page.say, word_answers.compared_size(compared)
    comparison_plan.check_size(size, permutations)
    settings, least = comparison_plan.suited_settings(size)
    times = comparison_plan.trainings(permutations)
    sample = _speed(page, compared)
    seconds = comparison_seconds(sum(size.tokens), settings, times, jobs(), sample)
    st.markdown(
        say(
            "sides.size",
            words=comparison_plan.measured_words(size),
            least=least,
            tokens_first=size.tokens[0],
            tokens_second=size.tokens[1],
            documents_first=size.documents[0],
            documents_second=size.documents[1],
        )
    )
    st.markdown(
        say(
            "sides.time",
            trainings=times,
            permutations=permutations,
            retrainings=RETRAININGS,
            time=duration(say, seconds),
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


def _speed(page: PageState, compared: Compared) -> SpeedSample | None:
    """Return how fast this machine trains on a text, where no training of it has said so."""
    if machine_factor("skipgram", jobs())[1]:
        return None
    try:
        with st.spinner(page.say("train.sampling"), show_time=False):
            return training_answers.speed_sample(
                "skipgram", comparison_plan.example_files(compared)
            )
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return None


def _start(language: str, compared: Compared | InputError, permutations: int, name: str) -> None:
    """Start the comparison under a name."""
    if isinstance(compared, InputError):
        raise compared
    size = word_answers.compared_size(compared)
    running_comparison.start(
        "change",
        lambda: named_report(name) if name else _suggested_report(compared),
        lambda report: change_plan(compared, size, report, permutations, language),
    )

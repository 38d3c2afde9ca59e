"""Change: which words changed between two corpora, or when documents were left out, as reports measured it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import streamlit as st

from app import shelf_models
from app.answers import cached
from app.figures.model_comparison import changes_figure
from app.widgets import inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.comparison_answers import LEVEL, ChangeReport
from embeddings.errors import KlyuchError
from embeddings.jobs.job_answers import ComparisonSize
from embeddings.shelf.change_reports import (
    change_reports,
    is_shipped,
    read_report,
    report_language,
    report_provenance,
)

DRAWN = 15  # words of the figure; the table has all
CHANGE_MEASURES = ("movement", "retraining", "p", "q", "lost", "gained")  # columns of a word


@cached(64)
def change_language(path: Path) -> str:
    """Return the language of a report's texts; "" where it is not recorded, or the report is damaged."""
    try:
        return report_language(path)
    except KlyuchError:  # the page says what is wrong once it is chosen
        return ""


def reports_in_order(language: str) -> dict[str, Path]:
    """Return the reports: those of the models' language first, in it a user's own before those that ship."""

    def order(report: tuple[str, Path]) -> tuple[bool, bool]:
        _, path = report
        return change_language(path) not in ("", language), is_shipped(path)

    return dict(sorted(change_reports().items(), key=order))


def choose_report(page: PageState) -> tuple[str, Path | None]:
    """Let one of the reports be chosen, and show it; where there is none, say how to make one."""
    say, reports = page.say, reports_in_order(page.language)
    if not reports:
        st.caption(say("change.none"))
        return "", None
    labels = {
        name: say.get(f"change_name.{name}", name) if is_shipped(path) else name
        for name, path in reports.items()
    }
    name = inputs.pick(say, "change_report", list(reports), labels)
    with outputs.refusals_said(say):
        report, measured = shelf_models.ask(read_report, reports[name])
        _show_report(say, _with_own_quotes(say, report), measured)
    return name, reports[name]


def provenance(path: Path) -> list[str]:
    """Return what a citation says of a report; nothing where it cannot be read."""
    try:
        return [report_provenance(path)]
    except KlyuchError:
        return []


def _with_own_quotes(say: Wording, report: ChangeReport) -> ChangeReport:
    """Return a report that quotes what was left out as the language of the screen does; its file has English quotation marks."""
    quoted = re.sub("“(.*?)”", lambda word: say("common.quoted", text=word[1]), report.second)
    return replace(report, second=quoted)


def _show_report(say: Wording, report: ChangeReport, measured: int) -> None:
    """Show what was measured, and the words that changed significantly."""
    first, second = outputs.plain(report.first), outputs.plain(report.second)
    texts = {"first": first, "second": second, **side_sizes(report)}
    trials = {"permutations": report.permutations, "retrainings": report.retrainings}
    st.markdown(saved_files.note(say(f"change.{report.kind}", **texts, **trials)))
    changed = report.changed(LEVEL)
    is_cut = len(changed) == len(report.words) < measured
    past = "change.past_cut" if is_cut else "change.past"
    level = say.number(100 * LEVEL)
    st.markdown(saved_files.note(say(past, changed=len(changed), measured=measured, level=level)))
    how_to_read = say(f"change.read_{report.kind}") if changed else ""
    if not changed:
        _show_power(say, report, measured)
        changed = report.largest(DRAWN)
        st.markdown(say(f"change.candidates_{report.kind}", words=len(changed)))
    counts = [say("change.count", side=side) for side in (report.first, report.second)]
    if report.kind == "whatif":
        counts[1] = say("change.count_changed")
    if counts[0] == counts[1]:  # a text beside itself, or an older report of two of one name
        counts = [f"{count} ({number})" for number, count in enumerate(counts, 1)]
    measures = {say(f"change.{name}"): name for name in CHANGE_MEASURES}
    columns = {say("common.word"): "word", **measures}
    columns |= {counts[0]: "count_first", counts[1]: "count_second"}
    rows = outputs.rows_of(changed, columns)
    forms = {say(f"change.{name}"): say.significant for name in ("p", "q")}
    left, right = st.columns([2, 3], gap="large")
    with left:
        titles = (say("change.movement"), say("change.retraining"))
        figure = changes_figure(changed[:DRAWN], titles)
        alt = say("change.alt", first=report.first, second=report.second)
        outputs.figure(say, figure, "change", alt)
    with right:
        outputs.table(say, rows, "change", forms=forms)
    _show_means(say, report)
    if how_to_read:
        st.caption(how_to_read)
        _show_power(say, report, measured)
    _name_words_alone(say, report)


def side_sizes(of: ChangeReport | ComparisonSize) -> dict[str, int]:
    """Return the fields of a sentence that says how large both sides are."""
    names = ("tokens_first", "tokens_second", "documents_first", "documents_second")
    return dict(zip(names, (*of.tokens, *of.documents), strict=True))


def _show_power(say: Wording, report: ChangeReport, measured: int) -> None:
    """Say what texts of this size and so many trainings under the null can show at all."""
    p, q = (say.significant(value) for value in report.smallest_p(measured))
    st.caption(
        say(
            f"change.power_{report.kind}",
            trials=report.permutations or report.retrainings,
            documents=min(report.documents),
            measured=measured,
            p=p,
            q=q,
        )
    )


def _name_words_alone(say: Wording, report: ChangeReport) -> None:
    """Name the words that one side lacks, where the report records them."""
    if report.alone is None:
        return
    is_change = report.kind == "change"  # the second side of the other kind names what was left out
    keys = ("alone", "alone") if is_change else ("alone_whole", "alone_changed")
    for key, side, words in zip(keys, (report.first, report.second), report.alone, strict=True):
        if words:
            named = outputs.plain(say.list(words))
            st.caption(say(f"change.{key}", side=outputs.plain(side), words=named))


def _show_means(say: Wording, report: ChangeReport) -> None:
    """Show the mean shift of words, and that of a new seed alone."""
    if not report.words:
        return
    moved, by_seed = (
        fmean(getattr(word, name) for word in report.words) for name in ("movement", "retraining")
    )
    numbers = {"moved": say.number(moved, 3), "by_seed": say.number(by_seed, 3)}
    st.markdown(say("change.means", words=len(report.words), **numbers))

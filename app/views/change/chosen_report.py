"""Change: which words changed between two corpora, or when documents were left out, as reports measured it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import fmean

import pandas as pd
import streamlit as st

from app import access
from app.figures.model_comparison import changes_figure
from app.loaders import shelf_models, word_answers
from app.widgets import inputs, outputs, saved_files
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.analysis.vector_answers import LEVEL, ChangeReport
from embeddings.errors import KlyuchError
from embeddings.shelf.change_reports import (
    change_reports,
    is_shipped,
    read_report,
    report_origin,
    report_provenance,
    report_value,
)

DRAWN = 15  # words of the figure; the table has all


VIEWS = ("report", "texts", "periods", "whatif")
FORMER = {  # addresses of the time when all of this was on Compare
    "periods": {"sides_way": "texts"},
    "texts": {"sides_first": "paste", "sides_second": "paste", "sides_permutations": "20"},
    "whatif": {
        "whatif_word": "",
        "whatif_documents": "",
        "whatif_swap": "nothing",
        "whatif_corpus": "demonstration",
    },
}


def names_of_reports(language: str) -> list[str]:
    """Return the names of the reports, in the order in which they are offered."""
    return _in_order(change_reports(), language)


def show_chosen_report(page: PageState) -> None:
    """Show one of the reports that there are, or how to make one."""
    say = page.say
    reports = change_reports()
    if not reports:
        st.caption(say("change.none"))
        return
    names = _in_order(reports, page.language)
    labels = {
        name: say.get(f"change_name.{name}", name) if is_shipped(reports[name]) else name
        for name in names
    }
    name = inputs.pick(say, "change_report", names, labels)
    try:
        _show_report(page, *shelf_models.ask(read_report, reports[name]))
    except KlyuchError as error:
        outputs.refuse(say, error)


def offer_json(page: PageState) -> None:
    """Offer the chosen report as a file."""
    say, name = page.say, str(st.session_state.get("change_report", ""))
    path = change_reports().get(name)
    if path is None:
        return
    outputs.download(
        say("change.json"),
        lambda: report_json(*shelf_models.ask(read_report, path), path),
        f"{name}.json",
        "change-json",
        help=say("change.json_help"),
    )


def provenance() -> list[str]:
    """Return what a citation says of the chosen report; nothing where there is none that can be read."""
    path = change_reports().get(str(st.session_state.get("change_report", "")))
    try:
        return [report_provenance(path)] if path else []
    except KlyuchError:
        return []


def code() -> str:
    """Python that prints the first words of the chosen report: how far each moved, and its corrected p value."""
    name = str(st.session_state.get("change_report", ""))
    return (
        "from embeddings.shelf.change_reports import change_reports, read_report\n\n"
        f"report, measured = read_report(change_reports()[{name!r}])\n"
        "for change in report.words[:10]:\n    print(change.word, round(change.movement, 3), change.q)"
    )


def report_json(report: ChangeReport, measured: int, path: Path) -> str:
    """Return a report as its file has it, with how it was made; a shared server's folders are left out of the command."""
    origin = report_origin(path)
    if "command" in origin:
        origin["command"] = access.without_folders(str(origin["command"]))
    return json.dumps(report_value(report, measured, origin), ensure_ascii=False, indent=2)


def _in_order(reports: Mapping[str, Path], language: str) -> list[str]:
    """Return the names of the reports: those of the models' language first, in it a user's own before those that ship."""

    def place(name: str) -> tuple[bool, bool]:
        path = reports[name]
        return word_answers.change_language(path) not in ("", language), is_shipped(path)

    return sorted(reports, key=place)


def _show_report(page: PageState, report: ChangeReport, measured: int) -> None:
    """Show what was measured, and the words that changed significantly."""
    say = page.say
    first, second = outputs.plain(report.first), outputs.plain(report.second)
    st.markdown(
        saved_files.note(
            say(
                f"change.{report.kind}",
                first=first,
                second=second,
                tokens_first=report.tokens[0],
                tokens_second=report.tokens[1],
                documents_first=report.documents[0],
                documents_second=report.documents[1],
                permutations=report.permutations,
                retrainings=report.retrainings,
            )
        )
    )
    changed = report.changed(LEVEL)
    is_cut = len(changed) == len(report.words) < measured
    past = "change.past_cut" if is_cut else "change.past"
    level = say.number(100 * LEVEL)
    st.markdown(saved_files.note(say(past, changed=len(changed), measured=measured, level=level)))
    how_to_read = say(f"change.read_{report.kind}") if changed else ""
    if not changed:
        _show_power(page, report, measured)
        changed = report.largest(DRAWN)
        st.markdown(say(f"change.candidates_{report.kind}", words=len(changed)))
    counts = [say("change.count", side=side) for side in (report.first, report.second)]
    if report.kind == "whatif":
        counts[1] = say("change.count_changed")
    if counts[0] == counts[1]:  # a text beside itself, or an older report of two of one name
        counts = [f"{count} ({number})" for number, count in enumerate(counts, 1)]
    rows = pd.DataFrame(
        {
            say("common.word"): [word.word for word in changed],
            say("change.movement"): [word.movement for word in changed],
            say("change.retraining"): [word.retraining for word in changed],
            say("change.p"): [word.p for word in changed],
            say("change.q"): [word.q for word in changed],
            say("change.lost"): [", ".join(word.lost) for word in changed],
            say("change.gained"): [", ".join(word.gained) for word in changed],
            counts[0]: [word.count_first for word in changed],
            counts[1]: [word.count_second for word in changed],
        }
    )
    forms = {say(f"change.{name}"): partial(p_text, say) for name in ("p", "q")}
    left, right = st.columns([2, 3], gap="large")
    with left:
        titles = (say("change.movement"), say("change.retraining"))
        figure = changes_figure(changed[:DRAWN], titles)
        alt = say("change.alt", first=report.first, second=report.second)
        outputs.figure(say, figure, "change", alt)
    with right:
        outputs.table(say, rows, "change", forms=forms)
    _show_means(page, report)
    if how_to_read:
        st.caption(how_to_read)
        _show_power(page, report, measured)
    _name_words_alone(page, report)


def p_text(say: Wording, p: float) -> str:
    """Return a p value with two digits that count: 0.00071, 0.05, 0.8."""
    digits = 1 - math.floor(math.log10(p)) if p > 0 else 2
    return say.number(p, max(2, digits))


def _show_power(page: PageState, report: ChangeReport, measured: int) -> None:
    """Say what texts of this size and so many trainings under the null can show at all."""
    say = page.say
    p, q = (p_text(say, value) for value in report.smallest_p(measured))
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


def _name_words_alone(page: PageState, report: ChangeReport) -> None:
    """Name the words that one side lacks, where the report records them."""
    say = page.say
    if report.alone is None:
        return
    is_change = report.kind == "change"  # the second side of the other kind names what was left out
    keys = ("alone", "alone") if is_change else ("alone_whole", "alone_changed")
    for key, side, words in zip(keys, (report.first, report.second), report.alone, strict=True):
        if words:
            named = outputs.plain(say.list(words))
            st.caption(say(f"change.{key}", side=outputs.plain(side), words=named))


def _show_means(page: PageState, report: ChangeReport) -> None:
    """Show the mean shift of words, and that of a new seed alone."""
    if not report.words:
        return
    say = page.say
    moved, by_seed = (
        fmean(getattr(word, name) for word in report.words) for name in ("movement", "retraining")
    )
    numbers = {"moved": say.number(moved, 3), "by_seed": say.number(by_seed, 3)}
    st.markdown(say("change.means", words=len(report.words), **numbers))

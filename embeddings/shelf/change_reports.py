"""Reports of what changed between two corpora, as JSON: what ships in ``data/changes``, the user's own in ``KLYUCH_HOME/changes``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from embeddings.analysis.comparison_answers import CHANGE_KINDS, ChangeReport
from embeddings.configuration import ShapeError, decode
from embeddings.errors import FormatError
from embeddings.files import read_json, read_sealed, sealed, sha256, write_json
from embeddings.shelf.locations import data, home

SUFFIX = ".json"
CHANGE_REPORT_FORMAT = "klyuch-change-1"
CHANGES_FOLDER = "changes"
MOST_KEPT = 1_000  # words of a report that are kept: the surest
ORIGIN = ("command", "commit", "versions", "machine")  # how a report was made
MOST_ALONE = 20  # words named of those that one side lacks


def change_reports() -> dict[str, Path]:
    """Return the reports there are, by name: a user's own, then those that ship under other names."""
    shipped, own = (
        {path.stem: path for path in sorted((folder / CHANGES_FOLDER).glob(f"*{SUFFIX}"))}
        for folder in (data(), home())
    )
    return {**own, **{name: path for name, path in shipped.items() if name not in own}}


def is_shipped(path: Path) -> bool:
    """Whether a report is one of those that ship."""
    return path.parent == data() / CHANGES_FOLDER


def report_language(path: Path) -> str:
    """Return the language of a report's texts; "" where it is not recorded."""
    if is_shipped(path):
        return path.stem.partition("-")[0]
    return str(read_json(path).get("language", ""))


def report_path(name_or_path: str) -> Path:
    """Return where a report is kept: a mere name lies in the user's own folder."""
    path = Path(name_or_path).expanduser()
    if path.name == name_or_path and not path.suffix:
        return own_report(name_or_path)
    return path


def own_report(name: str) -> Path:
    """Return where a user's own report of that name is kept."""
    return home() / CHANGES_FOLDER / f"{name}{SUFFIX}"


def save_report(
    report: ChangeReport, path: Path, about: Mapping[str, object], most: int = MOST_KEPT
) -> None:
    """Write a report with the number of its words and what else is known of it; the surest ``most`` words are kept."""
    write_json(
        path, report_value(replace(report, words=report.words[:most]), len(report.words), about)
    )


def report_value(
    report: ChangeReport, measured: int, about: Mapping[str, object]
) -> dict[str, object]:
    """Return a report as JSON, with the number of words that were measured and what else is known of it, under its seal."""
    return sealed({"format": CHANGE_REPORT_FORMAT, "measured": measured, **about, **asdict(report)})


def change_report(name: str) -> ChangeReport:
    """Return the report of that name, a user's own or one that ships; raises as `read_report`."""
    return read_report(change_reports().get(name) or report_path(name))[0]


def read_report(path: Path) -> tuple[ChangeReport, int]:
    """Read a report, and how many words were measured.

    Raises
    ------
    KlyuchError
        If it is missing, damaged or no report.
    """
    value = read_sealed(path)
    try:
        if value.get("format") != CHANGE_REPORT_FORMAT or value.get("kind") not in CHANGE_KINDS:
            raise ShapeError("kind")
        # of which an older one says nothing
        report = decode(ChangeReport, {"alone": None, **value})
        return report, decode(int, value.get("measured"), "measured")
    except ShapeError as error:
        raise FormatError("change_report_field", path=path, field=error) from error


def report_provenance(path: Path) -> str:
    """Return a report's name, the commit it was made at, and the sha256 of its file in one line."""
    commit = str(report_origin(path).get("commit", ""))[:12]
    return "; ".join(
        filter(None, [path.stem, commit and f"commit {commit}", f"sha256 {sha256(path)[:16]}"])
    )


def report_origin(path: Path) -> dict[str, object]:
    """Return how a stored report was made, as far as it says: a report of before lacks some of `ORIGIN`."""
    value = read_json(path)
    return {name: value[name] for name in ORIGIN if value.get(name)}

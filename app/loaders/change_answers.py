"""Reports of change, read once per state of their files; the sizes of what is to be compared."""

from __future__ import annotations

from pathlib import Path

from app.answers import cached, file_key
from embeddings.errors import KlyuchError
from embeddings.jobs import comparison_plan
from embeddings.jobs.comparison_plan import Compared, TwoPeriods, TwoTexts
from embeddings.results.vector_answers import ChangeReport, ComparisonSize
from embeddings.shelf.change_reports import read_report, report_language


@cached(8)
def report(path: Path) -> tuple[ChangeReport, int]:
    """Return a report and how many words were measured."""
    return read_report(path)


@cached(64)
def language(path: Path) -> str:
    """Return the language of a report's texts; "" where it is not recorded, or the report is damaged."""
    try:
        return report_language(path)
    except KlyuchError:  # the page says what is wrong once it is chosen
        return ""


@cached(8)
def columns(table: Path) -> tuple[str, ...]:
    """Return the names of the columns of a stored table."""
    from embeddings.corpora.dated_texts import column_names, dated_table

    return column_names(dated_table(table))


def _texts_key(texts: TwoTexts) -> tuple[object, ...]:
    """Return two texts and their states."""
    return file_key(texts.first), file_key(texts.second)


def _periods_key(periods: TwoPeriods) -> tuple[object, ...]:
    """Return how texts are divided, and their state."""
    text = periods.text and file_key(periods.text)
    return file_key(periods.table), periods.year, periods.columns, text


@cached(16, {TwoTexts: _texts_key, TwoPeriods: _periods_key}, is_heavy=True)
def size(compared: Compared) -> ComparisonSize:
    """Return how much text two sides have."""
    return comparison_plan.compared_size(compared)

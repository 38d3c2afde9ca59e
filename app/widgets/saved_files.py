"""What a view shows, gathered as it is drawn, and written as one HTML file when a person asks for it.

Tables and figures come here by themselves (`app.widgets.outputs`); a view adds what it says in sentences alone (`note`), or makes its
file itself (`make_by`).
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from app.figures.plain_figure import Figure
from app.widgets import address
from app.wording import Wording
from embeddings.errors import InputError
from embeddings.saved_page.answer import Point, Row, SavedAnswer, Scatter, Source, Table
from embeddings.saved_page.html_page import saved_page

if TYPE_CHECKING:
    import pandas as pd


PAGES = (
    *("explore", "associations", "analogies", "compare", "change"),
    *("contexts", "fill", "grammar", "classify"),
)  # that offer a file
MAPS = ("map", "plane", "contexts", "compare-map")  # figures of points
COORDINATES = ("map", "compare-map")  # tables of nothing but places
STRONG = 12  # size of a point from which on it is drawn larger
TABLE_ROW_LIMITS = (2_000, 500, 100)  # of a table: fewer where a file would be too large
POINTS = 4  # of a figure for each such row at most
ENDS = (("x", "y"), ("ax", "ay"))  # of an arrow
RANGE = ("spread.lowest", "spread.highest")  # columns with the ends of a range
PLACES = ("x", "y")  # columns that the figure shows
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
TAG = re.compile(r"<[^>]+>")
Forms = Mapping[Any, Callable[[Any], str]]


@dataclass
class Shown:
    """What a run of a page has shown so far: tables by key, each with how its columns are written; ``write`` once a file is offered."""

    title: str = ""
    notes: list[str] = field(default_factory=list)
    tables: dict[str, tuple[Callable[[], pd.DataFrame], Forms]] = field(default_factory=dict)
    boxes: list[Callable[[], None]] = field(default_factory=list)
    alts: dict[str, str] = field(default_factory=dict)  # of bars and curves, by key
    figure: tuple[Figure, str] | None = None
    make: Callable[[Source], SavedAnswer] | None = None
    write: Callable[[], str] | None = None
    has_footer: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing for a file yet."""
        return not (self.notes or self.tables or self.boxes or self.figure or self.make)


_WRITING: ContextVar[Shown | None] = ContextVar("_WRITING", default=None)


def start(title: str) -> None:
    """Begin a page."""
    st.session_state["_shown"] = Shown(title)


def shown() -> Shown:
    """Return what this run has shown."""
    return _WRITING.get() or st.session_state.setdefault("_shown", Shown())


def is_writing() -> bool:
    """Whether a file is being made: closed boxes are then asked for their tables, and nothing is drawn."""
    return _WRITING.get() is not None


def note(sentence: str) -> str:
    """Add a sentence to what the page has shown, and return it; the file has it without Markdown."""
    shown().notes.append(re.sub(r"\\(.)|\*+|\u2060", r"\1", sentence))
    return sentence


def make_by(make: Callable[[Source], SavedAnswer]) -> None:
    """Let a view make its file itself."""
    shown().make = make


def page_link() -> str:
    """Return the address that opens the page as it is; "" where the browser did not tell its own."""
    url = (st.context.url or "").partition("?")[0]
    return f"{url}?{urlencode(address.settings())}" if url else ""


def source_of(say: Wording, citations: Callable[[], Sequence[str]]) -> Callable[[], Source]:
    """Return what tells where the answer comes from; the link back and the settings are those of now."""
    settings, link = address.settings(), page_link()
    facts = {
        name: _setting(say, key, value)
        for key, value in settings.items()
        if (name := say.get(f"{key}.label"))
    }

    def source() -> Source:
        day = say.date(datetime.date.today().isoformat())
        return Source(tuple(citations()), facts, day, link, say.language, say.number)

    return source


def _setting(say: Wording, key: str, value: str) -> str:
    """Return a setting as the page says it."""
    if isinstance(st.session_state.get(key), bool):
        return say("common.yes" if st.session_state[key] else "common.no")
    return say.get(f"{key}.{value}", value)


def writer(
    say: Wording, models: Sequence[str], make_source: Callable[[], Source]
) -> Callable[[], str]:
    """Return what writes the file of what was shown.

    The first setting that somebody typed, which is no name of ``models``, is the question.
    """
    view, settings = shown(), address.settings()
    typed = (
        value
        for key, value in settings.items()
        if say.get(f"{key}.label") and not say.get(f"{key}.{value}") and value not in models
    )
    asked = next((value for value in typed if any(map(str.isalpha, value))), "")

    def write() -> str:
        source = make_source()
        if view.make is not None:
            return saved_page(view.make(source))
        token = _WRITING.set(view)
        try:
            for fill in view.boxes:
                fill()
        finally:
            _WRITING.reset(token)
        for most in TABLE_ROW_LIMITS[:-1]:
            try:
                return saved_page(_answer(say, view, asked, source, most))
            except InputError:  # too large
                continue
        return saved_page(_answer(say, view, asked, source, TABLE_ROW_LIMITS[-1]))

    view.write = write
    return write


def _answer(say: Wording, view: Shown, asked: str, source: Source, most: int) -> SavedAnswer:
    """Return the answer with at most so many lines of each table."""
    made = [
        (view.alts.get(key, ""), make(), forms)
        for key, (make, forms) in view.tables.items()
        if key not in COORDINATES
    ]
    notes = [*view.notes]
    if any(len(rows) > most for _, rows, _ in made):
        notes.append(say("common.save_cut", rows=most))
    figure = scatter_of(*view.figure) if view.figure else None
    if figure is not None:
        figure = replace(figure, points=figure.points[: POINTS * most])
    tables = [_table(say, title, rows[:most], forms) for title, rows, forms in made]
    return SavedAnswer(view.title, asked, source, tuple(tables), figure, tuple(notes))


def _table(say: Wording, title: str, rows: pd.DataFrame, forms: Forms) -> Table:
    """Return a table with its first fractions as bars, with their ranges; a line is linked by its word, its number, or its first text."""
    rows = rows.drop(columns=[name for name in PLACES if name in rows.columns])
    texts = [name for name in rows.columns if rows[name].dtype.kind not in "fiub"]
    linked = next((name for name in (say("common.word"), "#", *texts) if name in rows.columns), "")
    measure = next((name for name in rows.columns if rows[name].dtype.kind == "f"), "")
    ends = [name for key in RANGE if (name := say(key)) in rows.columns]
    drawn = [measure, *ends] if len(ends) == len(RANGE) else [measure]
    written = forms_of(say, rows, forms)
    lines = []
    for line in rows.to_dict("records"):
        cells = tuple(_cell(value, written.get(name, str)) for name, value in line.items())
        bar = tuple(float(line.get(name, math.nan)) for name in drawn)
        bar = bar if all(map(math.isfinite, bar)) else ()
        lines.append(Row(str(line.get(linked, "")), cells, bar))
    at = list(rows.columns).index(measure) if measure else -1
    return Table(title, tuple(map(str, rows.columns)), tuple(lines), measure=at)


def _cell(value: Any, form: Callable[[Any], str]) -> str:
    """Return a cell as the page writes it."""
    return "–" if value is None or (isinstance(value, float) and math.isnan(value)) else form(value)


def forms_of(say: Wording, rows: pd.DataFrame, forms: Forms) -> dict[Any, Callable[[Any], str]]:
    """Return how the numbers of each column are written, as ``forms`` says or as the screen's language writes them.

    A fraction has four digits, and more where it is so small that not two of them would count; a count has none.
    """
    kinds = {name: dtype.kind for name, dtype in rows.dtypes.items()}
    written: dict[Any, Callable[[Any], str]] = {}
    for name, kind in kinds.items():
        if kind in "iu" or (kind == "f" and _is_count(rows[name])):
            written[name] = say.number
        elif kind == "f":
            written[name] = partial(say.significant, least=4)
    return {**written, **forms}


def _is_count(column: pd.Series[float]) -> bool:
    """Whether a column holds whole numbers alone, more than 1 among them: counts with some missing."""
    numbers = [number for number in column.tolist() if not math.isnan(number)]
    return all(number % 1 == 0 for number in numbers) and any(abs(n) > 1 for n in numbers)


def scatter_of(figure: Figure, title: str) -> Scatter | None:
    """Return the points of a figure in a plane, with its arrows as lines; None where it has none.

    A point is the word or the number that it carries on the page; what has no name is left out.
    """
    points: list[Point] = []
    colours: dict[str, str] = {}
    for trace in figure.data:
        if trace["type"] in ("scatter", "scattergl"):
            points += _points(trace, colours)
    rows = {(round(point.x, 6), round(point.y, 6)): row for row, point in enumerate(points)}
    ends = [
        [rows.get((round(float(arrow[x]), 6), round(float(arrow[y]), 6))) for x, y in ENDS]
        for arrow in figure.layout.get("annotations", [])
        if arrow.get("axref") == "x"
    ]
    lines = tuple((a, b) for a, b in ends if a is not None and b is not None)
    axes = [figure.layout[name].get("title", {}).get("text", "") for name in ("xaxis", "yaxis")]
    return (
        Scatter(title, tuple(points), colours, tuple(filter(None, axes)), lines) if points else None
    )


def _points(trace: Mapping[str, Any], colours: dict[str, str]) -> list[Point]:
    """Return the points of a trace, and add the colours of their groups."""
    marker = trace.get("marker", {})
    names = trace.get("text") or []
    words = trace.get("customdata") or []
    points = []
    for row, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        word = words[row][0] if len(words) and isinstance(words[row], list) else None
        item = word or (unescape(TAG.sub("", names[row])) if row < len(names) else "")
        if not item:
            continue
        size, colour = (_of(marker.get(name), row) for name in ("size", "color"))
        colour = str(colour) if COLOUR.fullmatch(str(colour)) else ""
        group = unescape(trace.get("name", "")) or colour
        colours.setdefault(group, colour)
        points.append(Point(item, float(x), float(y), group, (size or 0) > STRONG))
    return points


def _of(values: Any, row: int) -> Any:
    """Return a point's own value, or the one of all."""
    return values[row] if isinstance(values, list) else values

"""What a page gives back: refusals, figures, tables, files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from mimetypes import guess_type
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import plotly.io
import streamlit as st
from plotly.basedatatypes import BaseFigure

from app import access, events
from app.figures.palette import ink
from app.figures.plain_figure import Figure
from app.widgets import address, frame, inputs, saved_files
from app.widgets.frame import MODELS, PageState
from app.wording import Wording
from embeddings.errors import KlyuchError, UnknownWordError
from embeddings.results import Progress, Report

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

    from app.streamlit_private import DeltaGenerator


COMPONENTS = Path(__file__).resolve().parent.parent / "components"
ICON = COMPONENTS / "icon.svg"
LOGO = (COMPONENTS / "logo.svg").read_text(encoding="utf-8")
ADDRESS = re.compile(r"(?i)https?(?=:)|www(?=\.)|\S(?=@)")  # escaped signs do not stop these
MARKUP = re.compile(r"[\\`*_\[\]<>$~#]|:\S|(?i:https?:|www\.)|\S@")
MODEBAR = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtonsToRemove": ["autoScale2d", "hoverClosestCartesian", "hoverCompareCartesian"],
}


class Halt(Exception):  # noqa: N818 - not an error
    """Ends a page early; unlike ``st.stop()`` it lets the address be written."""


def end(sentence: str) -> NoReturn:
    """Say what is missing, and end the page."""
    st.info(sentence)
    raise Halt


def heading(page: PageState, name: str, *, on_vectors: bool = True, models: bool = True) -> None:
    """Write the page's question, and a line on it with the rest of its lead as help; a page on vectors ends here without a model.

    Next to the question the language and, on pages of static vectors, the models are chosen, unless ``models`` is off.
    """
    say = page.say
    saved_files.start(say(f"{name}.title"))
    looking = "" if access.may_change() else say.get(f"{name}.looking")
    line, _, rest = say(f"{name}.lead").partition(". ")
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"
    ):
        with st.container(width="content", gap=None):
            st.title(say(f"{name}.title"), anchor=False)
            if looking:
                st.markdown(looking)
            else:
                st.markdown(f"{line}." if rest else line, help=rest or None)
        if models:
            frame.choose_models(page)
    for entry, error in page.unreadable:
        refuse(say, error, models=[page.label(entry)])
    if on_vectors and page.unreadable and not page.entries:
        raise Halt
    if on_vectors and not page.entries:
        end(say("frame.no_models", language=say(f"language.{page.language}")))


@st.fragment
def lazy_expander(say: Wording, label: str, key: str, icon: str, fill: Callable[[], None]) -> None:
    """Show a closed box for what is costly to draw: ``fill`` draws it while it is open, and opening it reruns the expander alone.

    Texts and code cost little and are in plain expanders, which open without asking the server.
    """
    if label in TABLES:
        saved_files.shown().boxes.append(fill)
    expander = st.expander(say(label), icon=icon, key=f"box-{key}", on_change="rerun")
    if not expander.open:
        return
    with expander, refusals_said(say):  # a model may be gone since the page was drawn
        fill()


TABLES = ("common.as_table", "grammar.table")  # labels of boxes that hold a table
CODES_WITH_REASON = ("word_uncounted", "word_without_contexts", "word_table")


@contextmanager
def progress_bar(say: Wording, key: str = "", **fields: object) -> Iterator[Report]:
    """Show how far a task has come, by its phase or a sentence with {done} and {total} or {share}; the bar goes when the task ends."""
    bar = st.empty()

    def show(progress: Progress) -> None:
        share = min(1.0, progress.done / max(1, progress.total))
        counts = {"done": progress.done, "total": progress.total, "share": say.number(100 * share)}
        bar.progress(share, say(key, **counts, **fields) if key else progress.phase)

    try:
        yield show
    finally:
        bar.empty()


@contextmanager
def refusals_said(say: Wording, *models: str) -> Iterator[None]:
    """Say the refusal of what is done in the block, with the labels of the ``models`` that refuse; the page goes on after it."""
    try:
        yield
    except KlyuchError as error:
        refuse(say, error, models=models)


@contextmanager
def refusal_kept() -> Iterator[None]:
    """Keep the refusal of a button's action for the run of the page that follows (`show_kept_refusal`)."""
    st.session_state.pop("_refusal", None)
    try:
        yield
    except KlyuchError as error:
        events.note("refused", code=error.code)
        st.session_state["_refusal"] = error


def show_kept_refusal(say: Wording) -> None:
    """Say once why the last button's action was refused."""
    if error := st.session_state.pop("_refusal", None):
        refuse(say, error)


def refuse(
    say: Wording,
    error: KlyuchError,
    replace: Callable[[str], dict[str, object]] | None = None,
    key: str = "",
    models: Sequence[str] = (),
) -> None:
    """Say a refusal; ``replace`` turns a close spelling's button into widget values.

    ``models`` are the labels of those that refuse; the sentence names them.
    """
    named = say.refusal_of(error, models) if models else say.error(error)
    sentence, _, drawing = access.without_folders(named).partition("\n")
    st.info(plain(sentence), icon=":material/info:")
    if drawing:  # a formula with a caret under the place
        st.code(drawing, language=None)
    if isinstance(error, UnknownWordError):
        if error.code not in CODES_WITH_REASON:  # their sentences say why
            st.caption(why(say, error))
        if replace is not None:
            instead(say, error.suggestions, replace, key)


def say_absent(say: Wording, place: DeltaGenerator) -> None:
    """Say in ``place`` what a link asked for that is not here, next to what is shown instead."""
    for key, (asked, held) in address.absent(MODELS).items():
        name = say.get(f"{key}.label") or say.get(f"frame.{key}") or key
        shown = say.get(f"{key}.{held}") or held.replace(",", ", ")
        sentence = "frame.absent" if shown else "frame.absent_none"
        place.warning(plain(say(sentence, asked=asked, setting=name, shown=shown)))


def why(say: Wording, error: UnknownWordError) -> str:
    """Return why a word has no vector: not in a table of common ones, never seen, too rare, or not known."""
    if error.code == "word_table":
        return say("unknown.table")
    if error.count:
        return say("unknown.rare")
    return say("unknown.why" if error.count is None else "unknown.never")


def instead(
    say: Wording, words: Sequence[str], replace: Callable[[str], dict[str, object]], key: str
) -> None:
    """Offer words as buttons that put them in an unknown word's place."""
    if not words:
        return
    with st.container(horizontal=True):
        for word in words:
            inputs.put_button(
                plain(word),
                f"instead-{key}-{word}",
                replace(word),
                help=say("unknown.instead", word=plain(word)),
            )


SELECTING = {"select": "event", "lasso": "event"}  # what Streamlit would set, and draw again


def figure(
    say: Wording,
    drawn: Figure,
    key: str,
    alt: str,
    **options: Any,
) -> Any:
    """Show a figure, which Plotly's camera button saves as SVG; return what is selected on it."""
    if options.get("on_select", "ignore") != "ignore":
        drawn.layout["clickmode"] = SELECTING.get(drawn.layout.get("dragmode", ""), "event+select")
    if key in saved_files.MAPS:
        saved_files.shown().figure = (drawn, alt)
    else:
        saved_files.shown().alts[key] = alt
    drawn.layout["separators"] = say.separators
    inked = ink(drawn, st.context.theme.type == "dark")
    return st.plotly_chart(
        SpecFigure(inked),
        key=key,
        theme="streamlit",
        config={
            **MODEBAR,
            "toImageButtonOptions": {"format": "svg", "filename": f"klyuch-{key}"},
        },
        alt=alt,
        **options,
    )


class SpecFigure(BaseFigure):  # type: ignore[misc]
    """A figure for ``st.plotly_chart`` whose properties Plotly does not check again: that takes 10 to 30 ms of each click."""

    def __init__(self, figure: Figure) -> None:  # the base class would build Plotly's objects
        spec = figure.to_dict()
        template = _template(plotly.io.templates.default)  # Streamlit writes its theme over it
        self._spec = {**spec, "layout": {"template": template, **spec["layout"]}}

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as Plotly's JavaScript reads it."""
        return self._spec


@cache
def _template(name: str) -> dict[str, Any]:
    """Return one of Plotly's templates as a dictionary."""
    template: dict[str, Any] = plotly.io.templates[name].to_plotly_json()
    return template


def table(  # noqa: PLR0913 - what a table can have
    say: Wording,
    rows: pd.DataFrame,
    key: str,
    config: Mapping[str, Any] | None = None,
    forms: Mapping[str, Callable[[Any], str]] | None = None,
    shares: Sequence[str] = (),
    on_row: Callable[[int], None] | None = None,
) -> None:
    """Show a table and offer it as CSV (UTF-8, full precision).

    Numbers are written as `saved_files.forms_of` says, and are still ordered as numbers; ``config`` has the other columns.
    The cells of ``shares``, numbers from 0 to 1, are the darker, the larger. ``on_row`` is called with the number of a line
    that is clicked, before the page is drawn again.
    """
    saved_files.shown().tables[key] = (lambda: rows, forms or {})
    if saved_files.is_writing():
        return
    written = saved_files.forms_of(say, rows.drop(columns=list(config or {})), forms or {})
    choosing: dict[str, Any] = {}
    if on_row is not None:
        choosing = {
            "key": f"rows-{key}",
            "on_select": partial(_take_row, f"rows-{key}", on_row),
            "selection_mode": "single-row",
        }
    st.dataframe(
        styled(rows, written, shares),
        hide_index=True,
        column_config=dict(config or {}),
        width="stretch",
        placeholder="–",
        **choosing,
    )
    csv(say, lambda: rows, key)


Columns = Mapping[str, str | Callable[[Any], object]]


def rows_of(items: Sequence[Any], columns: Columns) -> pd.DataFrame:
    """Return a table with a line an item.

    ``columns`` gives by its title what fills a column: an attribute of the items, or a function of them; words of a tuple are listed.
    """
    import pandas as pd

    values = {title: attrgetter(of) if isinstance(of, str) else of for title, of in columns.items()}
    return pd.DataFrame(
        {title: [_listed(value(item)) for item in items] for title, value in values.items()}
    )


def _listed(value: object) -> object:
    """Return the words of a tuple as one text, anything else unchanged."""
    return ", ".join(value) if isinstance(value, tuple) else value


def closed_table(
    say: Wording,
    make: Callable[[], pd.DataFrame],
    key: str,
    label: str = "common.as_table",
    icon: str = ":material/table_rows:",
    **options: Any,
) -> None:
    """Offer a table in a closed box, which makes its rows when it is opened; ``options`` are those of `table`."""
    lazy_expander(say, label, key, icon, lambda: table(say, make(), key, **options))


def styled(
    rows: pd.DataFrame, forms: Mapping[Any, Callable[[Any], str]], shares: Sequence[str]
) -> Styler:
    """Return a table with the text of each cell, and a darker ground for larger shares."""
    style = rows.style.format({name: forms.get(name, str) for name in rows.columns})
    if shares:
        style = style.map(lambda share: f"background-color: {ground(share)}", subset=list(shares))
    return style


def ground(share: float) -> str:
    """Return the colour behind a cell with a share from 0 to 1."""
    return f"rgba(0, 114, 178, {0.5 * share:.3f})"


def _take_row(key: str, on_row: Callable[[int], None]) -> None:
    """Hand on which line of a table was clicked."""
    if chosen := st.session_state[key]["selection"]["rows"]:
        on_row(int(chosen[0]))


def written_table(rows: pd.DataFrame) -> None:
    """Show a table of text; nothing in its cells, index and names of columns is read as Markdown."""
    escaped = rows.map(_plain_cell).rename(index=_plain_cell, columns=_plain_cell)
    if isinstance(rows.index.name, str):
        escaped.index.name = plain(rows.index.name)
    st.table(escaped)


def facts_table(say: Wording, facts: Mapping[str, object]) -> None:
    """Show facts with their names, a line a fact."""
    import pandas as pd

    headings = [say("shelf_card.fact"), say("shelf_card.value")]
    written_table(pd.DataFrame(facts.items(), columns=headings).set_index(headings[0]))


def _plain_cell(value: Any) -> Any:
    """Keep text from being read as Markdown; what has no sign of it, and anything but text, as it is."""
    return plain(value) if isinstance(value, str) and MARKUP.search(value) else value


BLANKS = {  # test sets of blanks on the cards of networks
    "short sentences": "testset.short_sentences",
    "everyday sentences": "testset.everyday_sentences",
}


def title_of_test_set(say: Wording, name: str) -> str:
    """Return what people call a test set, by the name of its file; the name itself where it has no title.

    A name may end in a language: "short sentences ru".
    """
    whole, _, code = name.rpartition(" ")
    if language := say.get(f"language.{code}") if whole else "":
        return f"{say(BLANKS[whole]) if whole in BLANKS else whole}, {language}"
    return say.get(f"testset.{Path(name).stem}", name)


def csv(say: Wording, make: Callable[[], pd.DataFrame], key: str) -> None:
    """Offer a table as CSV."""
    saved_files.shown().tables.setdefault(key, (make, {}))
    download(
        say("common.csv"),
        lambda: csv_bytes(make()),
        f"klyuch-{key}.csv",
        f"csv-{key}",
        help=say("common.csv_help"),
    )


def csv_bytes(rows: pd.DataFrame) -> bytes:
    """Return a table as a CSV file, with the mark of UTF-8: without it Excel misreads letters."""
    return rows.to_csv(index=False).encode("utf-8-sig")


def download(  # noqa: PLR0913 - what a button has
    label: str,
    make: Callable[[], bytes | str],
    file_name: str,
    key: str,
    *,
    help: str | None = None,
    icon: str = ":material/download:",
    type: Literal["secondary", "tertiary"] = "tertiary",
) -> None:
    """Offer a file; ``make`` is called when a person asks for the file.

    The ending of the name says of what kind it is.
    """
    mimetype = guess_type(file_name)[0] or "application/octet-stream"
    st.download_button(
        label,
        make,
        file_name,
        mimetype,
        key=key,
        help=help,
        icon=icon,
        on_click="ignore",
        type=type,
    )


def marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return text as Markdown that shows it as it is, the words at ``spans`` in bold."""
    parts, end = [], 0
    for start, stop in sorted(spans):
        parts += [plain(text[end:start]), f"**{plain(text[start:stop])}**"]
        end = stop
    return "".join([*parts, plain(text[end:])])


def plain(text: str) -> str:
    """Keep what a person typed from being read as Markdown, and addresses in it from becoming links."""
    text = ADDRESS.sub("\\g<0>\N{WORD JOINER}", text)
    for sign in "\\`*_[]<>$:~#":
        text = text.replace(sign, f"\\{sign}")
    return text

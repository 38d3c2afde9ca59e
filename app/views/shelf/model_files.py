"""Shelf: a model as a file for another tool, built when the button is pressed.

Shelf: the files of a model, and whether they are still what its card says.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import pandas as pd
import streamlit as st

from app.loaders import shelf_models
from app.views.shelf.model_table import amount
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results.shelf_states import FileState
from embeddings.shelf import Entry, export_formats, export_model, export_size, verify_model
from embeddings.shelf.exporting import ENDINGS, check_export

MOST = 300_000_000  # bytes that the page builds in memory; larger ones go by the command line
SAID_PAST = 20_000_000  # bytes from which the size stands on the button


def show_export(page: PageState, entry: Entry) -> None:
    """Offer the formats, say what opens each, and the file."""
    say = page.say
    st.subheader(say("shelf_export.title"), anchor=False)
    formats = export_formats(entry)
    labels = {format: say(f"shelf_format.{format.replace('-', '_')}") for format in formats}
    format = inputs.pick(say, "shelf_format", formats, labels)
    st.caption(say(f"shelf_format.{format.replace('-', '_')}_opens"))
    command = f"klyuch models export {entry.name} {filename(entry, format, zipped=False)} --format {format}"
    try:
        size = _size(entry, format)
        if entry.kind == "static":
            check_export(shelf_models.vectors(entry), format)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    if size > MOST:
        st.info(say("shelf_export.large", size=amount(say, size)))
        st.code(command, language=None)
        return
    failed: list[KlyuchError] = st.session_state.setdefault("_export_failed", [])
    if failed:
        outputs.refuse(say, failed.pop())
    label = "shelf_export.download_sized" if size > SAID_PAST else "shelf_export.download"
    st.download_button(
        say(label, size=amount(say, size)),
        lambda: _built(entry, format, failed),
        filename(entry, format),
        "application/octet-stream",
        key="shelf-export",
        help=say("shelf_export.help", size=amount(say, size)),
        icon=":material/download:",
        on_click="ignore",
    )
    with st.expander(say("shelf_export.command"), icon=":material/terminal:"):
        st.code(command, language=None)


def filename(entry: Entry, format: str, *, zipped: bool = True) -> str:
    """Return the name of an export: folders come as a zip."""
    ending = ENDINGS[format] or (".zip" if zipped else "")
    return f"{entry.name}-{format}{ending}" if not ENDINGS[format] else f"{entry.name}{ending}"


def build_export(entry: Entry, format: str) -> bytes:
    """Write the export to a temporary place and return its bytes; a folder as a zip of it."""
    with tempfile.TemporaryDirectory(prefix="klyuch-export-") as room:
        target = Path(room) / entry.name
        made = export_model(entry.path, target.with_name(f"{entry.name}{ENDINGS[format]}"), format)
        if made.is_dir():
            made = Path(shutil.make_archive(str(made), "zip", room, entry.name))
        return made.read_bytes()


def _built(entry: Entry, format: str, failed: list[KlyuchError]) -> bytes:
    """Build, and keep a refusal for the next run of the page."""
    try:
        return build_export(entry, format)
    except KlyuchError as error:
        failed.append(error)
        raise


def _size(entry: Entry, format: str) -> int:
    """About how many bytes the export has."""
    if entry.kind != "static":
        return export_size(entry, format)
    table = shelf_models.vectors(entry)
    return export_size(entry, format, words=len(table), vector_size=table.vector_size)


Checked = tuple[str, tuple[FileState, ...]]


def show_files(page: PageState, entry: Entry) -> None:
    """Offer to hash every file now, and show how each was found."""
    say = page.say
    st.subheader(say("shelf_files.title"), anchor=False)
    asked: dict[str, Checked] = st.session_state.setdefault("_verified", {})
    st.button(
        say("shelf_files.check"),
        key="shelf-verify",
        icon=":material/verified:",
        help=say("shelf_files.check_help"),
        on_click=_verify,
        args=(asked, entry),
    )
    if entry.stamp not in asked:
        st.caption(say("shelf_files.unchecked"))
        return
    when, states = asked[entry.stamp]
    wrong = [state.name for state in states if state.is_bad]
    if wrong:
        names = ", ".join(wrong)
        st.warning(outputs.plain(say("shelf_files.wrong", when=when, names=names)))
    elif any(state.state == "unrecorded" for state in states):
        st.info(say("shelf_files.unrecorded", when=when))
    else:
        st.success(say("shelf_files.sound", when=when, files=say.number(len(states))))
    recorded = shelf_models.card(entry).get("files")
    sums = recorded if isinstance(recorded, dict) else {}
    rows = [
        {
            say("shelf_files.file"): state.name,
            say("shelf.size"): amount(say, state.size),
            say("shelf_files.state"): say(f"shelf_files.state_{state.state}"),
            "sha256": str(sums.get(state.name, "–")),
        }
        for state in states
    ]
    outputs.table(say, pd.DataFrame(rows), "shelf-files")


def _verify(asked: dict[str, Checked], entry: Entry) -> None:
    """Hash now; what cannot be read is said at the top of the page."""
    try:
        asked[entry.stamp] = (time.strftime("%H:%M:%S"), verify_model(entry))
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error

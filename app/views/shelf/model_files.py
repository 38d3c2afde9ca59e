"""Shelf: the files of a model: checked against its card, and exported for other tools."""

from __future__ import annotations

import datetime
import shutil
import tempfile
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from app import access
from app.loaders import shelf_models
from app.views.shelf.model_table import format_size
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError
from embeddings.results.shelf_states import FileState
from embeddings.shelf import Entry, export_formats, export_model, export_size, verify_model
from embeddings.shelf.exporting import ENDINGS, check_export

MAX_EXPORT = 300_000_000  # bytes that the page builds in memory; larger ones go by the command line
MAX_SHARED_EXPORT = 60_000_000  # of a server with several people
SIZE_SHOWN_FROM = 20_000_000  # bytes from which the size stands on the button
CheckedFiles = tuple[datetime.time, tuple[FileState, ...]]


def check_files(page: PageState, entry: Entry) -> None:
    """Offer to hash every file now, and show the state of each."""
    say = page.say
    st.subheader(say("shelf_files.title"), anchor=False)
    checked_files: dict[str, CheckedFiles] = st.session_state.setdefault("_verified", {})
    st.button(
        say("shelf_files.check"),
        key="shelf-verify",
        icon=":material/verified:",
        help=say("shelf_files.check_help"),
        on_click=_verify_files,
        args=(checked_files, entry),
    )
    if entry.stamp not in checked_files:
        st.caption(say("shelf_files.unchecked"))
        return
    checked_at, states = say.time(checked_files[entry.stamp][0]), checked_files[entry.stamp][1]
    changed = [state.name for state in states if state.is_bad]
    if changed:
        names = say.list(changed)
        st.warning(outputs.plain(say("shelf_files.wrong", when=checked_at, names=names)))
    elif any(state.state == "unrecorded" for state in states):
        st.info(say("shelf_files.unrecorded", when=checked_at))
    else:
        st.success(say("shelf_files.sound", when=checked_at, files=len(states)))
    recorded = shelf_models.card(entry).get("files")
    checksums = recorded if isinstance(recorded, dict) else {}
    rows = [
        {
            say("shelf_files.file"): state.name,
            say("shelf.size"): state.size,
            say("shelf_files.state"): say(f"shelf_files.state_{state.state}"),
            "sha256": str(checksums.get(state.name, "–")),
        }
        for state in states
    ]
    forms = {say("shelf.size"): partial(format_size, say)}
    outputs.table(say, pd.DataFrame(rows), "shelf-files", forms=forms)


def _verify_files(checked_files: dict[str, CheckedFiles], entry: Entry) -> None:
    """Hash now; an error is shown at the top of the page."""
    try:
        checked_files[entry.stamp] = (datetime.datetime.now().time(), verify_model(entry))
    except KlyuchError as error:
        st.session_state["_shelf_error"] = error


def offer_export(page: PageState, entry: Entry) -> None:
    """Offer the formats, name what opens each, and offer the file."""
    say = page.say
    st.subheader(say("shelf_export.title"), anchor=False)
    formats = export_formats(entry)
    labels = {format: say(f"shelf_format.{format.replace('-', '_')}") for format in formats}
    format = inputs.pick(say, "shelf_format", formats, labels)
    st.caption(say(f"shelf_format.{format.replace('-', '_')}_opens"))
    command = f"klyuch models export {entry.name} {export_filename(entry, format, zipped=False)} --format {format}"
    try:
        size = _estimate_size(entry, format)
        if entry.kind == "static":
            check_export(shelf_models.vectors(entry), format)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    if size > (MAX_SHARED_EXPORT if access.is_shared() else MAX_EXPORT):
        st.info(say("shelf_export.large", size=format_size(say, size)))
        st.code(command, language=None)
        return
    errors: list[KlyuchError] = st.session_state.setdefault("_export_failed", [])
    if errors:
        outputs.refuse(say, errors.pop())
    label = "shelf_export.download_sized" if size > SIZE_SHOWN_FROM else "shelf_export.download"
    outputs.download(
        say(label, size=format_size(say, size)),
        lambda: _build_or_keep_error(entry, format, errors),
        export_filename(entry, format),
        "shelf-export",
        help=say("shelf_export.help", size=format_size(say, size)),
        type="secondary",
    )
    with st.expander(say("shelf_export.command"), icon=":material/terminal:"):
        st.code(command, language=None)


def export_filename(entry: Entry, format: str, *, zipped: bool = True) -> str:
    """Return the name of an export: folders come as a zip."""
    ending = ENDINGS[format] or (".zip" if zipped else "")
    return f"{entry.name}-{format}{ending}" if not ENDINGS[format] else f"{entry.name}{ending}"


def build_export(entry: Entry, format: str) -> bytes:
    """Write the export to a temporary folder and return its bytes; a folder is zipped."""
    with tempfile.TemporaryDirectory(prefix="klyuch-export-") as folder:
        target = Path(folder) / entry.name
        exported = export_model(
            entry.path, target.with_name(f"{entry.name}{ENDINGS[format]}"), format
        )
        if exported.is_dir():
            exported = Path(shutil.make_archive(str(exported), "zip", folder, entry.name))
        return exported.read_bytes()


def _build_or_keep_error(entry: Entry, format: str, errors: list[KlyuchError]) -> bytes:
    """Build, and keep an error for the next run of the page."""
    try:
        return build_export(entry, format)
    except KlyuchError as error:
        errors.append(error)
        raise


def _estimate_size(entry: Entry, format: str) -> int:
    """Return about how many bytes the export has."""
    if entry.kind != "static":
        return export_size(entry, format)
    table = shelf_models.vectors(entry)
    return export_size(entry, format, words=len(table), vector_size=table.vector_size)

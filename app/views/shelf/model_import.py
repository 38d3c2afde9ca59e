"""Shelf: models of other tools, uploaded, checked, and put on the shelf."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import streamlit as st

from app import access, events
from app.views.shelf.model_table import format_size
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from embeddings.errors import KlyuchError, refusals
from embeddings.shelf import About, Entry, check_name, free_name, import_model
from embeddings.shelf.importing import renamed_in_refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.runtime.uploaded_file_manager import UploadedFile

LANGUAGES = ("unknown", "en", "ru", "de")
METHODS = ("unknown", "skipgram", "cbow", "glove", "fasttext")


def show_import(page: PageState) -> None:
    """Ask for files, their language and method; import them on the button."""
    say = page.say
    st.markdown(say("shelf_bring.lead"))
    limit = int(st.get_option("server.maxUploadSize"))
    files = st.file_uploader(
        say("shelf_bring.files"),
        accept_multiple_files=True,
        key="shelf_files",
        help=say("shelf_bring.files_help", bound=say.number(limit)),
    )
    st.caption(say("shelf_bring.larger", bound=say.number(limit)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = inputs.choice(say, "shelf_import_language", LANGUAGES)
        method = inputs.choice(say, "shelf_import_method", METHODS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        suggested = free_name(PurePosixPath(files[0].name).name.split(".")[0]) if files else ""
        name = st.text_input(
            say("shelf_bring.name"),
            key="shelf_import_name",
            placeholder=suggested,
            help=say("shelf_bring.name_help"),
            max_chars=100,
            width=320,
        )
        licence = st.text_input(
            say("shelf_bring.licence"),
            key="shelf_import_licence",
            help=say("shelf_bring.licence_help"),
            max_chars=200,
            width=320,
        )
    if not st.button(
        say("shelf_bring.start"),
        key="shelf-import",
        type="primary",
        icon=":material/upload:",
        disabled=not files,
    ):
        return
    language, method = ("" if value == "unknown" else value for value in (language, method))
    try:
        with st.spinner(say("shelf_bring.running")):
            entry = import_upload(
                files, name.strip() or suggested, About(language, method, licence)
            )
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    size = format_size(say, sum(file.size for file in files))
    st.success(outputs.plain(say("shelf_bring.done", name=entry.name, size=size)))
    widget_values = {"shelf_part": "models", "shelf_model": entry.name}
    st.button(say("shelf_bring.look"), key="shelf-look", on_click=address.put, kwargs=widget_values)


def import_upload(files: Sequence[UploadedFile], name: str, about: About) -> Entry:
    """Write the uploads to a temporary folder, in pieces, and import them."""
    access.check_change()
    check_name(name)
    with refusals(), tempfile.TemporaryDirectory(prefix="klyuch-upload-") as temporary:
        folder = Path(temporary) / "upload"
        folder.mkdir()
        for file in files:
            target = folder / (PurePosixPath(file.name.replace("\\", "/")).name or "file")
            with target.open("xb") as opened:
                shutil.copyfileobj(file, opened, 1 << 20)
        source = target if len(files) == 1 else folder
        with renamed_in_refusals(folder, ""):
            entry = import_model(source, name, about)
    events.note("imported", kind=entry.kind, bytes=sum(file.size for file in files))
    return entry

"""Shelf: models of other tools, uploaded, on this machine or at an address: checked, and put on the shelf."""

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
from embeddings.methods import static_methods
from embeddings.results import Progress
from embeddings.shelf import About, Entry, check_name, free_name, import_model
from embeddings.shelf.hub_models import import_from_address, is_address
from embeddings.shelf.importing import renamed_in_refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.typing import UploadedFile

LANGUAGES = ("unknown", "en", "ru", "de")


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
    place = ""
    if access.is_shared():  # nobody else's disk and network are this visitor's to read
        st.caption(say("shelf_bring.larger", bound=say.number(limit)))
    else:
        place = st.text_input(
            say("shelf_bring.place"),
            key="shelf_import_place",
            help=say("shelf_bring.place_help", bound=say.number(limit)),
            placeholder="/data/vectors.vec.gz",
            max_chars=2000,
        ).strip()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = inputs.choice(say, "shelf_import_language", LANGUAGES)
        method = inputs.choice(say, "shelf_import_method", ("unknown", *static_methods()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        origin = files[0].name if files else place
        suggested = free_name(PurePosixPath(origin).name.split(".")[0]) if origin else ""
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
        say("shelf_bring.start"), key="shelf-import", type="primary", icon=":material/upload:"
    ):
        return
    if not files and not place:
        st.info(say("shelf_bring.nothing"), icon=":material/info:")
        return
    language, method = ("" if value == "unknown" else value for value in (language, method))
    try:
        with st.spinner(say("shelf_bring.running")):
            about = About(language, method, licence)
            if files:
                entry = import_upload(files, name.strip() or suggested, about)
            else:
                entry = _import_place(place, name.strip() or suggested, about)
    except KlyuchError as error:
        outputs.refuse(say, error)
        return
    size = sum(file.stat().st_size for file in entry.path.iterdir() if file.is_file())
    st.success(outputs.plain(say("shelf_bring.done", name=entry.name, size=format_size(say, size))))
    widget_values = {"shelf_part": "models", "shelf_model": entry.name}
    st.button(say("shelf_bring.look"), key="shelf-look", on_click=address.put, kwargs=widget_values)


def _import_place(place: str, name: str, about: About) -> Entry:
    """Import a file or folder of this machine, or what lies at an address; of a download a bar shows how far it is."""
    access.check_change()
    check_name(name)
    if not is_address(place):
        entry = import_model(place, name, about)
    else:
        bar = st.progress(0.0)

        def show(progress: Progress) -> None:
            bar.progress(min(1.0, progress.done / max(1, progress.total)))

        entry = import_from_address(place, name, about, show)
        bar.empty()
    events.note("imported", kind=entry.kind, bytes=0)
    return entry


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

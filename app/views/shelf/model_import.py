"""Shelf: models of other tools, uploaded, on this machine, at an address or on the Hub: checked, and put on the shelf."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import streamlit as st
from streamlit.typing import UploadedFile

from app import access, events
from app.widgets import inputs, outputs, snippets
from app.wording import TEXT_LANGUAGES, Wording
from embeddings.errors import refusals
from embeddings.files import renamed_in_refusals
from embeddings.method_registry import static_methods
from embeddings.shelf import About, Entry, check_name, folder_size, free_name, import_model
from embeddings.shelf.hub_models import (
    MULTILINGUAL,
    HubNetwork,
    SuggestedNetwork,
    get_network,
    import_from_address,
    look_up_network,
    suggested_networks,
)
from embeddings.sources.downloads import is_address


def show_import(say: Wording) -> None:
    """Ask for files, their language and method; import them on the button."""
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
        language = inputs.choice(say, "shelf_import_language", ("unknown", *TEXT_LANGUAGES))
        method = inputs.choice(
            say, "shelf_import_method", ("unknown", *static_methods()), names="method"
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        origin = files[0].name if files else place
        suggested = free_name(PurePosixPath(origin).name.split(".")[0]) if origin else ""
        name = _ask_name(say, "shelf_import_name", suggested, say("shelf_bring.name_help"))
        label, help_text = say("shelf_bring.licence"), say("shelf_bring.licence_help")
        key = "shelf_import_licence"
        licence = inputs.proposed(label, key, "", help_text, max_chars=200, width=320)
    if not inputs.button(say("shelf_bring.start"), "shelf-import", "upload", type="primary"):
        return
    if not files and not place:
        st.info(say("shelf_bring.nothing"), icon=":material/info:")
        return
    language, method = ("" if value == "unknown" else value for value in (language, method))
    about = About(language, method, licence)
    access.check_change()
    check_name(name)
    with st.spinner(say("shelf_bring.running")):
        entry = _import_files(files, name, about) if files else _import(say, place, name, about)
    events.note("imported", kind=entry.kind, bytes=sum(file.size for file in files))
    _show_done(say, entry, "shelf-look")


def _ask_name(say: Wording, key: str, suggested: str, help_text: str) -> str:
    """Ask what the shelf will call a model."""
    label = say("shelf_bring.name")
    return inputs.proposed(label, key, suggested, help_text, max_chars=100, width=320)


def _show_done(say: Wording, entry: Entry, key: str) -> None:
    """Say that a model is on the shelf, and offer to look at it."""
    size = say.size(folder_size(entry.path))
    st.success(outputs.plain(say("shelf_bring.done", name=entry.name, size=size)))
    widget_values = {"shelf_part": "models", "shelf_model": entry.name}
    inputs.put_button(say("shelf_bring.look"), key, widget_values)


def import_code() -> str:
    """Return the Python that imports what the form names."""
    state = st.session_state
    files = state.get("shelf_files") or []
    source = (files[0].name if files else state.get("shelf_import_place")) or "FILE"
    known = {
        key: value
        for key in ("language", "method", "licence")
        if (value := state.get(f"shelf_import_{key}")) and value != "unknown"
    }
    about = ", ".join(f"{key}={value!r}" for key, value in known.items())
    name = state.get("shelf_import_name") or free_name(PurePosixPath(source).name.split(".")[0])
    function = "import_from_address" if is_address(source) else "import_model"
    called = {"function": function, "source": source, "name": name}
    return snippets.code("import_model", about=about, **called)


def _import(say: Wording, place: str, name: str, about: About) -> Entry:
    """Import a file or folder of this machine, or what lies at an address; of a download a bar shows how far it is."""
    if not is_address(place):
        return import_model(place, name, about)
    with outputs.progress_bar(say) as report:
        return import_from_address(place, name, about, report)


def _import_files(files: Sequence[UploadedFile], name: str, about: About) -> Entry:
    """Write the uploads to a temporary folder, in pieces, and import them."""
    with refusals(), tempfile.TemporaryDirectory(prefix="klyuch-upload-") as temporary:
        folder = Path(temporary) / "upload"
        folder.mkdir()
        for file in files:
            target = folder / (PurePosixPath(file.name.replace("\\", "/")).name or "file")
            with target.open("xb") as opened:
                shutil.copyfileobj(file, opened, 1 << 20)
        source = target if len(files) == 1 else folder
        with renamed_in_refusals(folder, ""):
            return import_model(source, name, about)


NAME, NETWORK, SUGGESTED = "shelf_hub_name", "_shelf_hub_network", "shelf_hub_suggested"
MOST_LANGUAGES = 12


def show_hub(say: Wording) -> None:
    """Ask for a name, show what the Hub says of that network, and download it on a second button."""
    st.subheader(say("shelf_hub.title"), anchor=False)
    st.markdown(say("shelf_hub.lead"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            say("shelf_hub.suggested"),
            [network.name for network in suggested_networks()],
            index=None,
            key=SUGGESTED,
            format_func={n.name: _suggestion(say, n) for n in suggested_networks()}.__getitem__,
            help=say("shelf_hub.suggested_help"),
            placeholder=say("shelf_hub.suggested_placeholder"),
            on_change=_take_suggestion,
        )
        name = st.text_input(
            say("shelf_hub.name"),
            key=NAME,
            help=say("shelf_hub.name_help"),
            placeholder="google-bert/bert-base-uncased",
            max_chars=500,
        ).strip()
    if inputs.button(say("shelf_hub.look_up"), "shelf-hub-look-up", "search"):
        _look_up(say, name)
    looked_up, network = st.session_state.get(NETWORK, ("", None))
    if network and looked_up == name:
        _show_network(say, network)


def _suggestion(say: Wording, network: SuggestedNetwork) -> str:
    """Return a line of the list: name, languages, family, layers times hidden size."""
    languages = say.list(
        say("shelf_hub.multilingual") if code == MULTILINGUAL else _language_name(say, code)
        for code in network.languages
    )
    sizes = f"{network.layers} × {network.hidden_size}"
    return f"{network.name} · {languages} · {network.family} · {sizes}"


def _language_name(say: Wording, code: str) -> str:
    """Return what the screen's language calls a language within a sentence (CLDR); the code where it has no name for it."""
    return str(say.locale.languages.get(code, code))


def _take_suggestion() -> None:
    """Write the chosen suggestion into the field."""
    if chosen := st.session_state.get(SUGGESTED):
        st.session_state[NAME] = chosen


def _look_up(say: Wording, name: str) -> None:
    """Ask the Hub, and keep the answer for the next run of the page."""
    st.session_state.pop(NETWORK, None)
    with outputs.refusals_said(say), st.spinner(say("shelf_hub.looking")):
        access.check_change()
        network = look_up_network(name, with_token=not access.is_shared())
        st.session_state[NETWORK] = (name, network)


def _show_network(say: Wording, network: HubNetwork) -> None:
    """Show what would be downloaded; download it on the button."""
    repository = network.repository
    unknown = say("shelf_hub.not_stated")
    languages = [_language_name(say, code) for code in network.languages]
    facts = {
        "kind": network.model_type,
        "sizes": f"{network.layers} × {network.hidden_size}",
        "parameters": say("shelf_hub.million", value=say.number(network.parameters / 1e6, 1)),
        "files": ", ".join(f"{file.name} ({say.size(file.size)})" for file in repository.files),
        "memory": say("shelf_hub.about", size=say.size(network.memory)),
        "licence": network.licence or unknown,
        "languages": ", ".join(languages[:MOST_LANGUAGES]) or unknown,
        "revision": repository.commit or repository.revision or unknown,
        "source": access.without_folders(repository.origin),
    }
    outputs.facts_table(say, {say(f"shelf_hub.{fact}"): value for fact, value in facts.items()})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        suggested = free_name(repository.name.partition("/")[2])
        name = _ask_name(say, "shelf_hub_model", suggested, say("shelf_hub.model_help"))
        label = say("shelf_hub.download", size=say.size(repository.size))
        is_confirmed = inputs.button(label, "shelf-hub-download", "download", type="primary")
    if is_confirmed:
        with outputs.refusals_said(say):
            _download(say, network, name)


def _download(say: Wording, network: HubNetwork, name: str) -> None:
    """Download with a bar, and say where the network is now."""
    access.check_change()
    name = check_name(name)
    with outputs.progress_bar(say) as report, st.spinner(say("shelf_hub.downloading")):
        with_token = not access.is_shared()
        entry = get_network(network, name, About(), report, with_token=with_token)
    del st.session_state[NETWORK]
    events.note("imported", kind=entry.kind, bytes=network.repository.size)
    _show_done(say, entry, "shelf-hub-look")

"""Texts that a person brings, pasted or uploaded: checked, and stored as a corpus of the shelf."""

from __future__ import annotations

import io
from pathlib import Path

import streamlit as st

from app import access, events
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording.amounts import amount
from embeddings.errors import KlyuchError
from embeddings.shelf import home
from embeddings.sources.incoming_files import IncomingFile
from embeddings.sources.intake import ENCODINGS, corpus_name, store_texts

ENDINGS = ["txt", "gz", "xz", "zip"]


def receive_text(page: PageState, prefix: str, source: str) -> Path | None:
    """Ask for a text and store it on the button; return the folder that was stored last.

    The button always answers: a disabled one would swallow the first click after a paste, which only ends the typing.

    Parameters
    ----------
    page : PageState
    prefix : str
        What the keys of the widgets begin with.
    source : str
        "paste" or "upload".
    """
    say = page.say
    if source == "paste":
        text = st.text_area(
            say("train.paste_label"),
            key=f"{prefix}_pasted",
            height=180,
            help=say("train.paste_help"),
        )
        encoded = text.encode("utf-8", "replace")
        files = (
            [IncomingFile("text.txt", io.BytesIO(encoded), len(encoded))] if text.strip() else []
        )
        suggested, encoding = "text", "utf-8"
    else:
        size = say.number(int(st.get_option("server.maxUploadSize")))
        uploads = st.file_uploader(
            say("train.upload_label"),
            ENDINGS,
            accept_multiple_files=True,
            key=f"{prefix}_files",
            help=say("train.upload_help", size=size),
        )
        st.caption(outputs.plain(say("train.upload_note", folder=home() / "corpora")))
        files = [IncomingFile(file.name, file, file.size) for file in uploads]
        suggested = corpus_name(files[0].name) if files else ""
        with st.container(width=220):
            encoding = inputs.pick(
                say, f"{prefix}_encoding", ENCODINGS, {name: name.upper() for name in ENCODINGS}
            )
    suggested = _free_corpus_name(suggested) if suggested else ""
    name = st.text_input(
        say("train.corpus_label"),
        key=f"{prefix}_corpus_name",
        placeholder=suggested,
        help=say("train.corpus_help"),
        width=320,
    )
    if st.button(say("train.take"), key=f"{prefix}-take", type="primary"):
        if files:
            _store(page, prefix, files, (name or "").strip() or suggested, encoding)
        else:
            st.info(say("train.take_nothing"), icon=":material/info:")
    taken = st.session_state.get(f"_{prefix}_taken", "")
    folder = home() / "corpora" / taken
    return folder if taken and folder.is_dir() else None


def _store(
    page: PageState, prefix: str, files: list[IncomingFile], name: str, encoding: str
) -> None:
    """Check and store; for a wrong encoding offer the guessed one."""
    say = page.say
    try:
        access.check_change()
        stored = store_texts(files, home() / "corpora", name, page.language, encoding)
    except KlyuchError as error:
        outputs.refuse(say, error)
        guess = str(error.fields.get("guess", "")).lower()
        if guess in ENCODINGS:
            st.button(
                say("train.read_as", guess=guess.upper()),
                key=f"{prefix}-guess",
                on_click=address.put,
                kwargs={f"{prefix}_encoding": guess},
            )
        raise outputs.Halt from error
    st.session_state[f"_{prefix}_taken"] = stored.name
    events.note("text", bytes=stored.size, files=len(stored.files))
    size = amount(say, stored.size)
    taken = say("train.taken", name=stored.name, size=size, files=len(stored.files))
    st.success(outputs.plain(taken))


def _free_corpus_name(name: str) -> str:
    """Return a name that no corpus has, with a number behind it if need be."""
    number, free = 1, name
    while (home() / "corpora" / free).exists():
        number += 1
        free = f"{name}-{number}"
    return free

"""Texts that a person brings, pasted or uploaded: checked, and stored as a corpus of the shelf."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from app import access, events
from app.widgets import inputs, outputs
from app.widgets.frame import PageState
from embeddings.corpora.dated_texts import TABLE_SUFFIX
from embeddings.corpora.text_extraction import ENCODINGS
from embeddings.errors import KlyuchError
from embeddings.shelf import home
from embeddings.sources.pasted_and_uploaded import IncomingFile, corpus_name, store_texts

TEXT_ENDINGS = "txt md gz xz bz2 zip html htm xml jsonl docx odt epub pdf rtf"
ENDINGS = {"text": TEXT_ENDINGS.split(), "table": ["csv", "tsv", "txt", "gz", "xz"]}
SUFFIXES = {"text": ".txt", "table": TABLE_SUFFIX}  # of what is stored
SECTIONS = {"text": "train", "table": "table_intake"}  # of the wording


def brought_text(
    page: PageState, prefix: str, source: str, own: Sequence[str], kind: str = "text"
) -> Path | None:
    """Ask for a text, or a table, and return its folder; None as long as there is none.

    Parameters
    ----------
    page, prefix, kind
        As for `receive_text`.
    source : str
        "paste", "upload" or "corpus".
    own : sequence of str
        Names of those that are stored, from which a "corpus" is chosen.
    """
    if source == "corpus":
        name = inputs.pick(page.say, f"{prefix}_corpus", own)
        return home() / "corpora" / name
    try:
        folder = receive_text(page, prefix, source, kind)
    except outputs.Halt:  # refused with a sentence; the rest of the page is drawn all the same
        return None
    if folder is not None:  # what was stored last, whatever stands in the field by now
        st.caption(page.say(f"{prefix}.chosen", name=outputs.plain(folder.name)))
    return folder


def receive_text(page: PageState, prefix: str, source: str, kind: str = "text") -> Path | None:
    """Ask for a text and store it on the button; return the folder that was stored last.

    Below a field for pasting the button always answers: a disabled one would swallow the first click after a paste, which only
    ends the typing. Uploads have it once there is a file.

    Parameters
    ----------
    page : PageState
    prefix : str
        What the keys of the widgets begin with.
    source : str
        "paste" or "upload".
    kind : str, default "text"
        Or "table": one file, of rows and columns.
    """
    say, words = page.say, SECTIONS[kind]
    if source == "paste":
        text = st.text_area(
            say(f"{words}.paste_label"),
            key=f"{prefix}_pasted",
            height=180,
            help=say(f"{words}.paste_help"),
        )
        encoded = text.encode("utf-8", "replace")
        files = (
            [IncomingFile("text.txt", io.BytesIO(encoded), len(encoded))] if text.strip() else []
        )
        suggested, encoding = kind, "utf-8"
    else:
        size = say.number(int(st.get_option("server.maxUploadSize")))
        larger = f" {say('train.upload_note')}" if kind == "text" else ""
        uploads = st.file_uploader(
            say(f"{words}.upload_label"),
            ENDINGS[kind],
            accept_multiple_files=kind == "text",
            key=f"{prefix}_files",
            help=say(f"{words}.upload_help", size=size) + larger,
        )
        listed = uploads if isinstance(uploads, list) else [uploads] if uploads else []
        files = [IncomingFile(file.name, file, file.size) for file in listed]
        suggested, encoding = corpus_name(files[0].name) if files else "", ""
    suggested = _free_corpus_name(suggested) if suggested else ""
    with st.popover(say("common.more_settings"), icon=":material/tune:", type="tertiary"):
        if source != "paste":
            encoding = inputs.pick(
                say, f"{prefix}_encoding", ENCODINGS, {name: name.upper() for name in ENCODINGS}
            )
        key, help_text = f"{prefix}_corpus_name", say("train.corpus_help")
        name = inputs.proposed(say("train.corpus_label"), key, suggested, help_text, width=320)
    is_asked = bool(files) or source == "paste"
    if is_asked and st.button(say(f"{words}.take"), key=f"{prefix}-take", type="primary"):
        if files:
            _store(page, prefix, files, name, encoding, kind)
        else:
            st.info(say(f"{words}.take_nothing"), icon=":material/info:")
    taken = st.session_state.get(f"_{prefix}_taken", "")
    folder = home() / "corpora" / taken
    return folder if taken and folder.is_dir() else None


def _store(
    page: PageState, prefix: str, files: list[IncomingFile], name: str, encoding: str, kind: str
) -> None:
    """Check and store; for a wrong encoding offer the guessed one."""
    say, suffix = page.say, SUFFIXES[kind]
    language = page.language if kind == "text" else ""
    try:
        access.check_change()
        folder = home() / "corpora"
        stored = store_texts(files, folder, name, language, encoding, suffix)
    except KlyuchError as error:
        outputs.refuse(say, error)
        guess = str(error.fields.get("guess", "")).lower()
        if guess in ENCODINGS:
            inputs.put_button(
                say("train.read_as", guess=guess.upper()),
                f"{prefix}-guess",
                {f"{prefix}_encoding": guess},
            )
        raise outputs.Halt from error
    st.session_state[f"_{prefix}_taken"] = stored.name
    events.note("text", bytes=stored.size, files=len(stored.files))
    size = say.size(stored.size)
    taken = say(f"{SECTIONS[kind]}.taken", name=stored.name, size=size, files=len(stored.files))
    st.success(outputs.plain(taken))


@contextmanager
def copied_upload(name: str, content: bytes) -> Iterator[Path]:
    """Hold an uploaded file on the disk for a while; refusals call it by its own name."""
    with TemporaryDirectory(prefix="klyuch-upload-") as folder:
        path = Path(folder) / f"upload{Path(name).suffix.lower()}"
        path.write_bytes(content)
        try:
            yield path
        except KlyuchError as error:
            error.fields["path"] = name
            raise


def _free_corpus_name(name: str) -> str:
    """Return a name that no corpus has, with a number behind it if need be."""
    numbered = (f"{name}-{number}" for number in count(2))
    folder = home() / "corpora"
    return next(free for free in chain([name], numbered) if not (folder / free).exists())

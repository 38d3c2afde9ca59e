"""Shelf: models and corpora in tables, the choice of one, and what can be done to it: check, rename, delete, export."""

from __future__ import annotations

import datetime
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from app import access, events, shelf_models
from app.widgets import address, inputs, outputs
from app.widgets.frame import PageState
from app.wording import Wording
from embeddings.shelf import (
    Entry,
    corpora,
    damaged,
    delete,
    delete_corpus,
    export_formats,
    export_model,
    find,
    folder_size,
    home,
    is_own,
    rename,
    verify_model,
)
from embeddings.shelf.card_checks import FileState
from embeddings.shelf.exporting import ENDINGS, check_export

MODEL_FACTS = ("language", "words", "vector_size", "size", "corpus", "licence", "created")
PENDING_DELETION = "_shelf_sure"  # of a part of the page: the name that is to be deleted


def show_outcome(say: Wording) -> None:
    """Show once what the last button did, or why it failed."""
    if outcome := st.session_state.pop("_shelf_done", None):
        st.success(outputs.plain(say(outcome[0], **outcome[1])), icon=":material/check:")
    outputs.show_kept_refusal(say)


def choose_model(page: PageState) -> Entry:
    """Show the table and return the chosen model; without any the page ends here."""
    say = page.say
    _list_damaged(say)
    models = shelf_models.all_models()
    if not models:
        outputs.end(say("shelf.empty"))
    forms: dict[str, Callable[[Any], str]] = {
        say("shelf.size"): say.size,
        say("shelf.created"): say.date,
    }
    columns: outputs.Columns = {
        say("shelf.name"): "name",
        say("shelf.whose"): lambda model: say("shelf.own" if model.is_own else "shelf.shipped"),
        say("shelf.kind"): lambda model: say.get(f"shelf.kind_{model.kind}", model.kind),
        say("shelf.method"): lambda model: method_name(say, model.method),
        **{say(f"shelf.{name}"): name for name in MODEL_FACTS},
    }
    outputs.table(say, outputs.rows_of(models, columns), "shelf", forms=forms)
    first = next((model.name for model in models if model.language == page.language), None)
    return find(inputs.pick(say, "shelf_model", [model.name for model in models], default=first))


def method_name(say: Wording, name: str) -> str:
    """Return a method's name as people write it: BERT, Skip-gram."""
    return say.get(f"method.{name}", name)


def _list_damaged(say: Wording) -> None:
    """List the folders that cannot be used, and offer to delete the user's own."""
    for model in damaged():
        reason = access.without_folders(model.reason)
        st.warning(
            outputs.plain(say("shelf.damaged", name=model.name, reason=reason)),
            icon=":material/warning:",
        )
        if model.is_own and access.may_change():
            _offer_model_deletion(say, model.name, f"damaged-{model.name}")


def offer_changes(say: Wording, entry: Entry) -> None:
    """Offer a new name and deletion for one of the user's models; a shipped one stays."""
    if not access.may_change():
        return
    st.subheader(say("shelf_change.title"), anchor=False)
    if not is_own(entry):
        st.caption(say("shelf_change.shipped"))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, help_text = say("shelf_change.name"), say("shelf_change.name_help")
        inputs.proposed(label, "shelf_new_name", "", help_text, max_chars=100, width=320)
        rename = say("shelf_change.rename")
        inputs.button(rename, "shelf-rename", "edit", _rename_model, entry.name)
    _offer_model_deletion(say, entry.name, "delete")


def _offer_model_deletion(say: Wording, name: str, key: str) -> None:
    """Offer to delete a model."""
    question = say("shelf_change.sure", name=name)
    _offer_deletion(say, name, key, question, delete, "shelf_change")


def _offer_deletion(
    say: Wording, name: str, key: str, question: str, remove: Callable[[str], object], part: str
) -> None:
    """Show the button, and after it the question with its two answers; ``part`` is the section of the wording that names both."""
    pending = f"{PENDING_DELETION}_{part}"
    if st.session_state.get(pending) != name:
        inputs.put_button(
            say(f"{part}.delete"), f"shelf-{key}", {pending: name}, icon=":material/delete:"
        )
        return
    st.warning(outputs.plain(question))
    with st.container(horizontal=True):
        yes, act = say("shelf_change.yes"), partial(_delete, name, remove, part)
        inputs.button(yes, f"shelf-{key}-yes", action=act, type="primary")
        inputs.put_button(say("shelf_change.no"), f"shelf-{key}-no", {pending: ""})


def _rename_model(name: str) -> None:
    """Rename, and keep the model chosen."""
    with outputs.refusal_kept():
        access.check_change()
        entry = rename(name, st.session_state["shelf_new_name"])
        events.note("renamed", kind=entry.kind)
        done = ("shelf_change.renamed", {"old": name, "new": entry.name})
        address.put(_shelf_done=done, shelf_model=entry.name, shelf_new_name="")


def _delete(name: str, remove: Callable[[str], object], part: str) -> None:
    """Delete; what is already gone is reported."""
    with outputs.refusal_kept():
        access.check_change()
        remove(name)
        events.note("deleted")
        address.put(_shelf_done=(f"{part}.deleted", {"name": name}))
    address.put(**{f"{PENDING_DELETION}_{part}": ""})


MAX_EXPORT = 300_000_000  # bytes that the page builds in memory; larger ones go by the command line
MAX_SHARED_EXPORT = 60_000_000  # of a server with several people
BYTES_OF_NUMBER = 13  # in the largest formats, which are text
CheckedFiles = tuple[datetime.time, tuple[FileState, ...]]


def check_files(say: Wording, entry: Entry) -> None:
    """Offer to hash every file now, and show the state of each."""
    st.subheader(say("shelf_files.title"), anchor=False)
    checked_files: dict[str, CheckedFiles] = st.session_state.setdefault("_verified", {})
    check, help_text = partial(_verify_files, checked_files, entry), say("shelf_files.check_help")
    inputs.button(say("shelf_files.check"), "shelf-verify", "verified", check, help=help_text)
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
    columns: outputs.Columns = {
        say("shelf_files.file"): "name",
        say("shelf.size"): "size",
        say("shelf_files.state"): lambda state: say(f"shelf_files.state_{state.state}"),
        "sha256": lambda state: str(checksums.get(state.name, "–")),
    }
    rows = outputs.rows_of(states, columns)
    outputs.table(say, rows, "shelf-files", forms={say("shelf.size"): say.size})


def _verify_files(checked_files: dict[str, CheckedFiles], entry: Entry) -> None:
    """Hash now."""
    with outputs.refusal_kept():
        checked_files[entry.stamp] = (datetime.datetime.now().time(), verify_model(entry))


def offer_export(say: Wording, entry: Entry) -> None:
    """Offer the formats, name what opens each, and offer the file."""
    st.subheader(say("shelf_export.title"), anchor=False)
    formats = export_formats(entry)
    labels = {format: say(f"shelf_format.{format.replace('-', '_')}") for format in formats}
    format = inputs.pick(say, "shelf_format", formats, labels)
    st.caption(say(f"shelf_format.{format.replace('-', '_')}_opens"))
    command = f"klyuch models export {entry.name} {export_filename(entry, format, zipped=False)} --format {format}"
    size = folder_size(entry.path)
    if entry.kind == "static":
        table = shelf_models.vectors(entry)
        check_export(table, format)
        size = max(size, BYTES_OF_NUMBER * len(table) * table.vector_size)
    if size > (MAX_SHARED_EXPORT if access.is_shared() else MAX_EXPORT):
        st.info(say("shelf_export.large", size=say.size(size)))
    else:
        outputs.download(
            say("shelf_export.download"),
            partial(build_export, entry, format),
            export_filename(entry, format),
            "shelf-export",
            help=say("shelf_export.help"),
            type="secondary",
        )
    with st.expander(say("shelf_export.command"), icon=":material/terminal:"):
        st.code(command, language=None)


def export_filename(entry: Entry, format: str, *, zipped: bool = True) -> str:
    """Return the name of an export: folders come as a zip."""
    if ENDINGS[format]:
        return f"{entry.name}{ENDINGS[format]}"
    return f"{entry.name}-{format}{'.zip' if zipped else ''}"


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


def show_own_corpora(say: Wording) -> None:
    """Show the corpora in the user's folder; delete one."""
    corpora_by_name = {corpus.name: corpus for corpus in corpora()}
    if not corpora_by_name and not access.may_change():
        return
    if not corpora_by_name:
        st.info(outputs.plain(say("shelf_corpora.none", folder=home() / "corpora")))
        return
    columns: outputs.Columns = {
        say("shelf.name"): "name",
        say("shelf.kind"): lambda each: say(f"shelf_corpora.kind_{each.kind.replace(' ', '_')}"),
        say("shelf_corpora.words"): lambda each: each.text_size and each.text_size.words,
        say("shelf_corpora.sentences"): lambda each: each.text_size and each.text_size.sentences,
        say("shelf_corpora.documents"): lambda each: each.text_size and each.text_size.documents,
        say("shelf.size"): "size",
        **{say(f"shelf_corpora.{name}"): name for name in ("files", "title")},
        say("shelf.licence"): "licence",
        say("shelf_corpora.source"): "source",
    }
    rows = outputs.rows_of(list(corpora_by_name.values()), columns)
    outputs.table(say, rows, "shelf-corpora", forms={say("shelf.size"): say.size})
    if not access.may_change():
        return
    corpus = corpora_by_name[inputs.pick(say, "shelf_corpus", list(corpora_by_name))]
    question = say("shelf_corpora.sure", name=corpus.name, size=say.size(corpus.size))
    _offer_deletion(say, corpus.name, "corpus-delete", question, delete_corpus, "shelf_corpora")

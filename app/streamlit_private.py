"""The only module that touches what Streamlit does not document.

`check` runs when the server starts and logs what this version of Streamlit lacks. Uploads are then refused; the
others fall back to what a page does without them.
"""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator as DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server import server

from app import events

UPLOAD_PATH = r"/_stcore/upload_file/([^/]+)/([^/]+)$"  # session and file
Uploads = dict[tuple[str, str], int]


class ChangedStreamlitError(RuntimeError):
    """Raised where Streamlit lacks what the caller needs."""


def check() -> list[str]:
    """Log and return the names of the uses that this version of Streamlit does not allow."""
    missing = []
    if runtime.exists():
        try:
            uploaded_bytes()
        except ChangedStreamlitError:
            missing.append("uploads")
    if not UPLOAD_PATH.startswith(getattr(server, "UPLOAD_FILE_ENDPOINT", " ")):
        missing.append("upload path")
    from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

    if not hasattr(ScriptRunContext, "is_history_navigation"):
        missing.append("history")
    for use in missing:
        events.note("streamlit_changed", use=use, version=st.__version__)
    return missing


def uploaded_bytes() -> Uploads:
    """Return how many bytes the server holds of each upload, by session and file.

    Raises
    ------
    ChangedStreamlitError
        If Streamlit does not say; the caller must then refuse uploads.
    """
    if not runtime.exists():
        return {}
    try:
        storage = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
        return {
            (session, file): len(record.data)
            for session, files in list(storage.items())
            for file, record in list(files.items())
        }
    except (AttributeError, TypeError) as error:
        raise ChangedStreamlitError("uploaded_file_mgr.file_storage") from error


def is_page_run() -> bool:
    """Return whether this thread draws a page for a person."""
    return get_script_run_ctx(suppress_warning=True) is not None


def is_history_navigation() -> bool:
    """Return whether a person went back or forward in the browser's history; False where Streamlit does not say."""
    run = get_script_run_ctx(suppress_warning=True)
    return cast(bool, getattr(run, "is_history_navigation", False))

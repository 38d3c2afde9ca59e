"""The only module that touches what Streamlit does not document.

`check` runs when the server starts and logs what this version of Streamlit lacks. Uploads are then refused; heavy answers are
computed in the pool all the same, but nobody reads their place in the queue; to go back in the history counts as a link.
"""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import events

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator as DeltaGenerator
else:
    DeltaGenerator = type(st.sidebar)  # annotations alone name it

UPLOAD_PATH = r"/_stcore/upload_file/([^/]+)/([^/]+)$"  # session and file
USES = {
    "uploads": "streamlit.runtime:Runtime",
    "upload_path": "streamlit.web.server.server:UPLOAD_FILE_ENDPOINT",
    "page_run": "streamlit.runtime.scriptrunner:get_script_run_ctx",
    "history": "streamlit.runtime.scriptrunner_utils.script_run_context:ScriptRunContext.is_history_navigation",
}
# Elements without a public name or a setting: the page's sides, the ink of primary buttons, an offer. A rule for a missing one is idle.
STYLE = """
  @media (min-width: 640px) { [data-testid=stMainBlockContainer] { padding-left: 2.5rem; padding-right: 2.5rem; } }
  [data-testid=stBaseButton-primary]:enabled { color: light-dark(#ffffff, #17171a) !important; }
  [data-testid=stSkillsNudge] { display: none; }"""
SAID = {"skip_link": "Skip to main content", "hints": "Press Enter to "}


def check() -> list[str]:
    """Log and return what this version of Streamlit lacks: names of `USES`, elements of `STYLE`, and what it says, in `SAID`."""
    scripts = Path(st.__file__).parent.glob("static/static/js/*.js")
    drawn = "".join(path.read_text(encoding="utf-8") for path in scripts)
    lacks = {use: _find(use) is None for use in USES}
    lacks["uploads"] = uploaded_bytes() is None
    lacks["upload_path"] = not UPLOAD_PATH.startswith(_find("upload_path") or " ")
    texts = {name: name for name in re.findall(r"data-testid=(\w+)", STYLE)} | SAID
    lacks |= {name: text not in drawn for name, text in texts.items()}
    for use in (missing := [use for use, is_missing in lacks.items() if is_missing]):
        events.note(f"streamlit_lacks_{use}")
    return missing


def uploaded_bytes() -> dict[tuple[str, str], int] | None:
    """Return the bytes that the server holds of each upload, by session and file; None where Streamlit does not say."""
    try:
        runtime = _find("uploads")
        held = runtime.instance().uploaded_file_mgr.file_storage if runtime.exists() else {}
        files = [(owner, *file) for owner, own in [*held.items()] for file in [*own.items()]]
        return {(owner, name): len(record.data) for owner, name, record in files}
    except (AttributeError, TypeError):
        return None


def script_run() -> Any:
    """Return the run of a page in this thread; None outside of one, and where Streamlit does not say."""
    find_run = _find("page_run")
    return find_run and find_run(suppress_warning=True)


def is_history_navigation() -> bool:
    """Return whether a person went back or forward in the history; False where Streamlit does not say."""
    return bool(getattr(script_run(), "is_history_navigation", False))


def _find(use: str) -> Any:
    """Return what one of `USES` names; None where Streamlit has no such thing."""
    try:
        return resolve_name(USES[use])
    except (ImportError, AttributeError):
        return None

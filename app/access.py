"""Who may do what: a person at this machine everything, a visitor of a public server nothing but look.

- ``KLYUCH_PUBLIC=1``: anybody may look; nobody imports, deletes, renames, downloads texts or trains.
- A section ``[auth]`` in ``.streamlit/secrets.toml`` (Streamlit's OIDC): everybody who signs in may look, the addresses that
  ``KLYUCH_EDITORS`` lists may change models, corpora and jobs.
- Neither: `app.server` answers this machine only, and its users may do everything.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import streamlit as st

from embeddings.errors import InputError
from embeddings.shelf.locations import data, home

PUBLIC, EDITORS = "KLYUCH_PUBLIC", "KLYUCH_EDITORS"
_FOLDERS = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\](?:[^\s/\\«»„“”\"']+[/\\])+")


def is_public() -> bool:
    """Whether the server is open to anybody."""
    return os.environ.get(PUBLIC, "0").strip().lower() not in ("", "0", "false", "no")


def has_sign_in() -> bool:
    """Whether people sign in: the secrets of Streamlit have a section ``auth``."""
    try:
        return "auth" in st.secrets
    except FileNotFoundError:  # there are no secrets at all
        return False


def is_shared() -> bool:
    """Whether others than the person at this machine see the pages."""
    return is_public() or has_sign_in()


def editors() -> frozenset[str]:
    """Return the e-mail addresses of those who may change something, in lower case."""
    listed = os.environ.get(EDITORS, "").replace(",", " ").split()
    return frozenset(address.lower() for address in listed)


def is_signed_in() -> bool:
    """Whether this session's person has signed in."""
    return bool(st.user.get("is_logged_in"))


def email() -> str:
    """Return the e-mail address of the person who has signed in; "" where the provider gives none or has not verified it."""
    if not is_signed_in() or st.user.get("email_verified") is False:
        return ""
    return str(st.user.get("email") or "").lower()


def may_change() -> bool:
    """Whether this session may change models, corpora and jobs."""
    if is_public():
        return False
    return email() in editors() if has_sign_in() else True


def check_change() -> None:
    """Raise `InputError` unless this session may change models, corpora and jobs."""
    if not may_change():
        raise InputError("server_looking")


def without_folders(text: str) -> str:
    """Return a sentence in which every path of a shared server is cut to its last name.

    Examples
    --------
    >>> _cut("/srv/klyuch/models/a/card.json cannot be read and/or written")
    'card.json cannot be read and/or written'
    """
    return _cut(text) if is_shared() else text


def _cut(text: str) -> str:
    """Cut every absolute path to its last name; the server's own folders may hold spaces."""
    for folder in (home(), data(), Path(tempfile.gettempdir()), Path.home(), Path.cwd()):
        for written in {str(folder), str(folder.resolve())}:
            if len(written) > 1:
                text = text.replace(written + os.sep, "")
    return _FOLDERS.sub("", text)

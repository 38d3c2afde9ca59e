"""Visitors of the app: sessions over Streamlit's own websocket, each of which opens pages, types and clicks; or a real browser.

A wait of a session lasts from the message that a widget sends until the server says that the page, or its fragment, is drawn; what the
browser then needs is not in it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: TID251
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: TID251
from streamlit.proto.WidgetStates_pb2 import WidgetState  # noqa: TID251
from websockets.sync.client import ClientConnection, connect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Value = bool | int | str | list[str]  # of a switch, a slider, a field, of buttons in a row
DRAWN = (0, 3)  # a page, a fragment of one, as Streamlit's messages count
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


class Visit:
    """One visitor: a websocket and what the page shows; a context."""

    def __init__(self, port: int, timeout: float = 120.0, cookie: str = "") -> None:
        self.port, self.timeout, self.cookie = port, timeout, cookie
        self.widgets: dict[str, str] = {}  # key: id
        self._fragments: dict[str, str] = {}  # of widgets that redraw one alone, by key
        self._states: dict[str, WidgetState] = {}  # what was set, by key
        self._messages: list[ForwardMsg] = []
        self._page = ""

    def __enter__(self) -> Visit:
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        self._opening = connect(
            address,
            subprotocols=["streamlit"],
            max_size=None,
            open_timeout=self.timeout,
            ping_interval=None,
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
        )
        self.connection: ClientConnection = self._opening.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._opening.__exit__(*error)

    def open(self, query: str = "", page: str = "") -> float:
        """Open a page as a link does; return the seconds until it is drawn."""
        self._page, self.query = page, query
        for known in (self._states, self.widgets, self._fragments):
            known.clear()
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        return self._answered(message)

    def set(self, key: str, value: Value) -> float:
        """Set the widget whose key this is, as typing or sliding does; return the seconds until the page is drawn anew."""
        state = self._states[key] = WidgetState(id=self.widgets[key])
        if isinstance(value, bool):
            state.bool_value = value
        elif isinstance(value, int):
            state.double_array_value.data.append(value)
        elif isinstance(value, list):
            state.string_array_value.data.extend(value)
        else:
            state.string_value = value
        return self.again(self._fragments.get(key, ""))

    def again(self, fragment: str = "") -> float:
        """Ask for the page anew, or for one fragment of it; return the seconds until it is drawn."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self._hash
        message.rerun_script.fragment_id = fragment
        message.rerun_script.widget_states.widgets.extend(self._states.values())
        return self._answered(message)

    def navigation(self) -> list[str]:
        """Return the names of the pages."""
        pages = [m.navigation for m in self._messages if m.WhichOneof("type") == "navigation"]
        return [page.url_pathname for page in pages[-1].app_pages]

    def _answered(self, message: BackMsg) -> float:
        """Send, and read until the page is drawn."""
        begun = time.monotonic()
        self.connection.send(message.SerializeToString())
        self._messages.clear()
        while True:
            raw = self.connection.recv(timeout=self.timeout)
            answer = ForwardMsg.FromString(raw if isinstance(raw, bytes) else raw.encode())
            self._messages.append(answer)
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self._hash = answer.new_session.page_script_hash
            elif kind == "navigation":
                self._hash = answer.navigation.page_script_hash or self._hash
            elif kind == "delta":
                self._note(answer)
            elif kind == "script_finished" and answer.script_finished in DRAWN:
                return time.monotonic() - begun

    def _note(self, answer: ForwardMsg) -> None:
        """Remember the widgets, by key."""
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        if kind and (identity := getattr(getattr(element, kind), "id", "")):
            key = identity.rpartition("-")[2]
            self.widgets[key] = identity
            self._fragments[key] = answer.delta.fragment_id

    def exceptions(self) -> list[str]:
        """Return the tracebacks on the page."""
        elements = (m.delta.new_element for m in self._messages if m.WhichOneof("type") == "delta")
        return [e.exception.message for e in elements if e.WhichOneof("type") == "exception"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser: the one that KLYUCH_BROWSER names, or the first on the path."""
    from playwright.sync_api import sync_playwright  # visits by websocket do without

    named = os.environ.get("KLYUCH_BROWSER")
    path = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()

"""Files that are made when they are asked for, held until the browser has come for them.

Streamlit holds such a file for nobody: once two runs of any page have ended, of whomever, it is gone, maybe before the browser came.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable

from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

SECONDS = 60.0  # for which a file is held, unless its page is drawn anew before


def hold(make: Callable[[], bytes | str], mimetype: str, file_name: str) -> Callable[[], bytes]:
    """Return what makes a file and lets the session that is drawn now hold it for `SECONDS`."""
    page = get_script_run_ctx(suppress_warning=True)

    def made_and_held() -> bytes:
        made = make()
        content = made.encode() if isinstance(made, str) else made
        if page is None or not runtime.exists():
            return content
        server, place = runtime.get_instance(), f"made-{uuid.uuid4().hex}"

        def put(content: bytes) -> None:
            if server.is_active_session(page.session_id):
                server.media_file_mgr.add(
                    content, mimetype, place, file_name, is_for_static_download=True
                )

        holding = threading.Thread(target=put, args=(content,))
        releasing = threading.Timer(SECONDS, put, (b"",))  # an empty file takes the place
        releasing.daemon = True
        add_script_run_ctx(holding, page)  # Streamlit takes the session from the thread
        add_script_run_ctx(releasing, page)
        holding.start()
        holding.join()
        releasing.start()
        return content

    return made_and_held

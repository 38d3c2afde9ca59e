"""Files that are made when they are asked for, held until the page that offers them is drawn anew.

Streamlit holds such a file for nobody: once two runs of any page have ended, of whomever, it is gone, maybe before the browser came for
it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx


def hold(
    make: Callable[[], bytes | str], mimetype: str, file_name: str, key: str
) -> Callable[[], bytes]:
    """Return what makes a file and lets the session that is drawn now hold it, one for each ``key``."""
    page = get_script_run_ctx(suppress_warning=True)

    def held() -> bytes:
        made = make()
        content = made.encode() if isinstance(made, str) else made
        if page is None or not runtime.exists():
            return content
        server = runtime.get_instance()
        if server.is_active_session(page.session_id):
            # Streamlit takes the session from the thread, and this one has none.
            adding = threading.Thread(
                target=server.media_file_mgr.add,
                args=(content, mimetype, f"made-{key}", file_name),
                kwargs={"is_for_static_download": True},
            )
            add_script_run_ctx(adding, page)
            adding.start()
            adding.join()
        return content

    return held

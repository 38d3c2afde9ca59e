"""Few and short collections of garbage: one in two seconds, and what libraries brought is left out of them.

Streamlit would collect all garbage after every run of a page (`.streamlit/config.toml` tells it not to), and so walk over each object of
torch, Plotly and pandas, which takes longer than most pages do, while all other visitors wait. Those objects live as long as the server.
"""

from __future__ import annotations

import gc
import sys
import time

NEW_MODULES = 50  # after so many imports it is done again
EVERY = 2.0  # seconds between two collections: pages leave cycles, and they add up
_frozen_modules = 0
_collected = 0.0


def collect() -> None:
    """Collect what pages have left, unless that was just done; leave out what libraries brought."""
    global _collected
    freeze_libraries()
    now = time.monotonic()
    if now - _collected >= EVERY:
        _collected = now
        gc.collect()


def freeze_libraries() -> None:
    """Leave all that lives now out of later collections, where many modules were imported since the last time.

    It is done a few times in the life of a server. What a session holds at that moment is left out too, and stays if it is part of a
    cycle: the garbage of one page.
    """
    global _frozen_modules
    if len(sys.modules) >= _frozen_modules + NEW_MODULES:
        _frozen_modules = len(sys.modules)
        gc.collect()
        gc.freeze()

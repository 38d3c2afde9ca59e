"""Short collections of garbage: what libraries brought is left out of them.

Streamlit collects all garbage after every run of a page, and so walks over each object of torch, Plotly and pandas, which takes longer than
most pages do. Those objects live as long as the server.
"""

from __future__ import annotations

import gc
import sys

NEW_MODULES = 50  # after so many imports it is done again
_frozen_modules = 0


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

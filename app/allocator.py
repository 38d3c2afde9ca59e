"""How the C library gives memory back: large arrays at once, small ones from few arenas.

glibc raises the size past which an array has pages of its own to that of the largest that was freed, up to 32 MB. Later ones of that size
then lie in the heaps of threads, and what is freed between two that live stays with the process: a server of many threads grows for hours.
Other C libraries and systems are left as they are.
"""

from __future__ import annotations

import ctypes
import sys

# Bytes past which an array has pages of its own, given back when it is freed.
OWN_PAGES = 4 << 20
ARENAS = 4  # heaps that all threads share
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # malloc.h


def give_back_early() -> bool:
    """Fix both bounds for this process; return whether the C library took them."""
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(_MMAP_THRESHOLD, OWN_PAGES)) and bool(mallopt(_ARENA_MAX, ARENAS))

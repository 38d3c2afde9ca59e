"""The most memory that this process held since a moment that a benchmark names, as Linux counts it (VmHWM).

The peak of a whole process would hold what the benchmark needs for its input and its scoring, too. Here it begins anew at what the
process holds at that moment: the input, the libraries, what a method has prepared.
"""

from __future__ import annotations

import gc
from pathlib import Path

PROCESS = Path("/proc/self")
BEGIN_ANEW = "5"  # of proc(5), clear_refs: the peak becomes what is resident now


def reset_peak() -> None:
    """Let the peak begin anew, once what nobody refers to any more is gone."""
    gc.collect()
    (PROCESS / "clear_refs").write_text(BEGIN_ANEW, encoding="ascii")


def peak_mb() -> float:
    """Return the most that the process held since then, mapped files that it read included, in units of 2^20 bytes."""
    status = (PROCESS / "status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024

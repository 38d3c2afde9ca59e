"""The app as a server that samples where its processor time goes, in streamlit's place.

    KLYUCH_SAMPLES=FILE python -m benchmarks.research.profiled_server run app/server.py

From SIGUSR1 on, after each `EVERY` seconds of processor time of the process the system interrupts the thread that runs, and faulthandler
writes into the file where in Python it is, without waiting for the interpreter's lock. So no call is made dearer than another, and neither
waiting counts nor what else runs on the machine; cProfile makes a click of Explore seven times dearer where it reads a thread's own clock.
Threads without Python are not seen. A sample may meet the interpreter as it enters a function, which ends the server: once in several
thousand samples.
"""

from __future__ import annotations

import faulthandler
import os
import re
import runpy
import signal
from pathlib import Path

SAMPLES_FILE = "KLYUCH_SAMPLES"
EVERY = 0.001  # seconds; where the system's clock ticks less often, a tick
INNERMOST = re.compile(r'most recent call first\):\n  File "(.+)", line \d+ in (.+)\n')


def read_samples(text: str) -> list[tuple[str, str]]:
    """Return file and name of the function in which each sample was taken."""
    return INNERMOST.findall(text)


def main() -> None:
    """Run Streamlit's command line in this process."""
    with Path(os.environ[SAMPLES_FILE]).open("wb", buffering=0) as file:
        faulthandler.register(signal.SIGPROF, file=file, all_threads=False)
        begin = lambda *_: signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)  # noqa: E731
        signal.signal(signal.SIGUSR1, begin)
        runpy.run_module("streamlit", run_name="__main__")


if __name__ == "__main__":
    main()

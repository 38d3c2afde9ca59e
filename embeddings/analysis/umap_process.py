"""UMAP in a process of its own, for a server: what compiles it holds Python's lock for half a minute, and all visitors would wait.

``python -m embeddings.analysis.umap_process`` reads requests from standard input, each the dimensions with the seed and then the rows,
and answers each with coordinates, until the input ends. A part of either is a count of bytes and an array in NumPy's own format.
"""

from __future__ import annotations

import atexit
import io
import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from embeddings.analysis.projection import by_umap
from embeddings.errors import InputError

COUNT = 8  # bytes of a count
NICE = 10  # its priority: who waits for a page goes first
PACKAGE = Path(__file__).resolve().parents[2]


class UmapProcess:
    """UMAP as `embeddings.analysis.projection.by_umap`, computed by a process that lives as long as this one; one map at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def __call__(
        self, rows: NDArray[np.float32], dimensions: int, seed: int
    ) -> NDArray[np.floating]:
        """Return coordinates of rows.

        Raises
        ------
        MissingLibraryError
            If umap-learn is not installed.
        InputError
            If the process ends before it has answered.
        """
        if find_spec("umap") is None:
            return by_umap(rows, dimensions, seed)  # says what is missing
        with self._lock:
            child = self._running()
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                write_array(child.stdin, np.array([dimensions, seed]))
                write_array(child.stdin, rows)
                return read_array(child.stdout)
            except (OSError, EOFError) as error:
                self._end()
                raise InputError("projection_ended", words=len(rows)) from error

    def close(self) -> None:
        """End the process; the next map would start another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        """Kill the process, if it is there."""
        child, self._child = self._child, None
        if child is not None:
            atexit.unregister(child.kill)
            child.kill()
            with suppress(OSError):  # what was on its way has nowhere to go
                child.communicate()

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started if it is not there."""
        if self._child is not None and self._child.poll() is not None:
            self._end()
        if self._child is None:
            path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
            self._child = subprocess.Popen(
                [sys.executable, "-m", "embeddings.analysis.umap_process"],
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            # while it computes it does not see that its input has ended; to kill one that is gone does nothing
            atexit.register(self._child.kill)
        return self._child


umap_apart = UmapProcess()
"""The one that the pages and the warm-up ask."""


def write_array(sink: IO[bytes], array: NDArray[np.generic]) -> None:
    """Write the count of bytes, and an array."""
    packed = io.BytesIO()
    np.save(packed, array, allow_pickle=False)
    sink.write(len(packed.getbuffer()).to_bytes(COUNT, "little"))
    sink.write(packed.getbuffer())
    sink.flush()


def read_array(source: IO[bytes]) -> NDArray[np.floating]:
    """Read an array.

    Raises
    ------
    EOFError
        If the other end is gone.
    """
    count = source.read(COUNT)
    size = int.from_bytes(count, "little")
    packed = source.read(size)
    if len(count) < COUNT or len(packed) < size:
        raise EOFError
    array: NDArray[np.floating] = np.load(io.BytesIO(packed), allow_pickle=False)
    return array


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    while True:
        try:
            dimensions, seed = (int(value) for value in read_array(source))
            rows = read_array(source)
        except EOFError:
            return
        write_array(sink, by_umap(np.asarray(rows, np.float32), dimensions, seed))


def main() -> None:
    """Serve standard input, with what libraries print kept out of the answers."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    with os.fdopen(os.dup(1), "wb") as sink:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, sink)


if __name__ == "__main__":
    main()

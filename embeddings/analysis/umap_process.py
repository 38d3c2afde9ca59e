"""UMAP in a process of its own, for a server: what compiles it holds Python's lock for half a minute, and all visitors would wait.

``python -m embeddings.analysis.umap_process`` reads requests from standard input and answers each with coordinates, until the input ends.
A request is `REQUEST` (rows, their columns, dimensions, seed) and the rows, the answer a row of coordinates for each; all are float32.
"""

from __future__ import annotations

import atexit
import os
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import numpy as np

from embeddings.analysis.projection import by_umap
from embeddings.arrays import Float32s, Floats
from embeddings.errors import InputError

REQUEST = struct.Struct("<4q")
NUMBER = 4  # bytes of a float32
NICE = 10  # its priority: who waits for a page goes first
PACKAGE = Path(__file__).resolve().parents[2]


class UmapProcess:
    """UMAP as `embeddings.analysis.projection.by_umap`, computed by a process that lives as long as this one; one map at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def __call__(self, rows: Float32s, dimensions: int, seed: int) -> Floats:
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
                child.stdin.write(REQUEST.pack(*rows.shape, dimensions, seed))
                child.stdin.write(np.asarray(rows, np.float32).tobytes())
                child.stdin.flush()
                return read_rows(child.stdout, len(rows), dimensions)
            except (OSError, EOFError) as error:
                self._end()
                raise InputError("projection_ended", words=len(rows)) from error

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


def read_rows(source: IO[bytes], rows: int, columns: int) -> Float32s:
    """Read a matrix.

    Raises
    ------
    EOFError
        If the other end is gone.
    """
    packed = source.read(NUMBER * rows * columns)
    if len(packed) < NUMBER * rows * columns:
        raise EOFError
    return np.frombuffer(packed, np.float32).reshape(rows, columns)


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    while len(request := source.read(REQUEST.size)) == REQUEST.size:
        rows, columns, dimensions, seed = REQUEST.unpack(request)
        coordinates = by_umap(read_rows(source, rows, columns), dimensions, seed)
        sink.write(np.asarray(coordinates, np.float32).tobytes())
        sink.flush()


def main() -> None:
    """Serve standard input, with what libraries print kept out of the answers."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    with os.fdopen(os.dup(1), "wb") as sink:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, sink)


if __name__ == "__main__":
    main()

"""``klyuch cluster``: a cluster on this machine, and what a cluster has."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from embeddings.cli.nouns import verb
from embeddings.cli.output import bytes_in_words, counted, emit, grid
from embeddings.cluster.connection import connected, local_cluster
from embeddings.configuration import check_range

PORT, HIGHEST_PORT = 8786, 65_535


@verb("cluster", "local")
def local_command(
    *,
    workers: int = 4,
    threads: int = 1,
    memory_mb: int = 0,
    port: int = PORT,
    as_json: bool = False,
) -> None:
    """Start a cluster on this machine, which nothing outside it can reach; Ctrl+C stops it."""
    check_range("port", port, 0, HIGHEST_PORT)
    with local_cluster(workers, threads=threads, memory_mb=memory_mb, port=port) as cluster:
        address = cluster.scheduler_address
        sentence = f"{counted(workers, 'worker')} at {address}: give it to --cluster. Ctrl+C stops."
        emit({"address": address, "workers": workers}, as_json, lambda: sentence)
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, _stop)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


def _stop(*_: Any) -> None:
    """End as by Ctrl+C, workers first."""
    raise KeyboardInterrupt


@verb("cluster", "show")
def show_command(address: str, *, as_json: bool = False) -> None:
    """List the workers of a cluster, with threads and memory."""
    with connected(address) as cluster:
        workers = cluster.listed()
    rows: list[tuple[object, ...]] = [
        (worker["worker"], worker["threads"], bytes_in_words(int(str(worker["memory"]))))
        for worker in workers
    ]
    emit(workers, as_json, lambda: grid("worker", "threads", "memory", rows=rows))

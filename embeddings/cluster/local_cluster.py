"""A cluster on this machine: a scheduler and worker processes that listen on the loopback alone, without a dashboard."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from embeddings.errors import InputError
from embeddings.optional import optional

LOOPBACK = "127.0.0.1"
SETTINGS: dict[str, list[str] | str] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.deploy.lost-worker-timeout": "120s",  # 15 s are too few to start a process anew on a busy machine
}


@contextmanager
def local_cluster(
    workers: int = 4, *, threads: int = 1, memory_mb: int = 0, port: int = 0, processes: bool = True
) -> Iterator[Any]:
    """Start a cluster here and yield it; it ends with the block.

    Parameters
    ----------
    workers, threads : int
        Processes, and threads of each.
    memory_mb : int, default 0
        Bound on the memory of a process in MB, past which it is started again; 0: its share of the machine's.
    port : int, default 0
        Of the scheduler; 0 takes a free one.
    processes : bool, default True
        False runs the workers as threads of this process.

    Yields
    ------
    distributed.LocalCluster
        Its ``scheduler_address`` is what ``--cluster`` takes.

    Raises
    ------
    InputError
        If the port is taken.
    MissingLibraryError
        If the extra ``cluster`` is not installed.
    """
    with optional():
        import dask
        from distributed import LocalCluster
    _check_port(port)
    with dask.config.set(SETTINGS):
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            memory_limit=f"{memory_mb}MiB" if memory_mb else "auto",
            host=LOOPBACK,
            protocol="tcp://",
            scheduler_port=port,
            processes=processes,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
        )
        with cluster:
            yield cluster


def _check_port(port: int) -> None:
    """Refuse a port that cannot be opened, before anything is started."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((LOOPBACK, port))
    except OSError as error:
        raise InputError("cluster_port", port=port, reason=error.strerror) from error

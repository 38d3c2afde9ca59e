"""``klyuch cluster``: a cluster on this machine, and what a cluster has."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import suppress
from typing import Any

import typer

from embeddings.cli.arguments import JSON
from embeddings.cli.output import bytes_in_words, counted, emit, grid
from embeddings.cluster.connection import connected
from embeddings.cluster.local_cluster import local_cluster
from embeddings.configuration import check_range

PORT, HIGHEST_PORT = 8786, 65_535

commands = typer.Typer(no_args_is_help=True)


@commands.callback()
def _cluster() -> None:
    """Many machines, or processes, as one: Dask clusters for --cluster."""


@commands.command("local", epilog="Example: klyuch cluster local --workers 4")
def local_command(
    workers: int = typer.Option(4, min=1, max=1024, help="Processes."),
    threads: int = typer.Option(1, min=1, max=256, help="Threads of each process."),
    memory_mb: int = typer.Option(
        0, min=0, help="Memory of a process in MB; 0: its share of the machine's."
    ),
    port: int = typer.Option(PORT, help="Port of the scheduler; 0 takes a free one."),
    as_json: bool = typer.Option(False, "--json", help="Print the address as JSON."),
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


@commands.command("show", epilog="Example: klyuch cluster show tcp://127.0.0.1:8786")
def show_command(
    address: str = typer.Argument(help="Address of the scheduler, as tcp://127.0.0.1:8786."),
    as_json: bool = JSON,
) -> None:
    """List the workers of a cluster, with threads and memory."""
    with connected(address) as cluster:
        workers = cluster.listed()
    rows: list[tuple[object, ...]] = [
        (worker["worker"], worker["threads"], bytes_in_words(int(str(worker["memory"]))))
        for worker in workers
    ]
    emit(workers, as_json, lambda: grid("worker", "threads", "memory", rows=rows))

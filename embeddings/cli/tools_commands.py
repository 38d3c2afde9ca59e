"""``klyuch app``, ``cluster``, ``doctor``, ``costs`` and ``lab``: the pages, what is installed, what was measured."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from embeddings.analysis.network_costs import PRESETS, find_preset, operations, parameters
from embeddings.cli.nouns import optional_flags, verb
from embeddings.cli.output import columns_of, counted, emit, grid, some_fields
from embeddings.cluster.connection import local_cluster
from embeddings.configuration import check_range
from embeddings.diagnosis import diagnose
from embeddings.errors import InputError
from embeddings.lab import NAMES, read_experiment
from embeddings.lab.experiment import Cell, Measured
from embeddings.networks.bert_config import KAZAN, BertConfig
from embeddings.optional import require

PORT, HIGHEST_PORT = 8501, 65_535

ADDRESS = "localhost"  # this machine alone

START_STREAMLIT = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('streamlit', run_name='__main__', alter_sys=True)"
)


@verb("app", answers=False)
def app(*, port: int = PORT, browser: bool = True) -> None:
    """Start the pages and open them in the browser; Ctrl+C stops them."""
    require("streamlit", "pandas", "plotly")
    check_range("port", port, 1, HIGHEST_PORT)
    check_port(port)
    folder = page_folder()
    options = {
        "server.port": port,
        "server.address": ADDRESS,
        "server.fileWatcherType": "none",
        **(
            {} if browser else {"server.headless": "true"}
        ),  # Streamlit sees whether there is a screen
    }
    sys.stdout.flush()
    # -P: a module in the folder that the person is in must not stand in for one of ours
    command = [sys.executable, "-P", "-c", START_STREAMLIT, str(folder)]
    command += ["run", str(folder / "app" / "server.py")]
    os.execv(sys.executable, command + [f"--{name}={value}" for name, value in options.items()])


def page_folder() -> Path:
    """Return the folder that holds ``app/``: inside the package in a wheel, next to it in a clone."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "page"
    return inside if inside.is_dir() else package.parent


def check_port(port: int) -> None:
    """Refuse a port that cannot be opened.

    Raises
    ------
    InputError
        If another program has it, or the system keeps it for itself; the sentence names a free one.
    """
    try:
        _bind(port)
    except OSError as error:
        raise InputError("port_taken", port=port, reason=error.strerror, free=_bind(0)) from error


def _bind(port: int) -> int:
    """Open a port for a moment on every address that `ADDRESS` stands for, and return its number."""
    addresses = socket.getaddrinfo(ADDRESS, port, type=socket.SOCK_STREAM)
    with ExitStack() as probes:
        for family, kind, protocol, _, (host, *_) in addresses:
            probe = probes.enter_context(socket.socket(family, kind, protocol))
            if os.name == "posix":  # a port that was closed a moment ago is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            port = int(probe.getsockname()[1])
    return port


CLUSTER_PORT = 8786


@verb("cluster", "local")
def local_command(
    *, workers: int = 4, threads: int = 1, memory_mb: int = 0, port: int = CLUSTER_PORT
) -> None:
    """Start a cluster on this machine, which nothing outside it can reach; Ctrl+C stops it."""
    check_range("port", port, 0, HIGHEST_PORT)
    check_port(port)
    with local_cluster(workers, threads=threads, memory_mb=memory_mb, port=port) as cluster:
        address = cluster.scheduler_address
        sentence = f"{counted(workers, 'worker')} at {address}: give it to --cluster. Ctrl+C stops."
        emit({"address": address, "workers": workers}, sentence)
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as by Ctrl+C
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


@verb("doctor")
def doctor(*, checksums: bool = True) -> None:
    """Check versions, devices, disks, models and jobs; exit code 1 if something is wrong."""
    diagnosis = diagnose(hash_files=checksums)
    about = {
        **some_fields(diagnosis, "version", "python", "system", "shipped_models", "own_models"),
        "libraries": [f"{lib.name} {lib.version}" for lib in diagnosis.libraries if lib.version],
        "missing": [lib.name for lib in diagnosis.libraries if not lib.version],
        "jobs": diagnosis.jobs,
    }
    rooms = columns_of(diagnosis.rooms, "purpose", "path", "free:B", "is writable")
    devices = columns_of(diagnosis.devices, "kind", "name", "memory:B")
    emit(diagnosis, about, devices, rooms, *(diagnosis.problems or ("Nothing is wrong.",)))
    if diagnosis.problems:
        raise typer.Exit(1)


SIZES = (
    *("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size"),
    *("embedding_size", "vocab_size", "max_position_embeddings", "type_vocab_size", "share_layers"),
)


@verb("costs", given=optional_flags(BertConfig, SIZES, told=False))
def costs(
    *,
    preset: str = typer.Option("bert-base", help=f"One of {', '.join(PRESETS)}."),
    given: Any,
    sequence_length: int | None = None,
) -> None:
    """Count parameters (with pooler, without heads; kazan-2019: all of it) and multiplications of one forward pass.

    The intermediate size is 4 times a hidden size that is given, if it is not given itself.
    """
    settings = {name: value for name, value in asdict(given).items() if value is not None}
    if given.hidden_size is not None:
        settings = {"intermediate_size": 4 * given.hidden_size} | settings
    sizes = replace(find_preset(preset), **settings)
    most = sizes.max_position_embeddings
    length = most if sequence_length is None else sequence_length
    if length > most and sizes.model_type != KAZAN:  # its positions are waves, not a table
        raise InputError("costs_positions", length=length, rows=most)
    counted, multiplied = parameters(sizes), operations(sizes, length)
    value = {
        "parameters": counted.total,
        "operations": multiplied.total,
        "sequence_length": length,
        "parameter_parts": counted,
        "operation_parts": multiplied,
    }
    names = ("embeddings", "attention", "feed_forward", "pooler", "heads", "total")
    rows = [(name, getattr(counted, name), getattr(multiplied, name, None)) for name in names]
    emit(value, grid("part", "parameters", "operations", rows=rows))


@verb("lab", "show")
def lab_show_command(name: str = typer.Argument(help=f"One of {', '.join(NAMES)}.")) -> None:
    """Show an experiment's claims, whether they hold, and its tables."""
    experiment = read_experiment(name)
    claims = [
        (
            claim.name,
            claim.verdict,
            ", ".join(f"{key} {_field(value)}" for key, value in claim.fields),
            claim.source,
        )
        for claim in experiment.claims
    ]
    parts: list[Table | str] = [experiment.question]
    parts.append(grid("claim", "holds", "measured", "source", rows=claims))
    for table in experiment.tables:
        digits = [column.digits for column in table.columns]
        rows = [[*map(_cell, row, digits)] for row in table.rows]
        heads = [column.name for column in table.columns]
        parts += [f"\n{table.name}", grid(*heads, rows=rows)]
    emit(experiment, *parts)


def _field(value: Measured | str) -> str:
    """A field of a sentence."""
    return value if isinstance(value, str) else str(_cell(value.value, value.digits))


def _cell(value: Cell, digits: int) -> str:
    """A cell with the digits that it is worth; a dash for None."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}f}"

"""A connection to a Dask cluster: tasks sent, answers taken as they come, what goes wrong said in sentences.

Tasks and answers travel as pickles between processes of one owner: a cluster has to be trusted. Only
functions of this package are sent, and only addresses that the person at the command line names.
A task is a pure function of what is sent with it, so that the scheduler may run it again where a
worker was lost, and nothing changes.

A cluster on this machine is a scheduler and worker processes that listen on the loopback alone, without a dashboard.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import compress, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings._version import __version__
from embeddings.errors import InputError, KlyuchError, refusals
from embeddings.files import atomic_file
from embeddings.optional import optional

CONNECT = 10.0  # seconds in which a scheduler and its first worker must answer
CHECK_SECONDS = 5.0  # seconds after which it is checked whether there still is a worker
PATIENCE = 60.0  # seconds without any worker, or with paused ones alone, after which is given up
ROOM = 0.8  # of a worker's memory bound; past it Dask pauses the worker (its default)
TASKS_PER_THREAD = 2  # tasks under way or waiting for each thread
LIBRARIES = ("numpy", "numba", "distributed")

Arrays = tuple[NDArray[Any], ...]
J = TypeVar("J")
R = TypeVar("R")


def versions() -> dict[str, str]:
    """Return what must agree between all processes of a cluster."""
    libraries = {name: importlib.metadata.version(name) for name in LIBRARIES}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"klyuch": __version__, "python": python, **libraries}


def check_versions(client: Any, expected: dict[str, str]) -> None:
    """Refuse workers whose libraries are others than ``expected``, by name.

    Raises
    ------
    InputError
        That names a worker, a library and both versions.
    """
    for worker, answer in client.run(versions, on_error="return").items():
        theirs = answer if isinstance(answer, dict) else {}
        for name, ours in expected.items():
            if (version := theirs.get(name, "–")) != ours:
                fields = {"worker": worker, "name": name, "theirs": version, "ours": ours}
                raise InputError("cluster_versions", **fields)


def run_task(task: Callable[..., R], job: J, *shared: Any) -> R:
    """Run a task on a worker; what the system refuses there becomes its sentence."""
    with refusals():
        return task(job, *shared)


def _same(value: R) -> R:
    """Return a value as it is."""
    return value


class Cluster:
    """Workers that run tasks.

    Parameters
    ----------
    client : distributed.Client
        Connected.
    address : str
        For sentences.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address

    @property
    def _workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of each worker, by address."""
        workers: dict[str, dict[str, Any]] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

    @property
    def threads(self) -> int:
        """Tasks that can run at the same time; at least 1."""
        return max(1, sum(int(worker["nthreads"]) for worker in self._workers.values()))

    @property
    def memory_per_task(self) -> int:
        """Bytes that every task may take before Dask pauses its worker; 0 where nothing bounds them."""
        limits = [
            int(ROOM * int(worker["memory_limit"] or 0)) // max(int(worker["nthreads"]), 1)
            for worker in self._workers.values()
        ]
        return min((limit for limit in limits if limit), default=0)

    def check_memory(self, needed: int, code: str = "cluster_memory") -> None:
        """Refuse work that a worker has no room for; ``code`` names the sentence with its way out.

        Raises
        ------
        InputError
            With what a task needs and what a thread of the smallest worker has.
        """
        limit = self.memory_per_task
        if limit and limit < needed:
            raise InputError(code, limit=limit >> 20, needed=-(-needed >> 20))

    def results(
        self, task: Callable[..., R], jobs: Iterable[J], *shared: Any
    ) -> Iterator[tuple[J, R]]:
        """Run a task on every job and yield job and result, in the order of the jobs.

        Parameters
        ----------
        task : callable
            A function of this package: it travels by its name.
        jobs : iterable
            What it takes. A bounded number of jobs is under way, so that the memory of workers and scheduler is bounded too.
        shared : values
            Further arguments of the task, as `share` returned them.

        Raises
        ------
        KlyuchError
            What the task refuses; if a job ends several workers, if the cluster is gone.
        """
        waiting, running = iter(jobs), deque[tuple[Any, J]]()
        try:
            while True:
                room = max(TASKS_PER_THREAD * self.threads - len(running), 0)  # workers come and go
                for job in islice(waiting, room):
                    future = self._client.submit(run_task, task, job, *shared, pure=False)
                    running.append((future, job))
                if not running:
                    return
                future, job = running[0]
                self._wait_for(future)
                yield job, self._value(future, job)
                running.popleft()
                future.release()
        finally:
            if running:
                self._client.cancel([future for future, _ in running])

    def _wait_for(self, future: Any) -> None:
        """Wait until a future is finished.

        Raises
        ------
        InputError
            If there is no worker for `PATIENCE` seconds, or if all are paused that long and run nothing.
        """
        from distributed import wait

        waited = 0.0
        while waited < PATIENCE:
            try:
                with self._client.as_current():
                    wait([future], timeout=CHECK_SECONDS)
                    return
            except TimeoutError:
                is_working = any(map(_is_working, self._workers.values()))
                waited = 0.0 if is_working else waited + CHECK_SECONDS
            except CancelledError:
                break
        raise InputError("cluster_lost", address=self._address)

    def _value(self, future: Any, job: Any) -> Any:
        """Return a future's value, or raise its refusal."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KlyuchError:  # of the task; some of them are OSErrors too
            raise
        except (KilledWorker, MemoryError) as error:
            raise InputError("cluster_killed", job=str(job)) from error
        except (CancelledError, OSError) as error:
            raise InputError("cluster_lost", address=self._address) from error

    def share(self, value: Any) -> Any:
        """Return what stands for a value in `results`: one worker gets it, from which the others take it.

        It is the result of a task, so that the scheduler sends it again if that worker dies.
        """
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self._client.submit(_same, value, pure=False)


def kept_results(
    cluster: Cluster, task: Callable[..., Arrays], jobs: Sequence[J], folder: Path, *shared: Any
) -> Iterator[tuple[J, Arrays]]:
    """As `Cluster.results` of a task that returns arrays; those that came lie in ``folder`` until all have been yielded.

    The same call after an error makes only what is missing or damaged. The name of a part is a digest of all that decides what it holds.
    """
    keys = [repr((__version__, task.__name__, job, shared)) for job in jobs]
    names = [hashlib.sha256(key.encode()).hexdigest()[:24] for key in keys]
    paths = [folder / f"{name}.npz" for name in names]
    is_missing = [not _is_whole(path) for path in paths]
    results = cluster.results(task, compress(jobs, is_missing), *shared)
    for job, path, lacks in zip(jobs, paths, is_missing, strict=True):
        if lacks:
            _, arrays = next(results)
            with atomic_file(path) as temporary, temporary.open("wb") as file:
                np.savez(file, *arrays, allow_pickle=False)
        with np.load(path) as part:
            yield job, tuple(part.values())
    for path in paths:
        path.unlink()
    with suppress(OSError):  # parts of another call lie there too
        folder.rmdir()


def _is_whole(path: Path) -> bool:
    """Whether a part is there, and its arrays have the checksums that they were written with."""
    try:
        with zipfile.ZipFile(path) as part:
            return part.testzip() is None
    except (OSError, zipfile.BadZipFile, zlib.error):
        return False


def _is_working(worker: dict[str, Any]) -> bool:
    """Whether a worker takes tasks, or runs one: Dask pauses it while its memory is nearly full."""
    running = worker.get("metrics", {}).get("task_counts", {}).get("executing", 0)
    return worker["status"] != "paused" or bool(running)


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address, as tcp://127.0.0.1:8786.

    Raises
    ------
    InputError
        If nothing answers there within `CONNECT` seconds, if it has no worker, or one of other versions.
    MissingLibraryError
        If the extra ``cluster`` is not installed.
    """
    with optional():
        from distributed import Client

    class Connection(Client):
        """A client that never connected has nothing to close: the library's would wait, and print a traceback."""

        def __del__(self) -> None:
            if self.status == "running":
                super().__del__()  # type: ignore[no-untyped-call]

    connect: Any = Connection
    try:
        client = connect(address, timeout=CONNECT, set_as_default=False, direct_to_workers=True)
    except (OSError, ValueError, TypeError, AssertionError) as error:
        # the last of tls:// without keys
        raise InputError("cluster_absent", address=address) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT)
        except TimeoutError as error:
            raise InputError("cluster_workers", address=address) from error
        check_versions(client, versions())
        yield Cluster(client, address)


LOOPBACK = "127.0.0.1"
DASK_SETTINGS: dict[str, list[str] | str] = {
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
    MissingLibraryError
        If the extra ``cluster`` is not installed.
    """
    with optional():
        import dask
        from distributed import LocalCluster
    with dask.config.set(DASK_SETTINGS):
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

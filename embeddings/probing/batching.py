"""Many texts through a network: batches of like length, one core a batch, as many batches at a time as there are cores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

import torch

from embeddings.probing.reader import Reader
from embeddings.results import Progress
from embeddings.runtime import one_thread

R = TypeVar("R")


def in_batches(
    reader: Reader,
    lengths: Sequence[int],
    batch: int,
    ask: Callable[[list[int]], R],
    report: Callable[[Progress], None] | None = None,
) -> Iterator[tuple[list[int], R]]:
    """Yield (numbers of texts, what ``ask`` says of them) for all texts, in the order in which batches end.

    Texts of like length share a batch, so that little is padded. On a CPU each batch has one core.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    parts = [order[start : start + batch] for start in range(0, len(order), batch)]
    workers = min(len(parts), torch.get_num_threads()) if reader.device.type == "cpu" else 1
    started, done = time.perf_counter(), 0
    with one_thread(), ThreadPoolExecutor(max(1, workers)) as pool:
        running = {pool.submit(ask, rows): rows for rows in parts}
        for ended in as_completed(running):
            rows = running.pop(ended)
            done += len(rows)
            yield rows, ended.result()
            if report:
                rate = done / (time.perf_counter() - started)
                left = (len(order) - done) / rate
                report(Progress("contexts", 0, done, len(order), 0.0, rate, left))

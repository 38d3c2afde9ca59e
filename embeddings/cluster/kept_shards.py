"""What workers made of the shards of a text, kept on this machine's disk until the whole is made of it."""

from __future__ import annotations

import math
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.cluster.connection import Cluster
from embeddings.cluster.kept_parts import is_kept, open_parts, save_part
from embeddings.cluster.shard_counting import TABLE, ShardPart
from embeddings.cluster.shards import Shard, is_remote
from embeddings.results import Progress, Report

Task = Callable[[Shard], ShardPart]


@dataclass(frozen=True, slots=True)
class KeptShards:
    """Files of what shards came to, one each, in the order of the text by their names.

    Attributes
    ----------
    folder : Path
        Where they lie.
    shards : tuple of Shard
        All ranges, and of files that are read from their start the first shards.
    task : callable
        What a worker does with a shard: a function of this package.
    """

    folder: Path
    shards: tuple[Shard, ...]
    task: Task

    @classmethod
    def opened(
        cls, folder: Path, shards: tuple[Shard, ...], task: Task, about: object
    ) -> KeptShards:
        """Take up a folder of the same shards and settings, which ``about`` says; one of others is made again."""
        open_parts(folder, [about, [asdict(shard) for shard in shards]])
        return cls(folder, shards, task)

    @property
    def files(self) -> list[Shard]:
        """A shard of each file."""
        return list({shard.file: shard for shard in self.shards}.values())

    @property
    def local_paths(self) -> tuple[Path, ...]:
        """All files where they lie on this machine, none where one does not."""
        addresses = [shard.address for shard in self.files]
        return () if any(map(is_remote, addresses)) else tuple(map(Path, addresses))

    def complete(self, cluster: Cluster, report: Report | None) -> None:
        """Have every shard worked on that is not kept yet."""
        begun, words, done = time.perf_counter(), 0, 0
        total = sum(shard.whole for shard in self.files)
        jobs: deque[Shard] = deque()
        for first in self.shards:
            shard = first
            while (next_start := self._next_start(shard)) is not None and next_start >= 0:
                shard = shard.following(next_start)
            if next_start is None:
                jobs.append(shard)
            else:
                done += _share(shard)
        for shard, part in cluster.results(self.task, jobs):
            place = np.array(part.next_start)
            save_part(self._path(shard), {**part.arrays, "next_start": place})
            words += part.words
            if part.next_start >= 0:
                jobs.append(shard.following(part.next_start))
            else:
                done += _share(shard)
            if report is not None:
                seconds = max(time.perf_counter() - begun, 1e-9)
                left = seconds * (total - done) / max(done, 1)
                report(Progress("encode", 0, done, total, math.nan, words / seconds, left))

    @property
    def paths(self) -> list[Path]:
        """Files of what is kept, in the order of the text."""
        return sorted(self.folder.glob("*.npz"))

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder)

    def _path(self, shard: Shard) -> Path:
        """Where what a shard came to is kept."""
        return self.folder / f"{shard.key}.npz"

    def _next_start(self, shard: Shard) -> int | None:
        """Return where the file of a kept shard goes on, -1 where it does not; None if it is not kept."""
        path = self._path(shard)
        if not is_kept(path):
            return None
        with np.load(path) as part:
            return int(part["next_start"])


def shards_folder(output: Path) -> Path:
    """Return where what shards came to lies until ``output`` is whole."""
    return output.with_name(output.name + ".shards")


def table_of(part: Any) -> Iterator[Any]:
    """Yield the arrays of a kept part's table of words, as `WordTable.add` takes them."""
    return (part[name] for name in TABLE)


def _share(shard: Shard) -> int:
    """Return the bytes of a file that are done with a shard."""
    return shard.whole if shard.is_sequential else min(shard.size, shard.whole - shard.start)

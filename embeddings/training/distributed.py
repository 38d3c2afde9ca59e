"""Several processes as one: started by ``torchrun``, each takes its share of every batch, and gradients are averaged.

The loss of a process is its sum over the count of the whole batch, times the number of processes: the average is then what one
process with the joined batch computes. Where one process ends, the others cannot go on: each says so in a sentence, and torchrun,
if ``--max-restarts`` lets it, starts all of them again, which resume from the last checkpoint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from embeddings.training.tasks import TrainingError

_GONE = ("connection closed", "connection reset", "connection refused", "broken pipe", "timed out")
"""What gloo and nccl say of a process that does not answer any more."""


@dataclass(frozen=True, slots=True)
class Team:
    """A process among its fellows; alone unless torchrun started it."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process writes files and evaluates."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> nn.Module:
        """Return the module that exchanges gradients."""
        return network if self.size == 1 else DistributedDataParallel(network)

    def any(self, flag: bool, device: torch.device) -> bool:
        """Whether any process says so; all get the same answer."""
        if self.size == 1:
            return flag
        value = torch.tensor(float(flag), device=device)
        dist.all_reduce(value, dist.ReduceOp.MAX)
        return bool(value.item())

    def wait(self) -> None:
        """Go on when all processes are here."""
        if self.size > 1:
            dist.barrier()

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """Sum over the processes."""
        if self.size > 1:
            dist.all_reduce(values)
        return values


@contextmanager
def team(on_gpu: bool = False) -> Iterator[Team]:
    """Join the group that torchrun's environment describes (gloo, or nccl between GPUs), and leave it at the end.

    Raises
    ------
    TrainingError
        If another process of the group has ended.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Team()
        return
    rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(local)
    try:
        store = _store_of_attempt(size)
        backend = "nccl" if on_gpu else "gloo"
        dist.init_process_group(backend, store=store, rank=rank, world_size=size)
        yield Team(rank, size, local)
    except RuntimeError as error:
        if any(sign in str(error).lower() for sign in _GONE):
            raise TrainingError("team_lost", processes=size) from error
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _store_of_attempt(size: int) -> Store:
    """Return where the processes find each other.

    torchrun keeps one store for all attempts, in which a process that starts again could still find the
    address of a dead one. On one machine all know which attempt it is, and have names of their own
    there; over several a setting of torchrun does it (docs/howto/pretrain.md).
    """
    store: Store = next(rendezvous("env://"))[0]
    if size == int(os.environ.get("LOCAL_WORLD_SIZE", "0")):
        return PrefixStore(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
    return store

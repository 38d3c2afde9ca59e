"""Several processes as one: started by ``torchrun``, each takes its share of every batch, and gradients are averaged.

The loss of a process is its sum over the count of the whole batch, times the number of processes: the average is then what one
process with the joined batch computes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


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
    """Join the group that torchrun's environment describes (gloo, or nccl between GPUs), and leave it at the end."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Team()
        return
    rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if on_gpu else "gloo")
    try:
        yield Team(rank, size, local)
    finally:
        dist.destroy_process_group()

"""Sentence pairs as ids, in batches of like lengths, with BERT's states beside them where they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from embeddings.models.decoding import to_batch
from embeddings.models.translation import PAD, START
from embeddings.training.bert_states import BertStates
from embeddings.transformer.decoder import Memory

Ids = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class PairIds:
    """``source[i]`` and ``target[i]`` are the ids of a pair, without special tokens; ``states``: BERT's of the same sources."""

    source: Ids
    target: Ids
    states: BertStates | None = None

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True)
class TranslationBatch:
    """What `TranslationNetwork.forward` takes."""

    source: Tensor
    target: Tensor
    keep: Tensor
    answers: Tensor
    bert: Memory | None


def make_batch(pairs: PairIds, rows: Sequence[int], device: torch.device) -> TranslationBatch:
    """Put some pairs into one batch on the device; the target stands behind its start token."""
    source = to_batch([list(pairs.source[i]) for i in rows])
    answers = to_batch([list(pairs.target[i]) for i in rows])
    start = torch.full((len(rows), 1), START)
    target = torch.cat((start, answers[:, :-1]), 1)
    flat = answers.flatten()
    keep = (flat != PAD).nonzero()[:, 0]
    bert = None if pairs.states is None else pairs.states.memory(rows)
    if bert is not None:
        bert = Memory(bert.states.to(device), bert.mask.to(device))
    return TranslationBatch(
        source.to(device), target.to(device), keep.to(device), flat[keep].to(device), bert
    )


def plan_batches(
    pairs: PairIds, tokens: int, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Return the rows of each batch of one pass over the pairs, in random order.

    Pairs of like lengths share a batch, so that little of it is padding; a batch has at most ``tokens`` of
    source and of target, padding and end signs included.
    """
    source = np.array([len(ids) + 1 for ids in pairs.source])
    target = np.array([len(ids) + 1 for ids in pairs.target])
    order = generator.permutation(len(pairs))
    order = order[np.lexsort((source[order], target[order]))]
    batches: list[NDArray[np.int64]] = []
    start = widest = 0
    for place, row in enumerate(order.tolist()):
        wider = max(widest, int(source[row]), int(target[row]))
        if place > start and wider * (place - start + 1) > tokens:
            batches.append(order[start:place])
            start, wider = place, int(max(source[row], target[row]))
        widest = wider
    batches.append(order[start:])
    return [batches[i] for i in generator.permutation(len(batches))]

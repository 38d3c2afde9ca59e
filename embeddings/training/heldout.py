"""Held-out rows: drawn once, always the same, scored chunk by chunk so that two networks can be held beside each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from embeddings.pretraining.packing import Packed, SpecialIds, pack
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Segments, draw_pairs
from embeddings.training.batches import batch_sums, make_batch, run_network

EVALUATION_SEED = 20_180_611


@dataclass(frozen=True, slots=True)
class Scores:
    """What a network scored on held-out rows.

    Attributes
    ----------
    sums : NDArray[float64], shape (chunks, 8)
        Of each chunk of rows: token loss (nats), tokens right, pair loss, pairs right, then the
        four counts.
    right : NDArray[bool], shape (pairs,)
        Which pairs the sentence head tells rightly; False where there is no label.
    """

    sums: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def means(self) -> tuple[float, ...]:
        """Loss and accuracy of tokens, loss and accuracy of pairs; 0 where nothing was scored."""
        total = self.sums.sum(0)
        return tuple((total[:4] / np.maximum(total[4:], 1)).tolist())


@dataclass(frozen=True, slots=True)
class Chunks:
    """How rows are scored: so many at a time, so many tokens masked, on a device."""

    rows: int
    mlm_probability: float
    device: torch.device


def heldout_rows(
    corpus: PreparedCorpus,
    segments: Segments,
    documents: NDArray[np.int64],
    objective: str,
    shape: tuple[int, int],
    special: SpecialIds,
) -> Packed | None:
    """Pack pairs of some documents; the draw does not depend on a run's seed. None where there are no pairs.

    Parameters
    ----------
    shape : tuple of int
        Rows (at most about so many), tokens of a row.
    """
    rows, row_length = shape
    generator = np.random.default_rng(EVALUATION_SEED)
    pairs = draw_pairs(corpus, segments, documents, objective, generator)
    if not len(pairs):
        return None
    part = pairs.take(slice(0, rows * (row_length // segments.max_tokens)))
    return pack(corpus, part, row_length, special, generator)


def score_rows(
    network: nn.Module, packed: Packed, chunks: Chunks, vocab_size: int, special: SpecialIds
) -> Scores:
    """Score rows under masks that are always the same.

    Differentiation and precision are the caller's: `torch.inference_mode`, `Runtime.autocast`.
    """
    device = chunks.device
    generator = torch.Generator(device).manual_seed(EVALUATION_SEED)
    shape = (3, *packed.ids.shape)  # drawn at once: the masks do not depend on the chunks
    everything = torch.rand(shape, generator=generator, device=device)
    sums: list[torch.Tensor] = []
    rights: list[NDArray[np.bool_]] = []
    for start in range(0, len(packed), chunks.rows):
        rows = packed.rows(start, start + chunks.rows)
        noise = everything[:, start : start + chunks.rows]
        batch = make_batch(rows, noise, chunks.mlm_probability, vocab_size, special)
        output = run_network(network, batch)
        sums.append(batch_sums(output, batch))
        rights.append((output.sentences.argmax(-1) == batch.labels).cpu().numpy())
    return Scores(torch.stack(sums).double().cpu().numpy(), np.concatenate(rights))

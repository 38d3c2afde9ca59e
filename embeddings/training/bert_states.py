"""The last layer of a frozen BERT over many short texts, computed once, kept as float16."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.files import read_json, write_json
from embeddings.models.bert_fused import bert_memory
from embeddings.models.heads import PretrainingNetwork
from embeddings.results import Progress
from embeddings.transformer.decoder import Memory, as_memory

STATES, ABOUT = "states.npy", "states.json"
_BATCH = 64


@dataclass(frozen=True, slots=True)
class BertStates:
    """States of text i: rows ``bounds[i]`` to ``bounds[i + 1]`` of ``states``, shape (tokens, bert_size), float16."""

    states: NDArray[np.float16]
    bounds: NDArray[np.int64]

    def memory(self, rows: Sequence[int]) -> Memory:
        """Return the states of some texts, filled up with zeros, float32."""
        sizes = [int(self.bounds[i + 1] - self.bounds[i]) for i in rows]
        whole = np.zeros((len(sizes), max(sizes), self.states.shape[1]), np.float32)
        for place, (row, size) in enumerate(zip(rows, sizes, strict=True)):
            whole[place, :size] = self.states[self.bounds[row] : self.bounds[row] + size]
        real = torch.arange(max(sizes))[None] < torch.tensor(sizes)[:, None]
        return as_memory(torch.from_numpy(whole), real)


def bert_states(
    bert: PretrainingNetwork,
    texts: Sequence[Sequence[int]],
    folder: Path,
    about: Mapping[str, object],
    report: Callable[[Progress], None] | None = None,
) -> BertStates:
    """Run BERT over texts given as ids ([CLS] and [SEP] included), or open what ``folder`` holds of the same.

    Parameters
    ----------
    about : mapping
        What decides the states (checksums of BERT and texts): other states are computed anew.
    """
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(ids) for ids in texts], out=bounds[1:])
    path, known = folder / STATES, folder / ABOUT
    wanted = {**about, "texts": len(texts), "tokens": int(bounds[-1])}
    if not (path.exists() and known.exists() and read_json(known) == wanted):
        folder.mkdir(parents=True, exist_ok=True)
        known.unlink(missing_ok=True)
        _compute(bert, texts, bounds, path, report)
        write_json(known, wanted)
    return BertStates(np.load(path, mmap_mode="r", allow_pickle=False), bounds)


def _compute(
    bert: PretrainingNetwork,
    texts: Sequence[Sequence[int]],
    bounds: NDArray[np.int64],
    path: Path,
    report: Callable[[Progress], None] | None,
) -> None:
    """Write the states of all texts; those of like lengths go through BERT together."""
    device = next(bert.parameters()).device
    shape = (int(bounds[-1]), bert.config.hidden_size)
    found = np.lib.format.open_memmap(path, "w+", np.float16, shape)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        size = len(texts[rows[-1]])
        ids = torch.full((len(rows), size), bert.config.pad_token_id)
        for place, row in enumerate(rows):
            ids[place, : len(texts[row])] = torch.tensor(texts[row])
        real = torch.arange(size)[None] < torch.tensor([len(texts[i]) for i in rows])[:, None]
        states = bert_memory(bert, ids.to(device), real.to(device)).states.float().cpu().numpy()
        for place, row in enumerate(rows):
            found[bounds[row] : bounds[row + 1]] = states[place, : len(texts[row])]
        if report:
            done = start + len(rows)
            report(Progress("bert", 0, done, len(order), 0.0, 0.0, 0.0))
    found.flush()

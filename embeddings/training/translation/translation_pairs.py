"""Sentence pairs made ready for training: as ids, in batches of like lengths, and for a fused network with BERT's states of the source.

BERT is frozen, so its last layer is computed once for all sources, into a float16 file of the run's folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from embeddings.corpora.labelled import SentencePairs
from embeddings.errors import InputError
from embeddings.files import WEIGHTS, sha256
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.classifier import batch_of
from embeddings.networks.decoding import to_batch
from embeddings.networks.encoder_decoder import PAD, START, bert_memory
from embeddings.networks.fused_attention import Memory, as_memory
from embeddings.networks.huggingface_folder import open_network
from embeddings.results import Progress, Report
from embeddings.text.subwords import SubwordVocabulary
from embeddings.text.tokenizer import Tokenizer

_BATCH = 64


@dataclass(frozen=True, slots=True)
class BertStates:
    """States of text i: rows ``bounds[i]`` to ``bounds[i + 1]`` of ``states``, shape (tokens, bert_size), float16."""

    states: NDArray[np.float16]
    bounds: NDArray[np.int64]

    def memory(self, rows: Sequence[int], device: torch.device) -> Memory:
        """Return the states of some texts, filled up with zeros, float32."""
        parts = [self.states[self.bounds[row] : self.bounds[row + 1]] for row in rows]
        whole = pad_sequence([torch.from_numpy(part.astype(np.float32)) for part in parts], True)
        sizes = torch.tensor([len(part) for part in parts])
        real = torch.arange(whole.shape[1])[None] < sizes[:, None]
        return as_memory(whole.to(device), real.to(device))


def bert_states(
    bert: PretrainingNetwork,
    texts: Sequence[Sequence[int]],
    path: Path,
    report: Report | None = None,
) -> BertStates:
    """Run BERT over texts given as ids ([CLS] and [SEP] included), those of like lengths together, and keep its states in a file."""
    device = next(bert.parameters()).device
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(ids) for ids in texts], out=bounds[1:])
    shape = (int(bounds[-1]), bert.config.hidden_size)
    states_file = np.lib.format.open_memmap(path, "w+", np.float16, shape)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        ids, real = batch_of([texts[row] for row in rows], bert.config.pad_token_id, device)
        states = bert_memory(bert, ids, real).states.float().cpu().numpy()
        for row_of_batch, row in enumerate(rows):
            states_file[bounds[row] : bounds[row + 1]] = states[row_of_batch, : len(texts[row])]
        if report:
            report(Progress("bert", 0, start + len(rows), len(order), 0.0, 0.0, 0.0))
    return BertStates(states_file, bounds)


Ids = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class PairIds:
    """``source[i]`` and ``target[i]`` are the ids of a pair, without special tokens; ``states``: BERT's of the same sources."""

    source: Ids
    target: Ids
    states: BertStates | None = None

    def __len__(self) -> int:
        return len(self.source)


class TranslationBatch(NamedTuple):
    """What `TranslationNetwork.forward` takes, in its order."""

    source: Tensor
    target: Tensor
    keep: Tensor
    answers: Tensor
    bert: Memory | None


def make_translation_batch(
    pairs: PairIds, rows: Sequence[int], device: torch.device
) -> TranslationBatch:
    """Put some pairs into one batch on the device; the target stands behind its start token."""
    source = to_batch([list(pairs.source[i]) for i in rows])
    answers = to_batch([list(pairs.target[i]) for i in rows])
    start = torch.full((len(rows), 1), START)
    target = torch.cat((start, answers[:, :-1]), 1)
    flat = answers.flatten()
    keep = (flat != PAD).nonzero()[:, 0]
    bert = None if pairs.states is None else pairs.states.memory(rows, device)
    return TranslationBatch(
        source.to(device), target.to(device), keep.to(device), flat[keep].to(device), bert
    )


def plan_batches(pairs: PairIds, tokens: int, generator: np.random.Generator) -> list[list[int]]:
    """Return the rows of each batch of one pass over the pairs, in random order.

    Pairs of like lengths share a batch, so that little of it is padding; a batch has at most ``tokens`` of
    source and of target, padding and EOS tokens included.
    """
    source = np.array([len(ids) + 1 for ids in pairs.source])
    target = np.array([len(ids) + 1 for ids in pairs.target])
    order = generator.permutation(len(pairs))
    order = order[np.lexsort((source[order], target[order]))]
    batches: list[list[int]] = [[]]
    widest = 0
    for row in order.tolist():
        width = max(int(source[row]), int(target[row]))
        widest = max(widest, width)
        if batches[-1] and widest * (len(batches[-1]) + 1) > tokens:
            batches.append([])
            widest = width
        batches[-1].append(row)
    return [batches[i] for i in generator.permutation(len(batches))]


@dataclass(frozen=True, slots=True)
class SourceBert:
    """The BERT that reads the sources: its folder, network and tokenizer, and the sha256 of the weights that were read."""

    folder: Path
    network: PretrainingNetwork
    wordpiece: Tokenizer
    sha256: str

    @classmethod
    def open(cls, folder: Path) -> SourceBert:
        """Open a folder of ours or of Hugging Face's."""
        network = open_network(folder)
        return cls(folder, network, Tokenizer.load(folder), sha256(folder / WEIGHTS))


@dataclass(frozen=True, slots=True)
class ReadyPairs:
    """Pairs in ids.

    ``texts`` are the pairs that were kept, in the order of ``ids``; ``left_out`` counts pairs longer than a network takes.
    """

    ids: PairIds
    texts: SentencePairs
    left_out: int


def prepare_pairs(
    pairs: SentencePairs,
    vocabulary: SubwordVocabulary,
    longest: int,
    bert: SourceBert | None = None,
    path: Path = Path(),
    report: Report | None = None,
) -> ReadyPairs:
    """Cut pairs into ids, with BERT's states of the sources if there is one; pairs that are too long are left out and counted.

    Parameters
    ----------
    longest : int
        Tokens that the network takes, the EOS token included.
    path : Path
        File of BERT's states, which is written.

    Raises
    ------
    InputError
        If no pair is short enough.
    """
    source, target = vocabulary.ids(pairs.source), vocabulary.ids(pairs.target)
    fits = [max(len(a), len(b)) < longest for a, b in zip(source, target, strict=True)]
    bert_ids: list[tuple[int, ...]] = []
    if bert is not None:
        bert_ids = [bert.wordpiece.encode(" ".join(text.split())).ids for text in pairs.source]
        bound = bert.network.config.max_position_embeddings
        fits = [fit and len(ids) <= bound for fit, ids in zip(fits, bert_ids, strict=True)]
    kept = [i for i, fit in enumerate(fits) if fit]
    if not kept:
        raise InputError("pairs_long", pairs=len(pairs), longest=longest)
    texts = SentencePairs(
        tuple(pairs.source[i] for i in kept), tuple(pairs.target[i] for i in kept), pairs.empty
    )
    states = None
    if bert is not None:
        states = bert_states(bert.network, [bert_ids[i] for i in kept], path, report)
    ids = PairIds([source[i] for i in kept], [target[i] for i in kept], states)
    return ReadyPairs(ids, texts, len(pairs) - len(kept))

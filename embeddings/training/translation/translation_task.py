"""Translation as a task for the loop: label-smoothed batches of sentence pairs, scored on held-out pairs by loss and BLEU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.models.decoding import search, to_batch
from embeddings.models.encoder_decoder import TranslationNetwork
from embeddings.models.hypotheses import DecodingConfig
from embeddings.models.token_loss import TokenLoss
from embeddings.training.optimisation import LoopConfig
from embeddings.training.translation.translation_pairs import PairIds, make_batch, plan_batches

DECODED = 128  # sentences translated at a time


@dataclass(frozen=True, slots=True)
class TranslationTraining(LoopConfig):
    """Settings of a translation training.

    The rate falls in a line to zero, which spares averaging the last checkpoints.
    """

    steps: int = field(default=5_000, metadata={"help": "Budget; the decay follows it."})
    learning_rate: float = field(default=4e-3, metadata={"help": "Highest rate, after warm-up."})
    warmup: float = field(default=0.1, metadata={"help": "Share of the steps that warm up."})
    weight_decay: float = field(default=1e-3, metadata={"help": "AdamW's decay of matrices."})
    batch_tokens: int = field(
        default=4096, metadata={"help": "Tokens of a batch, source or target, padding included."}
    )
    label_smoothing: float = field(
        default=0.1, metadata={"help": "Share of the answer spread over the vocabulary."}
    )
    heldout_sentences: int = field(
        default=200, metadata={"help": "Validation pairs translated at an evaluation; 0: none."}
    )

    def __post_init__(self) -> None:
        LoopConfig.__post_init__(self)
        check_range("batch_tokens", self.batch_tokens, 16, 10_000_000)
        check_range("label_smoothing", self.label_smoothing, 0.0, 0.9)
        check_range("heldout_sentences", self.heldout_sentences, 0, 10**9)


class TranslationTask:
    """The task: pass after pass over the pairs, each in another order.

    Parameters
    ----------
    score : callable
        BLEU of some translations, given as ids, of the first held-out pairs.
    """

    names = ("loss", "accuracy")

    def __init__(
        self,
        training: PairIds,
        heldout: PairIds,
        config: TranslationTraining,
        device: torch.device,
        score: Callable[[Sequence[Sequence[int]]], float],
    ) -> None:
        self.training, self.heldout, self.config = training, heldout, config
        self.device, self.score = device, score
        self.tokens = self.epoch = self.place = 0
        self.batches = self._plan()

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Loss of the next batch a target token, smoothed, nats; and the share of tokens that are guessed."""
        if self.place == len(self.batches):
            self.epoch, self.place = self.epoch + 1, 0
            self.batches = self._plan()
        rows = self.batches[self.place].tolist()
        self.place += 1
        self.tokens += sum(
            len(self.training.source[i]) + len(self.training.target[i]) + 2 for i in rows
        )
        found = self._run(network, self.training, rows, self.config.label_smoothing)
        loss, right, count = found
        sums = torch.stack([loss.detach(), right, count, count])
        return loss / count, sums

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Loss (not smoothed, nats a token), accuracy and greedy BLEU on the held-out pairs."""
        if not len(self.heldout):
            return {}
        sums = torch.zeros(3, device=self.device)
        generator = np.random.default_rng(0)
        for rows in plan_batches(self.heldout, self.config.batch_tokens, generator):
            sums += torch.stack(self._run(network, self.heldout, rows.tolist(), 0.0))
        loss, right, count = sums.tolist()
        scores = {"heldout_loss": loss / count, "heldout_accuracy": right / count}
        chosen = min(len(self.heldout), self.config.heldout_sentences)
        if chosen:
            assert isinstance(network, TranslationNetwork)
            with torch.autocast(self.device.type, enabled=False):
                scores["heldout_bleu"] = self.score(
                    translate_ids(network, self.heldout, chosen, DecodingConfig(beam=1))
                )
        return scores

    def state(self) -> dict[str, object]:
        """Place in the data."""
        return {"tokens": self.tokens, "epoch": self.epoch, "place": self.place}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's place."""
        self.tokens, self.epoch, self.place = (
            int(str(state[name])) for name in ("tokens", "epoch", "place")
        )
        self.batches = self._plan()

    def _plan(self) -> list[NDArray[np.int64]]:
        """Batches of this pass: decided by seed and pass alone."""
        generator = np.random.default_rng([self.config.seed, self.epoch])
        return plan_batches(self.training, self.config.batch_tokens, generator)

    def _run(
        self, network: nn.Module, pairs: PairIds, rows: Sequence[int], smoothing: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Summed loss, right answers and count of a batch."""
        batch = make_batch(pairs, rows, self.device)
        found = network(
            batch.source, batch.target, batch.keep, batch.answers, batch.bert, smoothing
        )
        assert isinstance(found, TokenLoss)
        count = torch.tensor(float(len(batch.answers)), device=self.device)
        return found.loss, found.right, count


def translate_ids(
    network: TranslationNetwork, pairs: PairIds, count: int, config: DecodingConfig
) -> list[tuple[int, ...]]:
    """Translate the first ``count`` sources; those of like lengths together."""
    device = next(network.parameters()).device
    order = sorted(range(count), key=lambda i: len(pairs.source[i]))
    found: list[tuple[int, ...]] = [()] * count
    for start in range(0, count, DECODED):
        rows = order[start : start + DECODED]
        bert = None
        if pairs.states is not None:
            memory = pairs.states.memory(rows)
            bert = type(memory)(memory.states.to(device), memory.mask.to(device))
        with torch.inference_mode():
            encoded = network.encode(to_batch([list(pairs.source[i]) for i in rows], device), bert)
        for row, done in zip(rows, search(network, encoded, config), strict=True):
            found[row] = done.best.ids
    return found

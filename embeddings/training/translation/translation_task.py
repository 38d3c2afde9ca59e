"""Translation as a task for the loop: label-smoothed batches of sentence pairs, scored on held-out pairs by loss and BLEU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like
from embeddings.networks.decoding import DecodingConfig, search, to_batch
from embeddings.networks.encoder_decoder import TranslationNetwork
from embeddings.networks.layers import TokenLoss
from embeddings.training.loop_config import LoopConfig
from embeddings.training.tasks import EpochTask
from embeddings.training.translation.translation_pairs import (
    PairIds,
    make_translation_batch,
    plan_batches,
)

DECODED = 128  # sentences translated at a time


@dataclass(frozen=True, slots=True)
class TranslationTraining(LoopConfig):
    """Settings of a translation training.

    The rate falls in a line to zero, which spares averaging the last checkpoints.
    """

    steps: int = setting_like(LoopConfig, "steps", 5_000)
    learning_rate: float = setting_like(LoopConfig, "learning_rate", 4e-3)
    warmup: float = setting_like(LoopConfig, "warmup", 0.1)
    weight_decay: float = setting_like(LoopConfig, "weight_decay", 1e-3)
    batch_tokens: int = setting(
        4096, "Batch size in tokens, source or target, padding included.", 16, 10_000_000
    )
    label_smoothing: float = setting(
        0.1,
        "Label smoothing: share of the answer's probability spread over the vocabulary.",
        0.0,
        0.9,
    )
    heldout_sentences: int = setting(
        200, "Validation pairs translated at an evaluation; 0: none.", 0, 10**9
    )


class TranslationTask(EpochTask[TranslationTraining]):
    """The task: epoch after epoch over the pairs, each in another order.

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
        self.training, self.heldout = training, heldout
        self.device, self.score = device, score
        super().__init__(config)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Loss of the next batch a target token, smoothed, nats; and the share of tokens that are guessed."""
        rows = self.next_rows()
        self.tokens += sum(
            len(self.training.source[i]) + len(self.training.target[i]) + 2 for i in rows
        )
        smoothing = self.config.label_smoothing
        loss, right, count = self._run(network, self.training, rows, smoothing)
        sums = torch.stack([loss.detach(), right, count, count])
        return loss / count, sums

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Loss (not smoothed, nats a token), accuracy and greedy BLEU on the held-out pairs."""
        if not len(self.heldout):
            return {}
        sums = torch.zeros(3, device=self.device)
        generator = np.random.default_rng(0)
        for rows in plan_batches(self.heldout, self.config.batch_tokens, generator):
            sums += torch.stack(self._run(network, self.heldout, rows, 0.0))
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

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch, pairs of like lengths together."""
        generator = np.random.default_rng([self.config.seed, epoch])
        return plan_batches(self.training, self.config.batch_tokens, generator)

    def _run(
        self, network: nn.Module, pairs: PairIds, rows: Sequence[int], smoothing: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Summed loss, right answers and count of a batch."""
        batch = make_translation_batch(pairs, rows, self.device)
        scored = network(
            batch.source, batch.target, batch.keep, batch.answers, batch.bert, smoothing
        )
        assert isinstance(scored, TokenLoss)
        count = torch.tensor(float(len(batch.answers)), device=self.device)
        return scored.loss, scored.right, count


def translate_ids(
    network: TranslationNetwork, pairs: PairIds, count: int, config: DecodingConfig
) -> list[tuple[int, ...]]:
    """Translate the first ``count`` sources; those of like lengths together."""
    device = next(network.parameters()).device
    order = sorted(range(count), key=lambda i: len(pairs.source[i]))
    translations: list[tuple[int, ...]] = [()] * count
    for start in range(0, count, DECODED):
        rows = order[start : start + DECODED]
        bert = None
        if pairs.states is not None:
            memory = pairs.states.memory(rows)
            bert = type(memory)(memory.states.to(device), memory.mask.to(device))
        with torch.inference_mode():
            encoded = network.encode(to_batch([list(pairs.source[i]) for i in rows], device), bert)
        for row, search_state in zip(rows, search(network, encoded, config), strict=True):
            translations[row] = search_state.best.ids
    return translations

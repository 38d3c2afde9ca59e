"""Masked-token training on the sentences before they are classified: the network learns the language of its task.

The labels are not looked at, and the validation set is not read (Gururangan et al. 2020, "Don't Stop
Pretraining", section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.classifier import batch_of
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import SpecialIds
from embeddings.training.classification.fine_tuning_task import plan_pass
from embeddings.training.loop_config import LoopConfig
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.tasks import EpochTask


@dataclass(frozen=True, slots=True)
class AdaptationConfig(LoopConfig):
    """Settings of the epochs over masked sentences."""

    learning_rate: float = setting_like(LoopConfig, "learning_rate", 5e-4)
    batch_size: int = setting(64, "Batch size, in sentences.", 1, 1_000_000)
    mlm_probability: float = setting_like(PretrainingConfig, "mlm_probability")


class AdaptationTask(EpochTask[AdaptationConfig]):
    """The task: epoch after epoch over the sentences, other tokens masked each time."""

    names = ("mlm_loss", "mlm_accuracy")

    def __init__(
        self,
        ids: Sequence[Sequence[int]],
        config: AdaptationConfig,
        device: torch.device,
        special: SpecialIds,
        vocab_size: int,
    ) -> None:
        self.ids, self.device = ids, device
        self.special, self.vocab_size = special, vocab_size
        self.no_text = frozenset(special.ordered)
        self.lengths = [len(text) for text in ids]
        super().__init__(config)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Mean cross entropy of the masked tokens of the next batch, nats."""
        assert isinstance(network, PretrainingNetwork)
        assert network.tokens is not None
        chosen = [self.ids[i] for i in self.next_rows()]
        self.tokens += sum(map(len, chosen))
        ids, real = batch_of(chosen, self.special.pad, self.device)
        generator = torch.Generator().manual_seed(self.config.step_seed(step))
        masked = mask_tokens(
            ids,
            torch.arange(len(chosen), device=self.device)[:, None].expand(ids.shape),
            np.array([sum(token not in self.no_text for token in text) for text in chosen]),
            torch.rand((3, *ids.shape), generator=generator).to(self.device),
            rate=self.config.mlm_probability,
            special=self.special,
            vocab_size=self.vocab_size,
        )
        states = network.encoder(masked.input_ids, None, real, keep=masked.scored).last
        scored = network.tokens.loss(states, masked.targets)
        count = torch.tensor(float(max(1, len(masked.targets))), device=self.device)
        return scored.loss / count, torch.stack([scored.loss.detach(), scored.right, count, count])

    def evaluate(self, network: nn.Module) -> dict[str, float]:  # noqa: ARG002
        """Nothing is held out: the validation set is for the labels."""
        return {}

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch, texts of like lengths together."""
        return plan_pass(self.lengths, self.config.batch_size, (self.config.seed, epoch))

"""Masked words of the sentences that are trained on, before they are told apart: the network learns the language of its task.

The labels are not looked at, and the validation set is not read (Gururangan et al. 2020, "Don't Stop
Pretraining", section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.configuration import check_range
from embeddings.models.bert import PretrainingNetwork
from embeddings.models.classifier import batch_of
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import SpecialIds
from embeddings.training.classification.fine_tuning_task import plan_pass
from embeddings.training.optimisation import LoopConfig


@dataclass(frozen=True, slots=True)
class AdaptationConfig(LoopConfig):
    """Settings of the passes over masked sentences."""

    learning_rate: float = field(default=5e-4, metadata={"help": "Highest rate, after warm-up."})
    batch_size: int = field(default=64, metadata={"help": "Sentences of a batch."})
    mlm_probability: float = field(default=0.15, metadata={"help": "Share of tokens masked."})

    def __post_init__(self) -> None:
        LoopConfig.__post_init__(self)
        check_range("batch_size", self.batch_size, 1, 1_000_000)
        check_range("mlm_probability", self.mlm_probability, 0.01, 0.9)


class AdaptationTask:
    """The task: pass after pass over the sentences, other words masked each time."""

    names = ("mlm_loss", "mlm_accuracy")

    def __init__(
        self,
        ids: Sequence[Sequence[int]],
        config: AdaptationConfig,
        device: torch.device,
        special: SpecialIds,
        vocab_size: int,
    ) -> None:
        self.ids, self.config, self.device = ids, config, device
        self.special, self.vocab_size = special, vocab_size
        self.no_text = frozenset(special.ordered)
        self.lengths = [len(one) for one in ids]
        self.tokens = self.epoch = self.place = 0
        self.batches = self._plan()

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Mean cross entropy of the masked tokens of the next batch, nats."""
        assert isinstance(network, PretrainingNetwork)
        assert network.tokens is not None
        if self.place == len(self.batches):
            self.epoch, self.place = self.epoch + 1, 0
            self.batches = self._plan()
        chosen = [self.ids[i] for i in self.batches[self.place]]
        self.place += 1
        self.tokens += sum(map(len, chosen))
        ids, real = batch_of(chosen, self.special.pad, self.device)
        generator = torch.Generator().manual_seed(self.config.seed * 1_000_003 + step)
        masked = mask_tokens(
            ids,
            torch.arange(len(chosen), device=self.device)[:, None].expand(ids.shape),
            np.array([sum(token not in self.no_text for token in one) for one in chosen]),
            torch.rand((3, *ids.shape), generator=generator).to(self.device),
            rate=self.config.mlm_probability,
            special=self.special,
            vocab_size=self.vocab_size,
        )
        states = network.encoder(masked.input_ids, None, real, keep=masked.scored).last
        found = network.tokens.loss(states, masked.targets)
        count = torch.tensor(float(max(1, len(masked.targets))), device=self.device)
        return found.loss / count, torch.stack([found.loss.detach(), found.right, count, count])

    def evaluate(self, network: nn.Module) -> dict[str, float]:  # noqa: ARG002
        """Nothing is held out: the validation set is for the labels."""
        return {}

    def state(self) -> dict[str, object]:
        """Place in the data."""
        return {"tokens": self.tokens, "epoch": self.epoch, "place": self.place}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's place."""
        self.tokens, self.epoch, self.place = (
            int(str(state[name])) for name in ("tokens", "epoch", "place")
        )
        self.batches = self._plan()

    def _plan(self) -> list[list[int]]:
        """Rows of each batch of this pass."""
        return plan_pass(self.lengths, self.config.batch_size, (self.config.seed, self.epoch))

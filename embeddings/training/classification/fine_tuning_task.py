"""Fine-tuning as a task for the loop: batches of labelled texts, accuracy on a validation set, the best weights kept.

A batch holds texts of like lengths, so that little of it is padding; batches come in random order. After each part of an epoch the
validation set is scored; the weights with the best accuracy (of equals, the lowest loss) are kept in the run's folder, and after
`patience` scores without a better one the training ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like
from embeddings.files import atomic_file
from embeddings.networks.classifier import POOLINGS, ClassificationNetwork, batch_of, logits_of
from embeddings.networks.huggingface_folder import read_weights
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.tasks import EpochTask

BEST = "best.safetensors"


def plan_pass(lengths: Sequence[int], size: int, seed: Sequence[int]) -> list[list[int]]:
    """Return the rows of each batch of ``size`` texts, decided by the seed alone.

    Examples
    --------
    >>> sorted(plan_pass([3, 9, 3, 9], 2, (1, 0)))[0] in ([0, 2], [2, 0])
    True
    """
    generator = np.random.default_rng(list(seed))
    order = generator.permutation(len(lengths))
    order = order[np.argsort(np.asarray(lengths)[order], kind="stable")]
    parts = [order[start : start + size].tolist() for start in range(0, len(order), size)]
    return [parts[i] for i in generator.permutation(len(parts))]


@dataclass(frozen=True, slots=True)
class ClassificationTraining(LoopConfig):
    """Settings of a fine-tuning; its steps follow from the epochs."""

    learning_rate: float = setting_like(LoopConfig, "learning_rate", 2e-4)
    warmup: float = setting_like(LoopConfig, "warmup", 0.1)
    epochs: int = setting(3, "Epochs over the sentences, at most.", 1, 10_000)
    batch_size: int = setting(32, "Batch size, in sentences.", 1, 1_000_000)
    evaluations: int = setting(2, "Validations in each epoch.", 1, 1_000)
    patience: int = setting(
        4, "Early stopping: validations without improvement; 0: never.", 0, 10**9
    )
    adapt_epochs: int = setting(
        0, "Epochs of masked-token training that come first; 0: none.", 0, 10_000
    )
    adapt_rate: float = setting(
        5e-4, "Highest learning rate of the masked-token training.", 1e-12, 1e3
    )
    pooling: str = setting(
        "mean", "mean of the states, or cls: [CLS] through the pooler.", choices=POOLINGS
    )
    dropout: float = setting(0.1, "Dropout of blocks and of the pooled state.", 0.0, 0.9)
    word_dropout: float = setting(0.0, "Share of the tokens that are [MASK] in training.", 0.0, 0.9)
    freeze_table: bool = setting(False, "Freeze the token embedding matrix: a smaller classifier.")
    table_rate: float = setting(
        1.0, "Factor on the learning rate of the token embedding matrix.", 1e-6, 1e6
    )
    freeze_layers: int = setting(0, "Number of frozen layers, from the lowest.", 0, 1_000)
    longest: int = setting(128, "Longest text in tokens, at most the network's.", 3, 1_000_000)


@dataclass(frozen=True, slots=True)
class LabelledIds:
    """``ids[i]``, special tokens included, has the label of number ``labels[i]``."""

    ids: Sequence[Sequence[int]]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class ClassificationTask(EpochTask[ClassificationTraining]):
    """The task: epoch after epoch over the texts, each in another order.

    Parameters
    ----------
    mask_id : int
        What word dropout puts in a token's place.
    best : Path
        File of the best weights.
    """

    names = ("loss", "accuracy")

    def __init__(
        self,
        training: LabelledIds,
        validation: LabelledIds,
        config: ClassificationTraining,
        device: torch.device,
        mask_id: int,
        best: Path,
    ) -> None:
        self.training, self.validation = training, validation
        self.device, self.mask_id, self.path = device, mask_id, best
        self.best: dict[str, float] = {}
        self.waiting = 0
        super().__init__(config)

    @property
    def enough(self) -> bool:
        """Whether so many validations brought nothing better that the training can stop."""
        return 0 < self.config.patience <= self.waiting

    def optimizer(self, network: nn.Module) -> torch.optim.Optimizer:
        """AdamW; rows of the table, each of which is seen in few batches, learn faster and do not decay."""
        assert isinstance(network, ClassificationNetwork)
        table = network.encoder.inputs.tokens.weight
        return make_optimizer(network, self.config, {table: self.config.table_rate})

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Mean cross entropy of the next batch, nats, and how many are right."""
        rows = self.next_rows()
        chosen = [self.training.ids[i] for i in rows]
        self.tokens += sum(map(len, chosen))
        ids, real = batch_of(chosen, 0, self.device)
        if self.config.word_dropout:
            ids = self._dropped(ids, real, step)
        targets = torch.from_numpy(self.training.labels[rows]).to(self.device)
        logits = network(ids, real).float()
        loss = F.cross_entropy(logits, targets)
        right = (logits.detach().argmax(-1) == targets).sum().float()
        count = torch.tensor(float(len(rows)), device=self.device)
        return loss, torch.stack([loss.detach() * count, right, count, count])

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Loss and accuracy on the validation set; keeps the weights if they are the best so far."""
        assert isinstance(network, ClassificationNetwork)
        logits = logits_of(network, self.validation.ids)
        targets = torch.from_numpy(self.validation.labels)
        scores = {
            "heldout_loss": float(F.cross_entropy(logits, targets)),
            "heldout_accuracy": float((logits.argmax(-1) == targets).float().mean()),
        }
        if not self.best or _order(scores) > _order(self.best):
            self.best, self.waiting = scores, 0
            state = {
                name: weight.detach().cpu().clone()
                for name, weight in network.named_parameters()
                if weight.requires_grad
            }
            with atomic_file(self.path) as temporary:
                save_file(state, str(temporary))
        else:
            self.waiting += 1
        return scores

    def recall(self, network: ClassificationNetwork) -> None:
        """Put the best weights back."""
        parameters = dict(network.named_parameters())
        with torch.no_grad():
            for name, weight in read_weights(self.path).items():
                parameters[name].copy_(weight)

    def state(self) -> dict[str, object]:
        """Return the position in the data, and the best so far."""
        return {**super().state(), "waiting": self.waiting, "best": self.best}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's position."""
        super().restore(state)
        self.waiting = int(str(state["waiting"]))
        best = state["best"]
        assert isinstance(best, dict)
        self.best = {str(name): float(value) for name, value in best.items()}

    def plan(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of an epoch, texts of like lengths together."""
        lengths = [len(ids) for ids in self.training.ids]
        return plan_pass(lengths, self.config.batch_size, (self.config.seed, epoch))

    def _dropped(self, ids: Tensor, real: Tensor, step: int) -> Tensor:
        """Put [MASK] in the place of some tokens; [CLS] and [SEP] stay."""
        generator = torch.Generator().manual_seed(self.config.step_seed(step))
        chance = torch.rand(ids.shape, generator=generator).to(ids.device)
        inner = torch.zeros_like(real)
        inner[:, 1:-1] = real[:, 2:]  # the last real token is [SEP]
        return ids.masked_fill((chance < self.config.word_dropout) & inner, self.mask_id)


def _order(scores: Mapping[str, float]) -> tuple[float, float]:
    """What the best is the best by."""
    return scores["heldout_accuracy"], -scores["heldout_loss"]

"""Fine-tuning as a task for the loop: batches of labelled texts, accuracy on a validation set, the best weights kept.

After each part of a pass the validation set is scored; the weights with the best accuracy (of equals,
the lowest loss) are kept in the run's folder, and after `patience` scores without a better one it is
enough.

One pass over texts: in random order, those of like lengths in one batch, so that little of it is padding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from embeddings.configuration import check_choice, check_range
from embeddings.files import whole_file
from embeddings.models.classifier import POOLINGS, ClassificationNetwork, batch_of, logits_of
from embeddings.models.network_folder import read_weights
from embeddings.training.optimisation import LoopConfig, make_optimizer


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


BEST = "best.safetensors"


@dataclass(frozen=True, slots=True)
class ClassificationTraining(LoopConfig):
    """Settings of a fine-tuning; its steps follow from the passes."""

    learning_rate: float = field(default=2e-4, metadata={"help": "Highest rate, after warm-up."})
    warmup: float = field(default=0.1, metadata={"help": "Share of the steps that warm up."})
    epochs: int = field(default=3, metadata={"help": "Passes over the sentences, at most."})
    batch_size: int = field(default=32, metadata={"help": "Sentences of a batch."})
    evaluations: int = field(default=2, metadata={"help": "Validations in each pass."})
    patience: int = field(
        default=4, metadata={"help": "Validations without a better one before it stops; 0: never."}
    )
    adapt_epochs: int = field(
        default=0, metadata={"help": "Passes over the sentences with masked words before; 0: none."}
    )
    adapt_rate: float = field(default=5e-4, metadata={"help": "Highest learning rate of these."})
    pooling: str = field(
        default="mean", metadata={"help": "mean of the states, or cls: [CLS] through the pooler."}
    )
    dropout: float = field(default=0.1, metadata={"help": "Of blocks and of the pooled state."})
    word_dropout: float = field(
        default=0.0, metadata={"help": "Share of the tokens that are [MASK] in training."}
    )
    freeze_table: bool = field(
        default=False, metadata={"help": "Leave the token table as it is: a smaller classifier."}
    )
    table_rate: float = field(
        default=1.0, metadata={"help": "So many times as fast learns a table that is not frozen."}
    )
    freeze_layers: int = field(
        default=0, metadata={"help": "So many of the lowest layers stay as they are."}
    )
    longest: int = field(
        default=128, metadata={"help": "Tokens of a text that are read, at most the network's."}
    )

    def __post_init__(self) -> None:
        LoopConfig.__post_init__(self)
        check_range("epochs", self.epochs, 1, 10_000)
        check_range("batch_size", self.batch_size, 1, 1_000_000)
        check_range("adapt_epochs", self.adapt_epochs, 0, 10_000)
        check_range("adapt_rate", self.adapt_rate, 1e-12, 1e3)
        check_range("evaluations", self.evaluations, 1, 1_000)
        check_range("patience", self.patience, 0, 10**9)
        check_choice("pooling", self.pooling, POOLINGS)
        check_range("dropout", self.dropout, 0.0, 0.9)
        check_range("word_dropout", self.word_dropout, 0.0, 0.9)
        check_range("table_rate", self.table_rate, 1e-6, 1e6)
        check_range("freeze_layers", self.freeze_layers, 0, 1_000)
        check_range("longest", self.longest, 3, 1_000_000)


@dataclass(frozen=True, slots=True)
class LabelledIds:
    """``ids[i]``, special tokens included, has the label of number ``labels[i]``."""

    ids: Sequence[Sequence[int]]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


class ClassificationTask:
    """The task: pass after pass over the texts, each in another order.

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
        self.training, self.validation, self.config = training, validation, config
        self.device, self.mask_id, self.path = device, mask_id, best
        self.tokens = self.epoch = self.place = 0
        self.best: dict[str, float] = {}
        self.waiting = 0
        self.batches = self._plan()

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
        if self.place == len(self.batches):
            self.epoch, self.place = self.epoch + 1, 0
            self.batches = self._plan()
        rows = self.batches[self.place]
        self.place += 1
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
            with whole_file(self.path) as temporary:
                save_file(state, str(temporary))
        else:
            self.waiting += 1
        return scores

    def recall(self, network: ClassificationNetwork) -> None:
        """Put the best weights back."""
        own = dict(network.named_parameters())
        with torch.no_grad():
            for name, weight in read_weights(self.path).items():
                own[name].copy_(weight)

    def state(self) -> dict[str, object]:
        """Place in the data, and the best so far."""
        names = ("tokens", "epoch", "place", "waiting")
        return {**{name: getattr(self, name) for name in names}, "best": self.best}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's place."""
        self.tokens, self.epoch, self.place, self.waiting = (
            int(str(state[name])) for name in ("tokens", "epoch", "place", "waiting")
        )
        best = state["best"]
        assert isinstance(best, dict)
        self.best = {str(name): float(value) for name, value in best.items()}
        self.batches = self._plan()

    def _plan(self) -> list[list[int]]:
        """Rows of each batch of this pass, texts of like lengths together: decided by seed and pass alone."""
        lengths = [len(one) for one in self.training.ids]
        return plan_pass(lengths, self.config.batch_size, (self.config.seed, self.epoch))

    def _dropped(self, ids: Tensor, real: Tensor, step: int) -> Tensor:
        """Put [MASK] in the place of some tokens; [CLS] and [SEP] stay."""
        generator = torch.Generator().manual_seed(self.config.seed * 1_000_003 + step)
        chance = torch.rand(ids.shape, generator=generator).to(ids.device)
        inner = torch.zeros_like(real)
        inner[:, 1:-1] = real[:, 2:]  # the last real token is [SEP]
        return ids.masked_fill((chance < self.config.word_dropout) & inner, self.mask_id)


def _order(scores: Mapping[str, float]) -> tuple[float, float]:
    """What the best is the best by."""
    return scores["heldout_accuracy"], -scores["heldout_loss"]

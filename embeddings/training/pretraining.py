"""Pretraining as a task for the loop: masked tokens and sentence pairs from packed rows, scored by language on held-out documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.configuration import check_choice, check_range
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.pretraining.sentence_pairs import OBJECTIVES, Lengths
from embeddings.pretraining.stream import RowStream, StreamConfig
from embeddings.training.batches import batch_sums, make_batch, run_network
from embeddings.training.distributed import Team
from embeddings.training.heldout import Chunks, heldout_rows, score_rows
from embeddings.training.optimisation import LoopConfig

MLM_SCORED = 0.15  # of held-out tokens, whatever is masked in training: so that runs compare
NAMES = ("mlm_loss", "mlm_accuracy", "sentence_loss", "sentence_accuracy")


@dataclass(frozen=True, slots=True)
class PretrainingConfig(LoopConfig):
    """Settings of a pretraining."""

    rows: int = field(default=32, metadata={"help": "Packed rows a step, in each process."})
    row_length: int = field(
        default=256, metadata={"help": "Tokens of a row; several pairs share it."}
    )
    max_tokens: int = field(default=128, metadata={"help": "Longest pair, in tokens."})
    objective: str = field(
        default="",
        metadata={"help": "nsp, sop or none; empty: nsp for BERT, sop for ALBERT."},
    )
    sentence_share: float = field(
        default=0.0, metadata={"help": "Share of the tokens read one sentence a sequence."}
    )
    pair_share: float = field(
        default=0.0, metadata={"help": "Share of the tokens read two sentences a sequence."}
    )
    source_exponent: float = field(
        default=1.0,
        metadata={
            "help": "Files are read in proportion to their size to this power; 0: all alike."
        },
    )
    mlm_probability: float = field(default=0.15, metadata={"help": "Share of tokens masked."})
    heldout: float = field(default=0.005, metadata={"help": "Share of documents kept for scores."})
    heldout_rows: int = field(default=256, metadata={"help": "Rows scored at an evaluation."})
    warm_scale: float = field(default=0.04, metadata={"help": "Deviation of warm-start vectors."})
    freeze_steps: int = field(
        default=0, metadata={"help": "Steps that leave the token table as it is."}
    )

    def __post_init__(self) -> None:
        LoopConfig.__post_init__(self)
        check_range("rows", self.rows, 1, 1_000_000)
        check_range("max_tokens", self.max_tokens, 8, 65_536)
        check_range("row_length", self.row_length, self.max_tokens, 32_767)
        check_choice("objective", self.objective, ("", *OBJECTIVES))
        check_range("sentence_share", self.sentence_share, 0.0, 1.0)
        check_range("pair_share", self.pair_share, 0.0, 1.0 - self.sentence_share)
        check_range("source_exponent", self.source_exponent, 0.0, 1.0)
        check_range("mlm_probability", self.mlm_probability, 0.01, 0.9)
        check_range("heldout", self.heldout, 0.0, 0.5)
        check_range("heldout_rows", self.heldout_rows, 1, 10**9)
        check_range("warm_scale", self.warm_scale, 1e-6, 100.0)
        check_range("freeze_steps", self.freeze_steps, 0, 10**9)


class Pretraining:
    """The task: batches from a `RowStream`, the sum of both mean losses, scores on held-out rows.

    With the objective "none" the masked tokens are all there is, and all that is scored.
    """

    def __init__(
        self,
        corpus: PreparedCorpus,
        config: PretrainingConfig,
        special: SpecialIds,
        device: torch.device,
        team: Team | None = None,
    ) -> None:
        self.corpus, self.config, self.special = corpus, config, special
        self.device, self.team = device, team or Team()
        training, heldout = corpus.split(config.heldout)
        shape = StreamConfig(
            config.objective or "nsp",
            config.max_tokens,
            config.row_length,
            config.seed,
            Lengths(config.sentence_share, config.pair_share),
            config.source_exponent,
        )
        has_pairs = shape.objective != "none"
        self.names = NAMES if has_pairs else NAMES[:2]
        self.stream = RowStream(corpus, training, shape, special)
        rows = (config.heldout_rows, config.row_length)
        self.heldout = heldout_rows(
            corpus, self.stream.segments, heldout, shape.objective, rows, special
        )
        self.tokens = 0
        self.generator = torch.Generator(device)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Loss of this process's rows.

        Scaled so that the average over processes is the mean over the whole batch.
        """
        config, team = self.config, self.team
        table = _token_table(network)
        if table is not None:
            table.requires_grad_(step >= config.freeze_steps)
        everything = self.stream.take(config.rows * team.size)
        self.tokens += everything.tokens
        self.generator.manual_seed(config.seed * 1_000_003 + step)
        noise = torch.rand(3, *everything.ids.shape, generator=self.generator, device=self.device)
        here = slice(team.rank * config.rows, (team.rank + 1) * config.rows)
        rows = everything.rows(here.start, here.stop)
        batch = make_batch(
            rows, noise[:, here], config.mlm_probability, self.corpus.vocab_size, self.special
        )
        sums = batch_sums(run_network(network, batch), batch)
        scored = float(np.rint(config.mlm_probability * everything.ordinary).sum())
        pairs = float((everything.label >= 0).sum())
        loss = sums[0] / max(scored, 1.0) + sums[2] / max(pairs, 1.0)
        sums = sums.detach()
        if len(self.names) < len(NAMES):  # no pair has a label: the second term is 0
            sums = sums[[0, 1, 4, 5]]
        return loss * team.size, sums

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Mean loss and accuracy on held-out rows, always the same rows and masks.

        Sentence accuracy also by language. Pairs that are all true or all false, as those of a single held-out
        document, say nothing of the sentence task: its scores are then left out.
        """
        if self.heldout is None:
            return {}
        chunks = Chunks(self.config.rows, MLM_SCORED, self.device)
        found = score_rows(network, self.heldout, chunks, self.corpus.vocab_size, self.special)
        names = self.names if _has_both(self.heldout.label) else self.names[:2]
        scores = {f"heldout_{name}": found.means[place] for place, name in enumerate(names)}
        return scores | self._by_language(found.right)

    def state(self) -> dict[str, object]:
        """Place in the stream, tokens so far."""
        return {"tokens": self.tokens, **self.stream.state()}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's place."""
        self.tokens = int(str(state["tokens"]))
        self.stream.restore(state)

    def _by_language(self, right: NDArray[np.bool_]) -> dict[str, float]:
        """Sentence accuracy of each language."""
        assert self.heldout is not None
        names = np.array([source.language for source in self.corpus.sources])
        language = names[self.heldout.source]
        is_pair = self.heldout.label >= 0
        own = {name: is_pair & (language == name) for name in sorted(set(language.tolist()))}
        return {
            f"heldout_sentence_accuracy_{name}": float(right[rows].mean())
            for name, rows in own.items()
            if _has_both(self.heldout.label[rows])
        }


def _has_both(labels: NDArray[np.int64]) -> bool:
    """Whether some pairs are true and some are false."""
    return bool((labels == 0).any() and (labels == 1).any())


def _token_table(network: nn.Module) -> nn.Parameter | None:
    """The token embedding of a network, wrapped or not."""
    inner = getattr(network, "module", network)
    encoder = getattr(inner, "encoder", None)
    return encoder.inputs.tokens.weight if encoder is not None else None

"""Pretraining as a task for the loop: masked tokens and sentence pairs from packed rows, scored by language on held-out documents.

Rows are moved to the device and masked there. Held-out rows are drawn once and always the same, and scored in chunks, so that two
networks can be compared chunk by chunk. `timed_steps` measures how long steps take on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from embeddings.networks.bert import PretrainingNetwork, PretrainingOutput, new_network
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.layers import block_mask
from embeddings.pretraining.masking import mask_tokens, share_noise
from embeddings.pretraining.packing import Packed, RowStream, SpecialIds, pack_pairs
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.pretraining.sentence_pairs import Segments, draw_pairs
from embeddings.runtime import Machine, choose_runtime
from embeddings.training.distributed import Team
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.tasks import Task

EVALUATION_SEED = 20_180_611
MLM_SCORED = 0.15  # of held-out tokens, whatever is masked in training: so that runs compare
NAMES = ("mlm_loss", "mlm_accuracy", "sentence_loss", "sentence_accuracy")


class PretrainingBatch(NamedTuple):
    """A masked batch on the device: what `PretrainingNetwork.forward` takes, in its order, and the ``labels`` of the pairs."""

    input_ids: Tensor
    token_type_ids: Tensor
    position_ids: Tensor
    mask: Tensor
    scored: Tensor
    first: Tensor
    targets: Tensor
    labels: Tensor


def make_pretraining_batch(
    rows: Packed,
    noise: Tensor,
    rate: float,
    vocab_size: int,
    special: SpecialIds,
    *,
    mask_repeats: bool = False,
) -> PretrainingBatch:
    """Move packed rows to the device of ``noise``, shape (3, rows, tokens), and mask them there.

    With ``mask_repeats`` a token is masked wherever it occurs in its pair.
    """
    device = noise.device

    def move(array: NDArray[np.generic]) -> Tensor:
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if device.type == "cuda":
            tensor = tensor.pin_memory()
        return tensor.to(device, non_blocking=True)

    blocks = move(rows.blocks).long()
    pair = blocks - 1 + move(rows.bounds[:-1])[:, None]
    ids = move(rows.ids).long()
    masked = mask_tokens(
        ids,
        pair,
        rows.ordinary,
        share_noise(noise, ids, pair, vocab_size) if mask_repeats else noise,
        rate=rate,
        special=special,
        vocab_size=vocab_size,
    )
    return PretrainingBatch(
        masked.input_ids,
        move(rows.segments).long(),
        move(rows.positions).long(),
        block_mask(blocks),
        masked.scored,
        move(rows.first),
        masked.targets,
        move(rows.label),
    )


def run_network(network: nn.Module, batch: PretrainingBatch) -> PretrainingOutput:
    """Score a batch."""
    output = network(*batch[:-1])
    assert isinstance(output, PretrainingOutput)
    return output


def batch_sums(output: PretrainingOutput, batch: PretrainingBatch) -> Tensor:
    """Sums over a batch, then their counts: loss and right answers of tokens, the same of pairs.

    Shape (8,), differentiable.
    """
    sentences = output.sentences.float()
    is_pair = batch.labels >= 0
    right = (sentences.argmax(-1) == batch.labels).sum()
    scored = torch.tensor(float(len(batch.targets)), device=sentences.device)
    pairs = is_pair.sum().float()
    return torch.stack(
        [
            output.token_loss,
            output.token_right,
            F.cross_entropy(sentences, batch.labels, reduction="sum", ignore_index=-100),
            right.float(),
            scored,
            scored,
            pairs,
            pairs,
        ]
    )


@dataclass(frozen=True, slots=True)
class RowScores:
    """What a network scored on held-out rows.

    Attributes
    ----------
    sums : NDArray[float64], shape (chunks, 8)
        Of each chunk of rows: token loss (nats), tokens right, pair loss, pairs right, then the
        four counts.
    right : NDArray[bool], shape (pairs,)
        Which pairs the classification head classifies rightly; False where there is no label.
    """

    sums: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def means(self) -> tuple[float, ...]:
        """Loss and accuracy of tokens, loss and accuracy of pairs; 0 where nothing was scored."""
        total = self.sums.sum(0)
        return tuple((total[:4] / np.maximum(total[4:], 1)).tolist())


def heldout_rows(
    corpus: PreparedCorpus,
    segments: Segments,
    documents: NDArray[np.int64],
    config: PretrainingConfig,
    special: SpecialIds,
) -> Packed | None:
    """Pack pairs of some documents, about ``heldout_rows`` rows at most; the draw does not depend on a run's seed. None without pairs."""
    generator = np.random.default_rng(EVALUATION_SEED)
    pairs = draw_pairs(corpus, segments, documents, config.objective, generator)
    if not len(pairs):
        return None
    most = config.heldout_rows * (config.row_length // segments.max_tokens)
    return pack_pairs(corpus, pairs.take(slice(0, most)), config.row_length, special, generator)


def score_rows(
    network: nn.Module, packed: Packed, rows_of_chunk: int, vocab_size: int, special: SpecialIds
) -> RowScores:
    """Score rows under masks that are always the same, some rows at a time.

    Differentiation and precision are the caller's: `torch.inference_mode`, `Runtime.autocast`.
    """
    device = next(network.parameters()).device
    generator = torch.Generator(device).manual_seed(EVALUATION_SEED)
    shape = (3, *packed.ids.shape)  # drawn at once: the masks do not depend on the chunks
    everything = torch.rand(shape, generator=generator, device=device)
    sums: list[torch.Tensor] = []
    rights: list[NDArray[np.bool_]] = []
    for start in range(0, len(packed), rows_of_chunk):
        rows = packed.rows(start, start + rows_of_chunk)
        noise = everything[:, start : start + rows_of_chunk]
        batch = make_pretraining_batch(rows, noise, MLM_SCORED, vocab_size, special)
        output = run_network(network, batch)
        sums.append(batch_sums(output, batch))
        rights.append((output.sentences.argmax(-1) == batch.labels).cpu().numpy())
    return RowScores(torch.stack(sums).double().cpu().numpy(), np.concatenate(rights))


class Pretraining(Task[PretrainingConfig]):
    """The task: batches from a `RowStream`, the sum of both mean losses, scores on held-out rows.

    With the objective "none" the masked tokens are all there is, and all that is scored.
    """

    phase = "pretrain"

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
        self.names = NAMES if config.objective != "none" else NAMES[:2]
        self.stream = RowStream(corpus, training, config, special, config.seed)
        self.heldout = heldout_rows(corpus, self.stream.segments, heldout, config, special)
        self.generator = torch.Generator(device)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Loss of this process's rows.

        Scaled so that the average over processes is the mean over the whole batch.
        """
        config, team = self.config, self.team
        if config.freeze_steps:  # of one process alone, so the network is not wrapped
            assert isinstance(network, PretrainingNetwork)
            network.encoder.inputs.tokens.weight.requires_grad_(step >= config.freeze_steps)
        everything = self.stream.take(config.rows * team.size)
        self.tokens += everything.tokens
        self.generator.manual_seed(config.step_seed(step))
        noise = torch.rand(3, *everything.ids.shape, generator=self.generator, device=self.device)
        share = slice(team.rank * config.rows, (team.rank + 1) * config.rows)
        rows = everything.rows(share.start, share.stop)
        batch = make_pretraining_batch(
            rows,
            noise[:, share],
            config.mlm_probability,
            self.corpus.vocab_size,
            self.special,
            mask_repeats=config.mask_repeats,
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
        size = self.corpus.vocab_size
        scored = score_rows(network, self.heldout, self.config.rows, size, self.special)
        names = self.names if _has_both(self.heldout.label) else self.names[:2]
        scores = {f"heldout_{name}": scored.means[column] for column, name in enumerate(names)}
        return scores | self._by_language(scored.right)

    def state(self) -> dict[str, object]:
        """Return the position in the stream and the tokens so far."""
        return {"tokens": self.tokens, **self.stream.state()}

    def restore(self, state: Mapping[str, object]) -> None:
        """Go back to a checkpoint's position."""
        self.tokens = int(str(state["tokens"]))
        self.stream.restore(state)

    def _by_language(self, right: NDArray[np.bool_]) -> dict[str, float]:
        """Sentence accuracy of each language."""
        assert self.heldout is not None
        names = np.array([source.language for source in self.corpus.sources])
        language = names[self.heldout.source]
        is_pair = self.heldout.label >= 0
        pairs_of_language = {
            name: is_pair & (language == name) for name in sorted(set(language.tolist()))
        }
        return {
            f"heldout_sentence_accuracy_{name}": float(right[rows].mean())
            for name, rows in pairs_of_language.items()
            if _has_both(self.heldout.label[rows])
        }


def _has_both(labels: NDArray[np.int64]) -> bool:
    """Whether some pairs are true and some are false."""
    return bool((labels == 0).any() and (labels == 1).any())


def timed_steps(network_config: NetworkConfig, config: PretrainingConfig, steps: int) -> float:
    """Return the seconds of some training steps of a fresh network; one more before them, which also allocates, is not timed."""
    runtime = choose_runtime(Machine())
    network = new_network(network_config).to(runtime.device).train()
    optimizer = make_optimizer(network, config)
    packed = random_rows(config, network_config.vocab_size)
    generator = torch.Generator(runtime.device)
    noise = torch.rand(3, *packed.ids.shape, generator=generator, device=runtime.device)
    ends: list[float] = []
    for _ in range(1 + steps):
        with runtime.autocast():
            batch = make_pretraining_batch(
                packed, noise, config.mlm_probability, network_config.vocab_size, SpecialIds()
            )
            sums = batch_sums(run_network(network, batch), batch)
            loss = sums[0] / sums[4] + sums[2] / sums[6]
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()  # waits for a device
        ends.append(time.perf_counter())
    return ends[-1] - ends[0]


def random_rows(config: PretrainingConfig, vocab_size: int) -> Packed:
    """Return a batch of random tokens, in sequences of half a row or of the longest that is allowed."""
    length = min(config.row_length // 2, config.max_tokens)
    sequences = config.row_length // length
    rows, tokens = config.rows, sequences * length
    generator = np.random.default_rng(config.seed)
    pairs = rows * sequences
    places = np.broadcast_to(np.arange(tokens), (rows, tokens))
    return Packed(
        ids=generator.integers(len(SpecialIds().ordered), vocab_size, (rows, tokens), np.int32),
        segments=np.zeros((rows, tokens), np.uint8),
        positions=(places % length).astype(np.int16),
        blocks=(places // length + 1).astype(np.int16),
        first=np.arange(pairs, dtype=np.int64) * length,
        label=np.arange(pairs, dtype=np.int64) % 2,
        source=np.zeros(pairs, np.int64),
        ordinary=np.full(pairs, length, np.int64),
        bounds=sequences * np.arange(rows + 1, dtype=np.int64),
    )

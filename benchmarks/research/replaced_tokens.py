"""Replaced-token detection (ELECTRA, Clark et al. 2020): a small generator fills masked tokens, the network finds what it changed.

What is kept is the discriminator, as a BERT without heads: its states can be asked for senses, it fills no blanks. As there: one token
embedding matrix for both, a generator of a quarter of the hidden size, the losses added with the discriminator's weighing fifty times.
The rows, the warm start and the optimiser are those of `embeddings.training.pretraining`; sentence pairs are read, not judged. Not as
there: of the masked tokens a tenth is kept and a tenth is another word, and positions are not shared.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from embeddings.networks.bert import Encoder, PretrainingNetwork, initialise, new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.runtime import Machine, choose_runtime
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.loop import Loop
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import export_network
from embeddings.training.pretraining.pretraining_task import (
    EVALUATION_SEED,
    MLM_SCORED,
    Pretraining,
    PretrainingBatch,
    make_pretraining_batch,
)
from embeddings.training.pretraining.warm_start import start_from_vectors
from embeddings.training.tasks import Limits, Trained
from embeddings.vectors.table import Vectors

GENERATOR = 4  # the discriminator's hidden size over the generator's
WEIGHT = 50.0  # of the discriminator's loss
NAMES = ("generator_loss", "generator_accuracy", "replaced_loss", "replaced_accuracy")


class ReplacedTokenNetwork(nn.Module):
    """Generator and discriminator over one token embedding matrix."""

    def __init__(self, config: BertConfig, seed: int) -> None:
        super().__init__()
        self.config = config
        self.encoder: Encoder = new_network(config, seed).encoder
        self.judge = nn.Sequential(
            nn.Linear(config.hidden_size, config.hidden_size),
            nn.GELU(),
            nn.Linear(config.hidden_size, 1),
        )
        initialise(self.judge, config.initializer_range, torch.Generator().manual_seed(seed))
        self.generator = new_network(generator_config(config), seed)
        self.generator.sentences = None
        self.generator.encoder.inputs.tokens = self.encoder.inputs.tokens
        assert self.generator.tokens is not None
        self.generator.tokens.decoder.weight = self.encoder.inputs.tokens.weight

    def forward(self, batch: PretrainingBatch, noise: Tensor, text: Tensor) -> Tensor:
        """Fill the masked tokens, then judge all; return the sums of `NAMES`, then their counts, shape (8,).

        Parameters
        ----------
        noise : Tensor, shape (scored, 1), in [0, 1)
            Which token is drawn at each masked place.
        text : BoolTensor, shape (rows, tokens)
            Tokens that are judged: all but padding and the special ones.
        """
        assert self.generator.tokens is not None
        states = self.generator.encoder(
            batch.input_ids,
            batch.token_type_ids,
            position_ids=batch.position_ids,
            mask=batch.mask,
            keep=batch.scored,
        ).last
        scores = self.generator.tokens(states).float()
        filled = functional.cross_entropy(scores, batch.targets, reduction="sum")
        guessed = (scores.argmax(-1) == batch.targets).sum()
        drawn = draw(scores.detach(), noise)
        original = batch.input_ids.flatten().scatter(0, batch.scored, batch.targets)
        corrupted = original.scatter(0, batch.scored, drawn)
        replaced = (corrupted != original).view_as(text)[text].float()
        last = self.encoder(
            corrupted.view_as(text),
            batch.token_type_ids,
            position_ids=batch.position_ids,
            mask=batch.mask,
        ).last
        judged = self.judge(last[text]).squeeze(-1).float()
        loss = functional.binary_cross_entropy_with_logits(judged, replaced, reduction="sum")
        right = ((judged > 0) == (replaced > 0)).sum()
        counts = [len(batch.targets)] * 2 + [len(replaced)] * 2
        sums = [filled, guessed.float(), loss, right.float()]
        return torch.stack([*sums, *(loss.new_tensor(float(n)) for n in counts)])


def generator_config(config: BertConfig) -> AlbertConfig:
    """The generator's settings: narrow states over embeddings of the discriminator's width, layers of their own."""
    return AlbertConfig(
        **asdict(config)
        | {
            "model_type": "albert",
            "embedding_size": config.hidden_size,
            "hidden_size": config.hidden_size // GENERATOR,
            "intermediate_size": config.intermediate_size // GENERATOR,
            "num_attention_heads": max(1, config.num_attention_heads // GENERATOR),
            "share_layers": "none",
        }
    )


def draw(scores: Tensor, noise: Tensor) -> Tensor:
    """Draw a token of each row of scores, (scored, vocab_size) -> (scored,): the first whose cumulated softmax exceeds the noise."""
    cumulated = scores.softmax(-1).cumsum(-1)
    drawn = torch.searchsorted(cumulated, noise * cumulated[:, -1:], right=True).squeeze(-1)
    return drawn.clamp_(max=scores.shape[-1] - 1)


class ReplacedTokens(Pretraining):
    """The task: rows as in pretraining, another loss."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.names = NAMES

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, Tensor]:
        """Generator's mean loss plus `WEIGHT` times the discriminator's."""
        rows = self.stream.take(self.config.rows)
        self.tokens += rows.tokens
        self.generator.manual_seed(self.config.step_seed(step))
        noise = torch.rand(3, *rows.ids.shape, generator=self.generator, device=self.device)
        batch = make_pretraining_batch(
            rows, noise, self.config.mlm_probability, self.corpus.vocab_size, self.special
        )
        sums = network(batch, self._noise(len(batch.scored)), self._text(rows.ids))
        return sums[0] / sums[4] + WEIGHT * sums[2] / sums[6], sums.detach()

    def evaluate(self, network: nn.Module) -> dict[str, float]:
        """Return means over the held-out rows, under masks and draws that are always the same."""
        if self.heldout is None:
            return {}
        self.generator.manual_seed(EVALUATION_SEED)
        total = torch.zeros(8, dtype=torch.float64)
        for start in range(0, len(self.heldout), self.config.rows):
            rows = self.heldout.rows(start, start + self.config.rows)
            noise = torch.rand(3, *rows.ids.shape, generator=self.generator, device=self.device)
            size = self.corpus.vocab_size
            batch = make_pretraining_batch(rows, noise, MLM_SCORED, size, self.special)
            total += network(batch, self._noise(len(batch.scored)), self._text(rows.ids)).cpu()
        means = (total[:4] / total[4:].clamp(min=1)).tolist()
        return {f"heldout_{name}": mean for name, mean in zip(NAMES, means, strict=True)}

    def _noise(self, count: int) -> Tensor:
        """Random numbers for so many draws."""
        return torch.rand(count, 1, generator=self.generator, device=self.device)

    def _text(self, ids: object) -> Tensor:
        """Which tokens are text."""
        tokens = torch.as_tensor(ids, device=self.device).long()
        return ~torch.isin(tokens, torch.tensor(self.special.ordered, device=self.device))


def pretrain_discriminator(  # noqa: PLR0913 - as `pretrain`
    prepared: Path,
    run: Path,
    network: BertConfig,
    config: PretrainingConfig,
    limits: Limits,
    *,
    machine: Machine,
    warm: Path,
) -> Trained:
    """Train a discriminator, or resume what ``run`` holds; its model is written as a BERT without heads."""
    runtime = choose_runtime(machine)
    corpus, vocabulary = PreparedCorpus.open(prepared), Tokenizer.load(prepared)
    config = replace(config, objective=config.objective or "nsp")
    network = replace(network, vocab_size=corpus.vocab_size)
    whole = ReplacedTokenNetwork(network, config.seed)
    vectors = Vectors.load(warm)
    for one in (discriminator(whole), whole.generator):
        start_from_vectors(one, vectors, vocabulary.words, config.warm_scale)
    whole.to(runtime.device)
    settings = {"network": asdict(network), "training": asdict(config), "loss": "replaced tokens"}
    task = ReplacedTokens(corpus, config, SpecialIds.of(vocabulary), runtime.device)
    finished = Loop(whole, task, TrainingFolder(run, settings), runtime, limits).train()
    card = {
        "kind": "network",
        "method": "bert",
        "settings": settings,
        "steps": finished.step,
        "complete": finished.complete,
        "tokens_seen": task.tokens,
        "scores": finished.scores,
    }
    export_network(discriminator(whole), vocabulary, run / "model", card)
    parameters = sum(weight.numel() for weight in whole.parameters())
    return Trained(run / "model", finished, task.tokens, parameters)


def discriminator(network: ReplacedTokenNetwork) -> PretrainingNetwork:
    """The discriminator's encoder, the same weights, as a BERT without heads."""
    alone = PretrainingNetwork(network.config)
    alone.encoder = network.encoder
    alone.tokens = alone.sentences = None
    return alone

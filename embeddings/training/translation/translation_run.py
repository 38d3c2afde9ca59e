"""A whole translation training, from two files of sentences to a model's folder; plain, or fused with a BERT.

Label-smoothed batches of sentence pairs, scored on held-out pairs by loss and by BLEU as sacrebleu computes it, with the signature
that says how it was counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from embeddings.configuration import setting, setting_like, to_json
from embeddings.corpora.labelled import SentencePairs, read_sentence_pairs
from embeddings.errors import CheckpointError
from embeddings.files import CONFIG, TOKENIZER, WEIGHTS, atomic_folder, check_replaceable, sha256
from embeddings.model_card import CARD, write_card
from embeddings.networks.decoding import DecodingConfig, search, to_batch
from embeddings.networks.encoder_decoder import (
    TranslationConfig,
    TranslationNetwork,
    copy_plain_weights,
    new_translation_network,
    open_translation,
    save_translation,
)
from embeddings.networks.layers import TokenLoss
from embeddings.optional import optional
from embeddings.results import BleuScore
from embeddings.runtime import Machine, choose_runtime
from embeddings.text.subwords import SubwordVocabulary, train_subwords
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.loop import Loop
from embeddings.training.loop_config import LoopConfig
from embeddings.training.tasks import EpochTask, Limits, Trained, run_card
from embeddings.training.translation.translation_pairs import (
    PairIds,
    ReadyPairs,
    SourceBert,
    make_translation_batch,
    plan_batches,
    prepare_pairs,
)

DECODED = 128  # sentences translated at a time


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
    heldout, vocabulary
        Pairs that are scored, with their texts, and what turns translations of them into text.
    """

    names = ("loss", "accuracy")

    def __init__(
        self,
        training: PairIds,
        heldout: ReadyPairs,
        config: TranslationTraining,
        device: torch.device,
        vocabulary: SubwordVocabulary,
    ) -> None:
        self.training, self.heldout, self.references = training, heldout.ids, heldout.texts.target
        self.device, self.vocabulary = device, vocabulary
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
                ids = translate_ids(network, self.heldout, chosen, DecodingConfig(beam=1))
            texts = [self.vocabulary.decode(each) for each in ids]
            scores["heldout_bleu"] = bleu(texts, self.references[:chosen]).score
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
        scored = network(*batch, smoothing)
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
        bert = None if pairs.states is None else pairs.states.memory(rows, device)
        with torch.inference_mode():
            encoded = network.encode(to_batch([list(pairs.source[i]) for i in rows], device), bert)
        for row, search_state in zip(rows, search(network, encoded, config), strict=True):
            translations[row] = search_state.best.ids
    return translations


_KEPT = ("dropout", "attention_dropout", "drop_net")  # what a fused network may set anew


@dataclass(frozen=True, slots=True)
class PairFiles:
    """Where the sentences are: line n of ``target`` translates line n of ``source``."""

    source: Path
    target: Path
    heldout_source: Path
    heldout_target: Path
    languages: tuple[str, str] = ("en", "de")

    @property
    def checksums(self) -> dict[str, str]:
        """sha256 of the four files."""
        names = ("source", "target", "heldout_source", "heldout_target")
        return {name: sha256(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True)
class PlainStart:
    """Folders of the plain model to start from and of the BERT to fuse in; without one it goes on plain."""

    plain: Path
    bert: Path | None = None


@dataclass(frozen=True, slots=True)
class _Start:
    """What a training starts from."""

    vocabulary: SubwordVocabulary
    config: TranslationConfig
    plain: TranslationNetwork | None = None
    bert: SourceBert | None = None


def train_translation(  # noqa: PLR0913 - what a run consists of
    files: PairFiles,
    run: Path,
    network_config: TranslationConfig,
    config: TranslationTraining,
    limits: Limits,
    *,
    warm: PlainStart | None = None,
    machine: Machine | None = None,
    command: str = "",
) -> Trained:
    """Train a translation network, or resume what ``run`` holds.

    Parameters
    ----------
    warm : WarmStart, optional
        Start from a plain model, whose vocabulary and sizes are kept, and fuse a BERT in if one is named.
    machine : Machine, optional
        Device and number format; by default what is there.

    Raises
    ------
    FormatError
        If the two files of a set differ in their number of lines, or ``run / "model"`` holds more
        than a translator, which writing would delete.
    MissingFileError, CheckpointError
        If BERT or the plain model cannot be opened.
    """
    check_translator_target(run / "model")
    runtime = choose_runtime(machine)
    training = read_sentence_pairs(files.source, files.target)
    heldout = read_sentence_pairs(files.heldout_source, files.heldout_target)
    start = _start(warm, training, run, network_config)
    settings = _settings(files, start, config, warm)
    folder = TrainingFolder(run, settings)
    if not (run / TOKENIZER).exists():
        start.vocabulary.save(run)
    network = new_translation_network(start.config, config.seed)
    if start.plain is not None:
        copy_plain_weights(network, start.plain)
    network.to(runtime.device)
    if start.bert is not None:
        start.bert.network.to(runtime.device)
    longest = start.config.max_position_embeddings
    ready, held = (
        prepare_pairs(
            pairs, start.vocabulary, longest, start.bert, run / f"bert-{name}.npy", limits.report
        )
        for name, pairs in (("train", training), ("heldout", heldout))
    )
    task = TranslationTask(ready.ids, held, config, runtime.device, start.vocabulary)
    finished = Loop(network, task, folder, runtime, limits).train()
    fused = {"bert": settings["bert"]} if start.bert else {}
    card = run_card(
        "translation",
        "bert-fused" if fused else "transformer",
        settings,
        finished,
        language="-".join(files.languages),
        corpus={"name": [files.source.name, files.target.name]},
        command=command,
        tokens_seen=task.tokens,
        **fused,
    )
    export_translator(network, start.vocabulary, run / "model", card)
    parameters = sum(p.numel() for p in network.parameters())
    return Trained(run / "model", finished, task.tokens, parameters, ready.left_out)


def check_translator_target(folder: Path) -> None:
    """Raise `FormatError` if ``folder`` holds more than a translator, which writing one would delete."""
    check_replaceable(folder, WEIGHTS, (CARD, CONFIG, WEIGHTS, TOKENIZER))


def export_translator(
    network: TranslationNetwork,
    vocabulary: SubwordVocabulary,
    folder: Path,
    card: Mapping[str, object],
) -> None:
    """Write a model's folder with its vocabulary and card, float16."""
    check_translator_target(folder)
    with atomic_folder(folder) as temporary:
        save_translation(network, temporary)
        vocabulary.save(temporary)
        write_card(temporary, card)


def _start(
    warm: PlainStart | None, training: SentencePairs, run: Path, config: TranslationConfig
) -> _Start:
    """Return vocabulary and sizes: of the run or of the training pairs, or those of the plain model with room for BERT."""
    if warm is None:
        vocabulary = (
            SubwordVocabulary.load(run)
            if (run / TOKENIZER).exists()
            else train_subwords((*training.source, *training.target), config.vocab_size)
        )
        return _Start(vocabulary, replace(config, vocab_size=len(vocabulary), bert_size=0))
    plain = open_translation(warm.plain)
    bert = None if warm.bert is None else SourceBert.open(warm.bert)
    if plain.config.bert_size:
        raise CheckpointError("translation_not_plain", path=warm.plain)
    anew = {name: getattr(config, name) for name in _KEPT}
    size = 0 if bert is None else bert.network.config.hidden_size
    config = replace(plain.config, bert_size=size, **anew)
    return _Start(SubwordVocabulary.load(warm.plain), config, plain, bert)


def _settings(
    files: PairFiles, start: _Start, config: TranslationTraining, warm: PlainStart | None
) -> dict[str, object]:
    """What decides the weights."""
    return {
        "network": to_json(start.config),
        "training": to_json(config),
        "pairs": files.checksums,
        "languages": list(files.languages),
        "bert": start.bert and {"name": start.bert.folder.name, "sha256": start.bert.sha256},
        "warm_start": warm and sha256(warm.plain / WEIGHTS),
    }


def bleu(translations: Sequence[str], references: Sequence[str]) -> BleuScore:
    """Score translations against one reference each.

    Returns
    -------
    BleuScore
        ``score``: cased, detokenised text, tokenised by 13a (Post 2018). ``lower_score``: the same with all
        letters lowered, which comes near what papers on Multi30k report.
    """
    with optional():
        from sacrebleu.metrics.bleu import BLEU

    cased, lowered = BLEU(), BLEU(lowercase=True)
    first = cased.corpus_score(list(translations), [list(references)])
    second = lowered.corpus_score(list(translations), [list(references)])
    return BleuScore(
        float(first.score),
        str(cased.get_signature()),
        float(second.score),
        str(lowered.get_signature()),
        len(translations),
    )

"""``klyuch translation``: train a translator, plain or with BERT fused in; score it by BLEU."""

from __future__ import annotations

import shlex
import sys
from dataclasses import MISSING, field, fields, make_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from rich.table import Table

from embeddings.cli.nouns import verb, with_flags
from embeddings.cli.output import counted, emit, grid, progress_bar
from embeddings.configuration import check_language
from embeddings.errors import InputError
from embeddings.networks.decoding import DecodingConfig
from embeddings.networks.encoder_decoder import TranslationConfig
from embeddings.results.network_answers import TranslationAttribution
from embeddings.runtime import Machine
from embeddings.training.tasks import Limits
from embeddings.training.translation.translation_run import (
    PairFiles,
    PlainStart,
    TrainedTranslation,
    train_translation,
)
from embeddings.training.translation.translation_task import TranslationTraining

_OWN = ("model_type", "bert_size")  # decided by the command


def _flags() -> type:
    """One dataclass of the network's settings and the training's."""
    flags: list[tuple[str, Any, Any]] = []
    for kind in (TranslationConfig, TranslationTraining):
        hints = get_type_hints(kind)
        for setting in fields(kind):
            assert setting.default is not MISSING
            if setting.name not in _OWN:
                flags.append(
                    (
                        setting.name,
                        hints[setting.name],
                        field(default=setting.default, metadata=setting.metadata),
                    )
                )
    return make_dataclass("TranslationFlags", flags, frozen=True)


@verb("translation", "train")
@with_flags(Machine, skip=("compile",), name="machine")
@with_flags(_flags())
def train(
    source: Path,
    target: Path,
    heldout_source: Path,
    heldout_target: Path,
    *,
    config: Any,
    machine: Machine,
    run: Path,
    languages: str = "en-de",
    bert: str = "",
    warm_start: str = "",
    minutes: float = 0.0,
    checkpoint_minutes: float = 10.0,
    as_json: bool = False,
) -> None:
    """Train a translator on sentence pairs; an existing run is resumed."""
    chosen = {f.name: getattr(config, f.name) for f in fields(config)}
    names = {f.name for f in fields(TranslationConfig)}
    network = TranslationConfig(**{k: v for k, v in chosen.items() if k in names})
    training = TranslationTraining(**{k: v for k, v in chosen.items() if k not in names})
    files = PairFiles(source, target, heldout_source, heldout_target, _pair(languages))
    with progress_bar(as_json) as report:
        result = train_translation(
            files,
            run,
            network,
            training,
            Limits(minutes, checkpoint_minutes, report),
            warm=_warm(bert, warm_start),
            machine=machine,
            command=shlex.join(["klyuch", *sys.argv[1:]]),
        )
    emit(_summary(result), as_json, lambda: _sentence(result))


@verb("translation", "evaluate")
@with_flags(DecodingConfig, skip=("use_cache",))
def evaluate(
    source: Path,
    target: Path,
    *,
    config: DecodingConfig,
    model: str,
    output: Path | None = None,
    as_json: bool = False,
) -> None:
    """Translate a file and score it by BLEU, cased and lower-cased, with sacrebleu's signatures."""
    from embeddings.corpora.labelled import read_sentence_pairs
    from embeddings.files import atomic_file
    from embeddings.probing.translator import translate
    from embeddings.shelf.loading import load_translator
    from embeddings.training.translation.translation_run import bleu

    pairs = read_sentence_pairs(source, target)
    with progress_bar(as_json) as report:
        translations = translate(load_translator(model), pairs.source, config, report=report)
    if output is not None:
        with atomic_file(output) as temporary:
            text = "".join(f"{translation.target}\n" for translation in translations)
            temporary.write_text(text, encoding="utf-8")
    score = bleu([translation.target for translation in translations], pairs.target)
    rows: list[tuple[object, ...]] = [
        (score.score, score.signature),
        (score.lower_score, score.lower_signature),
    ]
    emit(score, as_json, lambda: grid("BLEU", "signature", rows=rows))


@verb("translation", "attribute")
def attribute(
    text: str, *, model: str, beam: int = 5, occlusion: bool = False, as_json: bool = False
) -> None:
    """Translate a sentence and print which of its words, and which earlier words, moved each word of the translation.

    The unit is nats of each word's log-probability. With integrated gradients, a row, its baseline (no words) and its residual add up to
    log p. With occlusion, a cell gives the fall of log p without the word.
    """
    from embeddings.probing.translation_attribution import attribute_translation
    from embeddings.shelf.loading import load_translator

    attribution = attribute_translation(load_translator(model), text, DecodingConfig(beam))
    emit(attribution, as_json, lambda: _attribution_table(attribution, occlusion))


def _attribution_table(attribution: TranslationAttribution, occlusion: bool) -> Table:
    """Draw a row a word of the translation: what the words of the source and the earlier words add; then what is no word's."""
    source, target = (
        (attribution.source_occlusions, attribution.target_occlusions)
        if occlusion
        else (attribution.source_gradients, attribution.target_gradients)
    )
    rows: list[tuple[object, ...]] = []
    for number, word in enumerate(attribution.target_words):
        cells = [f"{value:.2f}" for value in source[number]]
        sums = (attribution.baselines, attribution.residuals, attribution.log_probabilities)
        earlier = f"{target[number].sum():.2f}"
        rows.append((word, *cells, earlier, *(f"{column[number]:.2f}" for column in sums)))
    head = ("word", *attribution.source_words, "earlier words", "baseline", "residual", "log p")
    return grid(*head, rows=rows)


def _pair(languages: str) -> tuple[str, str]:
    """Return the codes of the two sides."""
    first, _, second = languages.partition("-")
    try:
        check_language(first)
        check_language(second)
    except InputError as error:
        raise InputError("argument_languages", value=languages) from error
    return first, second


def _warm(bert: str, plain: str) -> PlainStart | None:
    """Return what to start from; BERT without a plain model, and models of other kinds, are refused."""
    from embeddings.shelf import find
    from embeddings.shelf.loading import find_translator

    if bert and not plain:
        raise InputError("translation_fusion")
    if not plain:
        return None
    start, fused = find_translator(plain), find(bert) if bert else None
    if fused is not None and fused.kind != "network":
        raise InputError("model_not_network", name=fused.name, kind=fused.kind)
    return PlainStart(start.path, fused.path if fused else None)


def _summary(result: TrainedTranslation) -> dict[str, object]:
    """What ``--json`` prints."""
    return {
        "model": str(result.folder),
        "steps": result.finished.step,
        "complete": result.finished.complete,
        "tokens": result.tokens,
        "parameters": result.parameters,
        "left_out": result.left_out,
        "scores": result.finished.scores,
    }


def _sentence(result: TrainedTranslation) -> str:
    """What a person reads."""
    end = "complete" if result.finished.complete else "stopped; the same command goes on"
    scores = ", ".join(f"{name} {value:.4f}" for name, value in result.finished.scores.items())
    long = f" Too long: {counted(result.left_out, 'pair')}." if result.left_out else ""
    return (
        f"{result.folder}: {counted(result.finished.step, 'step')}, "
        f"{counted(result.tokens, 'token')}, {end}.{long} {scores}"
    )

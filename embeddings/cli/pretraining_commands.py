"""``klyuch wordpiece``, ``bert`` and ``albert``: train a vocabulary, prepare a corpus, pretrain a network."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import typer

from embeddings.analysis.network_costs import ALIASES, PRESETS, find_preset
from embeddings.cli.nouns import network_entry, optional_flags, verb
from embeddings.cli.output import (
    command_line,
    emit,
    note,
    progress_bar,
    run_summary,
)
from embeddings.configuration import check_choice
from embeddings.corpora.text_conversion import as_utf8
from embeddings.errors import InputError
from embeddings.networks.bert_config import AlbertConfig, BertConfig, NetworkConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus, train_vocabulary
from embeddings.runtime import Machine
from embeddings.shelf import list_models
from embeddings.static.settings import Word2VecConfig
from embeddings.text.tokenizer import Tokenizer
from embeddings.text.wordpiece_training import WordPieceConfig
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.warm_start import token_vectors
from embeddings.training.recipes import train_network
from embeddings.training.settings import NetworkConfigs
from embeddings.training.tasks import Limits


@verb("wordpiece", "train")
def train(
    sources: list[Path], *, config: WordPieceConfig, output: Path, encoding: str = ""
) -> None:
    """Train one vocabulary on the same amount of text from each language (the prefix of a file's name: ru_news.txt)."""
    with as_utf8(sources, encoding) as texts:
        vocabulary, languages = train_vocabulary(texts, config)
    vocabulary.save(output)
    emit({"output": str(output), "vocab_size": len(vocabulary), "languages": languages})
    if len(vocabulary) > config.vocab_size:
        note(f"More than vocab_size={config.vocab_size}: the letters of the text need as many.")


@verb("wordpiece", "vectors")
def vectors(prepared: Path, *, config: Word2VecConfig, output: Path) -> None:
    """Train Word2Vec over WordPiece tokens, for `klyuch bert pretrain --warm-start`."""
    from embeddings.vectors.formats import write
    from embeddings.vectors.formats.native_folder import check_native_target

    check_native_target(output)
    words = Tokenizer.load(prepared).words
    with progress_bar() as report:
        trained = token_vectors(PreparedCorpus.open(prepared), words, config, report)
    write(trained, output, format="native")
    emit({"output": str(output), "words": len(trained), "vector_size": trained.vector_size})


@verb("wordpiece", "show")
def show(text: str, *, tokenizer: Path) -> None:
    """Show the tokens of a sentence, their ids and the characters that they cover."""
    encoded = Tokenizer.load(tokenizer).encode(text)
    rows = zip(encoded.tokens, encoded.ids, encoded.offsets, strict=True)
    emit([{"token": token, "id": number, "offsets": offsets} for token, number, offsets in rows])


_OWN = ("model_type", "vocab_size", "pad_token_id")  # the vocabulary decides these


@verb("bert", "prepare")
def prepare(
    sources: list[Path], *, tokenizer: str, output: Path, spelling: str = "", encoding: str = ""
) -> None:
    """Write a corpus as WordPiece ids with the bounds of sentences and documents."""
    folder = Path(tokenizer)
    if not folder.exists() and tokenizer in {entry.name for entry in list_models()}:
        folder = network_entry(tokenizer).path
    with progress_bar() as report, as_utf8(sources, encoding) as texts:
        corpus = prepare_corpus(texts, Tokenizer.load(folder), output, report, spelling)
    emit({"output": str(output), "tokens": len(corpus.ids), "sources": corpus.sources})


def pretrain_command(noun: str, kind: type[NetworkConfig]) -> None:
    """Make the verb ``pretrain`` of a kind of network, with one flag for each setting of network and training."""
    hidden = () if kind.__name__ == "AlbertConfig" else ("embedding_size", "share_layers")
    names = [f.name for f in fields(kind) if f.name not in (*_OWN, *hidden)]
    older = [f"{old} is {new}" for old, new in ALIASES.items() if new in _presets(kind)]
    presets = ", ".join([*_presets(kind), *older])

    @verb(noun, "pretrain", config=optional_flags(kind, names))
    def pretrain(
        prepared: Path,
        *,
        config: Any,
        training: PretrainingConfig,
        machine: Machine,
        run: Path,
        preset: str = typer.Option("", help=f"Sizes to start from: {presets}."),
        warm_start: Path | None = None,
        init_checkpoint: str = "",
        minutes: float = 0.0,
        checkpoint_minutes: float = 10.0,
        tensorboard: bool = True,
    ) -> None:
        """Pretrain on masked tokens and sentence pairs.

        An existing run is resumed.
        """
        chosen = {name: getattr(config, name) for name in names}
        initial = _initial(init_checkpoint, preset, warm_start, chosen)
        is_first = os.environ.get("RANK", "0") == "0"
        with progress_bar(quiet=not is_first) as report:
            result = train_network(
                prepared,
                kind().model_type,
                NetworkConfigs(choose_network(kind, preset, chosen), training),
                run,
                initial=initial,
                limits=Limits(minutes, checkpoint_minutes, report),
                machine=machine,
                warm=warm_start,
                tensorboard=tensorboard,
                command=command_line(),
            )
        if is_first:
            emit(run_summary(result))


def choose_network(kind: type[NetworkConfig], preset: str, chosen: dict[str, Any]) -> NetworkConfig:
    """Return the settings: the kind's own, or the preset's, under what was given."""
    settings = {name: value for name, value in chosen.items() if value is not None}
    if preset:
        check_choice("preset", ALIASES.get(preset, preset), _presets(kind))
        return replace(find_preset(preset), **settings)
    return kind(**settings)


def _presets(kind: type[NetworkConfig]) -> tuple[str, ...]:
    """Names of the presets that the command of a kind trains: ALBERT's own, all others with BERT."""
    albert = kind().model_type == "albert"
    return tuple(name for name, p in PRESETS.items() if (p.model_type == "albert") == albert)


def _initial(
    checkpoint: str, preset: str, warm: Path | None, chosen: dict[str, Any]
) -> Path | None:
    """Return the folder to start from, or None; what would ask for other sizes or weights is refused."""
    if not checkpoint:
        return None
    sizes = [name for name, value in chosen.items() if value is not None]
    others = ["preset"] * bool(preset) + ["warm_start"] * (warm is not None) + sizes
    if others:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in others)
        raise InputError("initial_settings", names=names)
    return network_entry(checkpoint).path


pretrain_command("bert", BertConfig)

pretrain_command("albert", AlbertConfig)

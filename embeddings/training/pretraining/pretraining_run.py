"""A whole pretraining, from a prepared corpus to a model's folder: the last step of `embeddings.training.recipes.train_network`.

On request also an animation of the token vectors, and TensorBoard's curves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.configuration import check_range, to_json
from embeddings.errors import Clause, InputError, clause
from embeddings.files import (
    CONFIG,
    WEIGHTS,
    atomic_folder,
    check_file,
    check_replaceable,
    read_json,
    sha256,
)
from embeddings.model_card import CARD, write_card
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.huggingface_folder import LENS, load_weights, open_network, save_network
from embeddings.networks.huggingface_settings import from_their_config
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.run_folder import Snapshots, taken
from embeddings.runtime import Machine, choose_runtime
from embeddings.text.tokenizer import FILES as TOKENIZER_FILES
from embeddings.text.tokenizer import WORD_START, Tokenizer, has_vocabulary
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.distributed import team
from embeddings.training.loop import Loop, Watcher
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import Pretraining
from embeddings.training.pretraining.warm_start import start_from_vectors
from embeddings.training.tasks import Limits, Trained, run_card
from embeddings.vectors.table import Vectors

TRAIN_VECTORS = clause("train_wordpiece_vectors")


def pretrain(  # noqa: PLR0913 - what a run consists of
    prepared: Path,
    run: Path,
    network_config: NetworkConfig,
    config: PretrainingConfig,
    limits: Limits,
    *,
    machine: Machine | None = None,
    warm: Path | None = None,
    initial: Path | None = None,
    tensorboard: bool = False,
    film: int = 0,
    command: str = "",
) -> Trained:
    """Pretrain a network, or resume what ``run`` holds.

    Parameters
    ----------
    prepared : Path
        Folder that `embeddings.pretraining.prepared_corpus.prepare_corpus` wrote.
    machine : Machine, optional
        Device and number format; by default what is there.
    warm : Path, optional
        Vectors over the same WordPiece tokens, for the token embedding matrix.
    initial : Path, optional
        Folder of a model over the same vocabulary, or of a run's checkpoint, to resume from; ``network_config`` is then the one
        that `initial_config` reads there, and heads that it lacks begin fresh.
    tensorboard : bool
        Write TensorBoard's curves too, if it is installed.
    film : int
        So many tokens that are words have their vectors kept through the run.

    Raises
    ------
    InputError
        If the settings do not fit together.
    CheckpointError
        If they are not those that ``run`` was begun with.
    FormatError
        If ``run / "model"`` holds more than a model, which writing would delete.
    """
    machine = machine or Machine()
    check_network_target(run / "model")
    # BERT tells true neighbours from false ones, ALBERT their order
    usual = "sop" if network_config.model_type == "albert" else "nsp"
    config = replace(config, objective=config.objective or usual)
    on_gpu = choose_runtime(machine).device.type == "cuda"
    with team(on_gpu) as fellows:
        if fellows.size > 1 and config.freeze_steps:
            raise InputError("freeze_team", processes=fellows.size)
        runtime = choose_runtime(machine, fellows.local_rank)
        corpus = PreparedCorpus.open(prepared)
        vocabulary = Tokenizer.load(prepared)
        network_config = replace(network_config, vocab_size=corpus.vocab_size)
        check_range("type_vocab_size", network_config.type_vocab_size, 2, 1_000)  # two segments
        if config.max_tokens > network_config.max_position_embeddings:
            bound = network_config.max_position_embeddings
            raise InputError("network_too_long", tokens=config.max_tokens, bound=bound)
        settings = _settings(prepared, network_config, config, warm, initial, fellows.size)
        network = _begin(network_config, config, vocabulary, warm, initial).to(runtime.device)
        folder = TrainingFolder(run, settings)
        if machine.compile:
            network.encoder.compile(dynamic=False)
        special = SpecialIds.of(vocabulary)
        task = Pretraining(corpus, config, special, runtime.device, fellows)
        watchers = tensorboard_watchers(run) if tensorboard and fellows.leads else []
        if film and fellows.leads:
            watchers.append(film_watcher(network, vocabulary, corpus.ids, run, config, film))
        finished = Loop(network, task, folder, runtime, limits, fellows, watchers).train()
        if fellows.leads:
            card = run_card(
                "network",
                network_config.model_type,
                settings,
                finished,
                language="+".join(sorted({source.language for source in corpus.sources})),
                corpus={"name": [s.name for s in corpus.sources], "tokens": len(corpus.ids)},
                command=command,
                tokens_seen=task.tokens,
            )
            export_network(network, vocabulary, run / "model", card)
        fellows.wait()  # whoever reads the model next finds it
    parameters = sum(p.numel() for p in network.parameters())
    return Trained(run / "model", finished, task.tokens, parameters)


def initial_config(folder: Path, model_type: str) -> NetworkConfig:
    """Return the settings of a model's folder to resume from.

    Raises
    ------
    InputError
        If the model is not of ``model_type``.
    """
    config = from_their_config(read_json(folder / CONFIG), folder / CONFIG)
    if config.model_type != model_type:
        raise InputError("initial_kind", path=folder, found=config.model_type, expected=model_type)
    return config


def check_network_target(folder: Path) -> None:
    """Raise `FormatError` if ``folder`` holds more than a network's model, which writing one would delete."""
    check_replaceable(folder, WEIGHTS, (CARD, CONFIG, WEIGHTS, LENS, *TOKENIZER_FILES))


def export_network(
    network: PretrainingNetwork,
    vocabulary: Tokenizer,
    folder: Path,
    card: Mapping[str, object],
) -> None:
    """Write a model's folder with its vocabulary and card, float16."""
    check_network_target(folder)
    with atomic_folder(folder) as temporary:
        save_network(network, temporary, torch.float16)
        vocabulary.save(temporary, network.config.max_position_embeddings)
        write_card(temporary, card)


def _begin(
    network_config: NetworkConfig,
    config: PretrainingConfig,
    vocabulary: Tokenizer,
    warm: Path | None,
    initial: Path | None,
) -> PretrainingNetwork:
    """Return a network with fresh weights, with vectors in its token embedding matrix, or with those of another model."""
    network = new_network(network_config, config.seed)
    if initial is not None:
        if has_vocabulary(initial) and Tokenizer.load(initial).words != vocabulary.words:
            raise InputError("initial_vocabulary", path=initial)
        load_weights(network, network.state_dict() | open_network(initial).state_dict(), initial)
    if warm is not None:
        start_from_vectors(network, Vectors.load(warm), vocabulary.words, config.warm_scale)
    return network


def _settings(
    prepared: Path,
    network: NetworkConfig,
    config: PretrainingConfig,
    warm: Path | None,
    initial: Path | None,
    processes: int,
) -> dict[str, object]:
    """What decides the weights: two runs with equal settings end alike."""
    about = read_json(prepared / "prepared.json")
    return {
        "network": to_json(network),
        "training": to_json(config),
        "corpus": {
            key: about[key] for key in ("tokenizer_sha256", "files", "spelling") if key in about
        },
        "warm_start": warm and _sum(warm / "vectors.safetensors", TRAIN_VECTORS),
        "initial": initial and _sum(initial / WEIGHTS, clause("get_model_again")),
        "processes": processes,
    }


def _sum(path: Path, way_out: Clause) -> str:
    """sha256 of a file to begin with."""
    check_file(path, way_out)
    return sha256(path)


def film_watcher(
    network: PretrainingNetwork,
    vocabulary: Tokenizer,
    ids: NDArray[np.integer],
    run: Path,
    config: PretrainingConfig,
    size: int,
) -> Watcher:
    """Return what keeps the token vectors of the corpus's commonest words as the run goes, at lines of progress.jsonl."""
    lines = config.steps // config.log_every
    counts = np.bincount(ids, minlength=len(vocabulary))
    order, words = np.argsort(-counts, kind="stable"), vocabulary.words
    order = order[counts[order] > 0]  # a large vocabulary has words that this text has not
    head = WORD_START if any(word.startswith(WORD_START) for word in words) else ""

    def is_word(token: str) -> bool:
        """Whether a token is a word of its own and not a part of one, a sign or a letter."""
        word = token.removeprefix(head)
        return token.startswith(head) and len(word) > 1 and word.isalpha()

    snapshots = Snapshots(run, [words[row] for row in order], lines, size, (), is_word)

    def rows(wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        table = network.encoder.inputs.tokens.weight.detach()
        return table[torch.from_numpy(order[wanted]).to(table.device)].float().cpu().numpy()

    def watch(line: dict[str, object]) -> None:
        done, rest = divmod(int(str(line["step"])), config.log_every)
        if not rest and "learning_rate" in line:
            snapshots.take(done, rows)

    if not taken(run):
        snapshots.take(0, rows)
    return watch


def tensorboard_watchers(run: Path) -> list[Watcher]:
    """Return what makes points of TensorBoard's curves next to progress.jsonl; none if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return []
    writer = SummaryWriter(str(run / "tensorboard"))

    def watch(line: dict[str, object]) -> None:
        for name, value in line.items():
            if isinstance(value, float):
                writer.add_scalar(name, value, line["step"])
        writer.flush()

    return [watch]

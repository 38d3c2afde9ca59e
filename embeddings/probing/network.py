"""A network with its tokenizer, ready to be asked: text in, numpy out.

Everything in `embeddings.probing` takes a `Network`; none of it changes the network. `in_batches` reads many texts: batches
of similar length, one core a batch, as many batches at a time as there are cores. The rest says which tokens of the
vocabulary are whole words, which can occur in a text, and what the mask is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from embeddings.arrays import Bools
from embeddings.errors import CheckpointError, InputError
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import NetworkConfig
from embeddings.networks.classifier import batch_of
from embeddings.networks.huggingface_folder import open_any_network
from embeddings.results import Report, Value, progress_of
from embeddings.runtime import has_bfloat16, one_thread
from embeddings.text.tokenizer import WORD_START, Tokenizer, Tokens
from embeddings.verbs import NetworkVerbs


class Network(NetworkVerbs, Value, eq=False):
    """A network (evaluation mode, float32) and its tokenizer; questions are methods (`NetworkVerbs`); hashed by identity.

    ``longest``: how many tokens the network takes, special ones included. ``form``: the number format in which states of words are
    computed (`with_fast_products`). ``folder``: the one that it was read from, None for one that was built in memory.
    """

    name: str
    network: PretrainingNetwork
    wordpiece: Tokenizer
    form: str = "float32"
    folder: Path | None = None

    @property
    def config(self) -> NetworkConfig:
        """Sizes of the network."""
        return self.network.config

    @property
    def longest(self) -> int:
        """Tokens that the network takes at once, special ones included."""
        return self.config.max_position_embeddings

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.network.parameters()).device

    @property
    def is_large(self) -> bool:
        """Whether it takes seconds to read a page of contexts: as many products a token as `LARGE`."""
        return products_a_token(self.config) >= LARGE


LARGE = 30_000_000  # products that the layers take for a token: four million in ours, 85 million in a BERT-base


def products_a_token(config: NetworkConfig) -> int:
    """Return how many multiplications all layers take for one token, attention weights apart."""
    size = config.hidden_size
    return config.num_hidden_layers * (4 * size * size + 2 * size * config.intermediate_size)


def with_fast_products(reader: Network) -> Network:
    """Return a large network on a CPU so that it computes states of words in bf16, where the processor has it.

    The smallest cosine between states in the two formats at base size is in docs/results/speed.md.
    """
    is_slow = reader.is_large and reader.device.type == "cpu"
    return replace(reader, form="bfloat16") if is_slow and has_bfloat16(reader.device) else reader


def open_reader(folder: Path, name: str = "") -> Network:
    """Open the folder of a BERT, a relative of it or a ModernBERT, ours or Hugging Face's.

    Raises
    ------
    MissingFileError, CheckpointError
        If a file is missing, changed since its card was written, or does not fit the others.
    InputError
        If the network needs more memory than is free.
    """
    network, wordpiece = open_any_network(folder), Tokenizer.load(folder)
    if len(wordpiece) > network.config.vocab_size:
        raise CheckpointError(
            "reader_vocabulary",
            path=folder,
            tokens=len(wordpiece),
            rows=network.config.vocab_size,
        )
    if (found := wordpiece.highest_type) >= network.config.type_vocab_size:
        raise CheckpointError(
            "reader_types", path=folder, found=found, rows=network.config.type_vocab_size
        )
    return Network(name or folder.name, network, wordpiece, folder=folder)


def pad(
    reader: Network, batch: Sequence[Tokens]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, segments and who is real, each of shape (sentences, longest of them).

    Segments are 0 where the tokenizer tells the network no sentence apart.
    """
    ids, real = batch_of([t.ids for t in batch], reader.wordpiece.pad_id, reader.device)
    segments = torch.zeros_like(ids)
    if reader.wordpiece.tells_sentences:
        segments, _ = batch_of([t.segments for t in batch], 0, reader.device)
    return ids, segments, real


def all_real(states: torch.Tensor) -> torch.Tensor:
    """Return the mask of states without padding, bool (rows, tokens), on their device."""
    return torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)


def check_fits(reader: Network, tokens: Tokens) -> Tokens:
    """Return a text's tokens; more of them than the network takes are an `InputError`."""
    if len(tokens.ids) > reader.longest:
        raise InputError("network_too_long", tokens=len(tokens.ids), bound=reader.longest)
    return tokens


R = TypeVar("R")


TEXTS_AT_A_TIME = 64


def in_batches(
    reader: Network,
    lengths: Sequence[int],
    batch: int,
    ask: Callable[[list[int]], R],
    report: Report | None = None,
) -> Iterator[tuple[list[int], R]]:
    """Yield (numbers of texts, what ``ask`` says of them) for all texts, in the order in which batches end.

    Texts of like length share a batch, so that little is padded. On a CPU each batch has one core.
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    parts = [order[start : start + batch] for start in range(0, len(order), batch)]
    workers = min(len(parts), torch.get_num_threads()) if reader.device.type == "cpu" else 1
    advance, done = progress_of(report, "contexts", len(order)), 0
    with one_thread(), ThreadPoolExecutor(max(1, workers)) as pool:
        running = {pool.submit(ask, rows): rows for rows in parts}
        for ended in as_completed(running):
            rows = running.pop(ended)
            yield rows, ended.result()
            done += len(rows)
            advance(done)


@lru_cache(maxsize=4)
def token_names(reader: Network) -> tuple[str, ...]:
    """All tokens in the order of their ids."""
    return reader.wordpiece.words


def token_id(reader: Network, token: str) -> int:
    """Return the id of a token by its name.

    Raises
    ------
    InputError
        If there is no such token.
    """
    if token not in (names := token_names(reader)):
        raise InputError("removal_word", word=token)
    return names.index(token)


@lru_cache(maxsize=4)
def whole_words(reader: Network, *, unspaced: bool = False) -> Bools:
    """Which rows of the network's output are whole words of letters, shape (vocab_size,).

    Tails (##), signs, digits, special tokens and rows without a token are not. In a vocabulary that marks beginnings (▁)
    only marked ones are; ``unspaced``: only those without, which stand where no space is before.
    """
    names = token_names(reader)
    headed = any(name.startswith(WORD_START) for name in names)
    is_word = np.zeros(reader.config.vocab_size, bool)
    for row, name in enumerate(names):
        word = name.removeprefix(WORD_START)
        is_word[row] = word.isalpha() and (not headed or (name == word) == unspaced)
    return is_word


@lru_cache(maxsize=4)
def candidates(reader: Network) -> Bools:
    """Which rows of the network's output can occur in a text, shape (vocab_size,): all tokens but the special ones."""
    piece = reader.wordpiece
    is_candidate = np.arange(reader.config.vocab_size) < len(token_names(reader))
    is_candidate[[piece.pad_id, piece.unk_id, piece.cls_id, piece.sep_id, piece.mask_id]] = False
    for row, token in piece.tokenizer.get_added_tokens_decoder().items():
        is_candidate[row] &= not token.special
    return is_candidate


def unknown_parts(reader: Network, tokens: Tokens, texts: tuple[str, str]) -> tuple[str, ...]:
    """Return what [UNK] stands for in a text and its second sentence, each once."""
    located = zip(tokens.ids, tokens.offsets, tokens.segments, strict=True)
    unknown = [texts[s][a:b] for i, (a, b), s in located if i == reader.wordpiece.unk_id]
    return tuple(dict.fromkeys(unknown))


def mask_name(reader: Network) -> str:
    """Return what the tokenizer calls its mask: [MASK], elsewhere <mask>."""
    return str(reader.wordpiece.tokenizer.id_to_token(reader.wordpiece.mask_id))

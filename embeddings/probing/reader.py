"""A network with its tokenizer, ready to be asked: text in, numpy out.

Everything in this room takes a `Reader`; none of it changes the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from embeddings.errors import CheckpointError
from embeddings.models.config import NetworkConfig
from embeddings.models.folders import open_network
from embeddings.models.heads import PretrainingNetwork
from embeddings.text.wordpiece import Tokens, WordPiece


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A network (evaluation mode, float32) and its tokenizer; hashed by identity.

    ``longest``: how many tokens the network takes, special ones included.
    """

    name: str
    network: PretrainingNetwork
    wordpiece: WordPiece

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


def open_reader(folder: Path, name: str = "") -> Reader:
    """Open the folder of a BERT or ALBERT, ours or Hugging Face's.

    Raises
    ------
    MissingFileError, CheckpointError
        If a file is missing, changed since its card was written, or does not fit the others.
    """
    network, wordpiece = open_network(folder), WordPiece.load(folder)
    if len(wordpiece) > network.config.vocab_size:
        raise CheckpointError(
            "reader_vocabulary",
            path=folder,
            tokens=len(wordpiece),
            rows=network.config.vocab_size,
        )
    return Reader(name or folder.name, network, wordpiece)


def pad(reader: Reader, batch: Sequence[Tokens]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, segments and who is real, each of shape (sentences, longest of them).

    Segments are 0 where the tokenizer tells the network no sentence apart.
    """
    size = max(len(tokens.ids) for tokens in batch)
    ids = torch.full((len(batch), size), reader.wordpiece.pad_id)
    segments = torch.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens.ids)] = torch.tensor(tokens.ids)
        if reader.wordpiece.tells_sentences:
            segments[row, : len(tokens.ids)] = torch.tensor(tokens.segments)
    real = torch.arange(size)[None, :] < torch.tensor([len(t.ids) for t in batch])[:, None]
    return ids.to(reader.device), segments.to(reader.device), real.to(reader.device)

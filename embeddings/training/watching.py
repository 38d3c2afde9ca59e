"""What looks on while a network is pretrained: a film of its token vectors, TensorBoard's curves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from embeddings.models.heads import PretrainingNetwork
from embeddings.static.snapshots import Snapshots, taken
from embeddings.text.byte_names import HEAD
from embeddings.text.wordpiece import WordPiece
from embeddings.training.pretraining import PretrainingConfig
from embeddings.training.tasks import Limits

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


def with_film(  # noqa: PLR0913
    limits: Limits,
    network: PretrainingNetwork,
    vocabulary: WordPiece,
    ids: NDArray[np.integer],
    run: Path,
    config: PretrainingConfig,
    size: int,
) -> Limits:
    """Let the token vectors of the corpus's commonest words be kept as the run goes, at lines of progress.jsonl."""
    lines = config.steps // config.log_every
    counts = np.bincount(ids, minlength=len(vocabulary))
    order, words = np.argsort(-counts, kind="stable"), vocabulary.words
    order = order[counts[order] > 0]  # a large vocabulary has words that this text has not
    head = HEAD if any(word.startswith(HEAD) for word in words) else ""

    def is_word(token: str) -> bool:
        """Whether a token is a word of its own and not a part of one, a sign or a letter."""
        word = token.removeprefix(head)
        return token.startswith(head) and len(word) > 1 and word.isalpha()

    snapshots = Snapshots(run, [words[row] for row in order], lines, size, (), is_word)
    before = limits.watch

    def rows(wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        table = network.encoder.inputs.tokens.weight.detach()
        return table[torch.from_numpy(order[wanted]).to(table.device)].float().cpu().numpy()

    def watch(line: dict[str, object]) -> None:
        done, rest = divmod(int(str(line["step"])), config.log_every)
        if not rest and "learning_rate" in line:
            snapshots.take(done, rows)
        if before:
            before(line)

    if not taken(run):
        snapshots.take(0, rows)
    return replace(limits, watch=watch)


def tensorboard(run: Path) -> SummaryWriter | None:
    """Open a writer beside progress.jsonl, if TensorBoard is installed."""
    with suppress(ImportError):
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(run / "tensorboard"))
    return None


def with_tensorboard(limits: Limits, writer: SummaryWriter | None) -> Limits:
    """Let every line of progress.jsonl also become points of TensorBoard's curves."""
    if writer is None:
        return limits
    before = limits.watch

    def watch(line: dict[str, object]) -> None:
        for name, value in line.items():
            if isinstance(value, float):
                writer.add_scalar(name, value, line["step"])
        if before:
            before(line)

    return replace(limits, watch=watch)

"""Sentence pairs made ready: cut into subwords, and for a fused network into BERT's tokens, the two side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from embeddings.errors import InputError
from embeddings.files import sha256
from embeddings.models.folders import WEIGHTS, open_network
from embeddings.models.heads import PretrainingNetwork
from embeddings.results import Progress
from embeddings.text.parallel import SentencePairs
from embeddings.text.subwords import Subwords
from embeddings.text.wordpiece import WordPiece
from embeddings.training.bert_states import bert_states
from embeddings.training.translation_batches import PairIds


@dataclass(frozen=True, slots=True)
class SourceBert:
    """The BERT that reads the sources: its folder, network and tokenizer, and the sha256 of the weights that were read."""

    folder: Path
    network: PretrainingNetwork
    wordpiece: WordPiece
    sha256: str

    @classmethod
    def open(cls, folder: Path) -> SourceBert:
        """Open a folder of ours or of Hugging Face's."""
        network = open_network(folder)
        return cls(folder, network, WordPiece.load(folder), sha256(folder / WEIGHTS))


@dataclass(frozen=True, slots=True)
class ReadyPairs:
    """Pairs in ids.

    ``texts`` are the pairs that were kept, in the order of ``ids``; ``bert_ids`` the same sources in BERT's
    tokens; ``left_out`` counts pairs longer than a network takes.
    """

    ids: PairIds
    texts: SentencePairs
    bert_ids: tuple[tuple[int, ...], ...]
    left_out: int


def prepare_pairs(
    pairs: SentencePairs, vocabulary: Subwords, longest: int, bert: SourceBert | None = None
) -> ReadyPairs:
    """Cut pairs into ids; those that are too long are left out and counted.

    Parameters
    ----------
    longest : int
        Tokens that the network takes, the end sign included.

    Raises
    ------
    InputError
        If no pair is short enough.
    """
    source, target = vocabulary.ids(pairs.source), vocabulary.ids(pairs.target)
    fits = [max(len(a), len(b)) < longest for a, b in zip(source, target, strict=True)]
    seen: list[tuple[int, ...]] = []
    if bert is not None:
        seen = [bert.wordpiece.encode(" ".join(text.split())).ids for text in pairs.source]
        bound = bert.network.config.max_position_embeddings
        fits = [fit and len(ids) <= bound for fit, ids in zip(fits, seen, strict=True)]
    kept = [i for i, fit in enumerate(fits) if fit]
    if not kept:
        raise InputError("pairs_long", pairs=len(pairs), longest=longest)
    texts = SentencePairs(
        tuple(pairs.source[i] for i in kept), tuple(pairs.target[i] for i in kept), pairs.empty
    )
    ids = PairIds([source[i] for i in kept], [target[i] for i in kept])
    return ReadyPairs(
        ids, texts, tuple(seen[i] for i in kept) if bert else (), len(pairs) - len(kept)
    )


def with_states(
    ready: ReadyPairs,
    bert: SourceBert,
    folder: Path,
    about: str,
    report: Callable[[Progress], None] | None = None,
) -> ReadyPairs:
    """Add BERT's states of every source, computed once into ``folder``; ``about``: checksum of the sources."""
    key = {"bert": bert.sha256, "source": about}
    states = bert_states(bert.network, ready.bert_ids, folder, key, report)
    return replace(ready, ids=replace(ready.ids, states=states))

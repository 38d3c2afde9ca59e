"""Lines translated, whole or sentence by sentence, by an encoder-decoder with its vocabulary; each token with its alignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from embeddings.errors import CheckpointError, InputError, wrong_shape
from embeddings.networks.decoding import DecodingConfig, Hypothesis, decoding, search, to_batch
from embeddings.networks.encoder_decoder import (
    END,
    Encoded,
    TranslationNetwork,
    bert_memory,
    open_translation,
)
from embeddings.probing.network import Network, pad
from embeddings.probing.network_answers import TranslatedToken, Translation
from embeddings.results import Report, Value, progress_of
from embeddings.text.subwords import SPECIAL, Pieces, SubwordVocabulary
from embeddings.text.word_positions import sentences
from embeddings.verbs import TranslatorVerbs

BATCH = 64  # sentences at a time


class Translator(TranslatorVerbs, Value, eq=False):
    """A translation network (evaluation mode, float32), its vocabulary, and the BERT that is fused in; hashed by identity.

    Questions are methods (`TranslatorVerbs`).
    """

    name: str
    network: TranslationNetwork
    vocabulary: SubwordVocabulary
    bert: Network | None = None

    @property
    def longest(self) -> int:
        """Subwords that a source may have."""
        return self.network.config.max_position_embeddings - 1

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.network.parameters()).device

    def tokens(self, text: str) -> int:
        """How many subwords a text has."""
        return len(self.vocabulary.encode(text).ids)

    def fits(self, text: str) -> bool:
        """Whether the network, and BERT, can read a text whole."""
        if self.tokens(text) > self.longest:
            return False
        return self.bert is None or len(self.bert.wordpiece.encode(text).ids) <= self.bert.longest


def open_translator(folder: Path, bert: Network | None = None, name: str = "") -> Translator:
    """Open a translation model's folder.

    Parameters
    ----------
    bert : Network, optional
        The BERT that the card of a fused model names (`embeddings.networks.encoder_decoder.find_bert`).

    Raises
    ------
    InputError
        If the model is fused and no BERT is given.
    MissingFileError, CheckpointError
        If a file is missing, damaged, or does not fit the others.
    """
    network, vocabulary = open_translation(folder), SubwordVocabulary.load(folder)
    if len(vocabulary) != network.config.vocab_size:
        raise CheckpointError(
            "reader_vocabulary",
            path=folder,
            tokens=len(vocabulary),
            rows=network.config.vocab_size,
        )
    size = network.config.bert_size
    if size and bert is None:
        raise InputError("translation_needs_bert")
    if size and bert is not None and bert.config.hidden_size != size:
        raise wrong_shape(bert.name, "hidden_size", bert.config.hidden_size, size)
    return Translator(name or folder.name, network, vocabulary, bert if size else None)


def translate(
    translator: Translator,
    lines: Sequence[str],
    config: DecodingConfig | int | None = None,
    *,
    align: bool = False,
    report: Report | None = None,
) -> tuple[Translation, ...]:
    """Translate lines; an empty line stays empty, one that is too long is translated sentence by sentence.

    Parameters
    ----------
    align : bool
        Give for each token its probability and the source token that it looked at most.

    Raises
    ------
    InputError
        If a single sentence is longer than the network (or BERT) takes; the line is named.
    """
    config = decoding(config)
    parts = [cut(translator, line, number) for number, line in enumerate(lines, 1)]
    flat = [part for line in parts for part in line]
    translations = _translate_parts(translator, flat, config, align, report)
    whole: list[Translation] = []
    for line, pieces in zip(lines, parts, strict=True):
        own_parts, translations = translations[: len(pieces)], translations[len(pieces) :]
        whole.append(_joined(" ".join(line.split()), own_parts))
    return tuple(whole)


def cut(translator: Translator, line: str, number: int = 1) -> tuple[str, ...]:
    """Return a line as one part, or, if it is too long, as its sentences; () for an empty one.

    Raises
    ------
    InputError
        If a sentence is too long by itself.
    """
    line = " ".join(line.split())
    if not line:
        return ()
    if translator.fits(line):
        return (line,)
    return tuple(check_text_fits(translator, part, number) for part in sentences(line))


def check_text_fits(translator: Translator, text: str, line: int = 1) -> str:
    """Return a text that the network, and BERT, can read whole; another is an `InputError`."""
    if not translator.fits(text):
        size = {"tokens": translator.tokens(text), "bound": translator.longest}
        raise InputError("translation_long", line=line, **size)
    return text


def encode(
    translator: Translator, texts: Sequence[str], need_weights: bool = False
) -> tuple[list[Pieces], Encoded]:
    """Read a batch of texts: their subwords, and the encoder's states (with BERT's next to them)."""
    pieces = [translator.vocabulary.encode(text) for text in texts]
    memory = None
    if translator.bert is not None:
        bert_tokens = [translator.bert.wordpiece.encode(piece.text) for piece in pieces]
        ids, _, real = pad(translator.bert, bert_tokens)
        memory = bert_memory(translator.bert.network, ids, real)
    batch = to_batch([list(piece.ids) for piece in pieces], translator.device)
    with torch.inference_mode():
        return pieces, translator.network.encode(batch, memory, need_weights)


def _translate_parts(
    translator: Translator,
    texts: Sequence[str],
    config: DecodingConfig,
    align: bool,
    report: Report | None,
) -> list[Translation]:
    """Translate texts that fit; those of like lengths share a batch."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    translations: dict[int, Translation] = {}
    advance = progress_of(report, "translate", len(texts))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        pieces, encoded = encode(translator, [texts[i] for i in rows])
        searches = search(translator.network, encoded, config)
        for row, piece, done in zip(rows, pieces, searches, strict=True):
            translations[row] = _translation(translator, piece, done.best, align)
        advance(len(translations))
    return [translations[i] for i in range(len(texts))]


def _translation(
    translator: Translator, piece: Pieces, best: Hypothesis, align: bool
) -> Translation:
    """Return the result of one part."""
    text = translator.vocabulary.decode(best.ids)
    source_tokens = (*piece.tokens, SPECIAL[END])
    tokens: tuple[TranslatedToken, ...] = ()
    if align:
        from embeddings.probing.translation_steps import attention_of

        attention = attention_of(translator, piece.text, best)
        aligned = zip(
            attention.target_side.labels,
            attention.log_probabilities,
            attention.alignment,
            strict=True,
        )
        tokens = tuple(TranslatedToken(token, float(p), source) for token, p, source in aligned)
    return Translation(
        piece.text, text, source_tokens, tokens, best.score, best.finished, piece.unknown
    )


def _joined(line: str, parts: Sequence[Translation]) -> Translation:
    """Return the parts of a line as one translation; places in the source count through all of it."""
    if len(parts) == 1:
        return parts[0]
    source: list[str] = []
    tokens: list[TranslatedToken] = []
    for part in parts:
        tokens += [
            TranslatedToken(t.token, t.log_probability, t.source + len(source) * (t.source >= 0))
            for t in part.tokens
        ]
        source += part.source_tokens
    return Translation(
        line,
        " ".join(part.target for part in parts),
        tuple(source),
        tuple(tokens),
        sum(part.score for part in parts),
        all(part.finished for part in parts),
        tuple(letter for part in parts for letter in part.unknown),
        len(parts),
    )

"""Networks of the real base shapes with random weights, and texts to ask them about: time and memory are those of real ones.

The vocabulary is a WordPiece learnt from the project's own sentences, filled up to the rows of the real one by words that no text holds.
"""

from __future__ import annotations

import json
from itertools import count, islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import torch

from embeddings.corpora.sense_contexts import Context, read_contexts
from embeddings.shelf import data
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

SHAPES = ("bert", "xlm-roberta")  # 12 layers of 768; 30 522 rows, and 250 002


def write_network(shape: str, folder: Path) -> None:
    """Write a network of one of `SHAPES`, as transformers writes it, with a tokenizer of as many tokens."""
    import transformers

    torch.manual_seed(1)
    config: Any = transformers.BertConfig()
    if shape == "xlm-roberta":
        config = transformers.XLMRobertaConfig(
            vocab_size=250_002, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5
        )
    network = transformers.AutoModelForMaskedLM.from_config(config)
    network.save_pretrained(folder)
    texts = [context.text for language in ("en", "ru", "de") for context in sentences(language)]
    wordpiece = train_wordpiece(texts, WordPieceConfig(vocab_size=5_000))
    wordpiece.save(folder)
    path = folder / "tokenizer.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    vocabulary = value["model"]["vocab"]
    fillers = islice(_fillers(), config.vocab_size - len(vocabulary))
    vocabulary.update({word: row for row, word in enumerate(fillers, len(vocabulary))})
    path.write_text(json.dumps(value), encoding="utf-8")


def _fillers() -> Any:
    """Yield words that stand in no text."""
    for length in count(2):
        for letters in product(ascii_lowercase, repeat=length):
            yield "zqx" + "".join(letters)


def sentences(language: str) -> tuple[Context, ...]:
    """Return the project's own sentences of a language."""
    return read_contexts(data() / "contexts" / f"{language}.tsv")


def long_contexts(language: str, number: int) -> tuple[Context, ...]:
    """Return ``number`` contexts of two sentences each, the word in the first, every text another."""
    own = sentences(language)
    pairs = (
        (first, own[(row + shift) % len(own)])
        for shift in count(1)
        for row, first in enumerate(own)
    )
    return tuple(
        Context("", first.word, first.gold, "", first.positions, f"{first.text} {second.text}")
        for first, second in islice(pairs, number)
    )

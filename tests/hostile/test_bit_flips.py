"""One bit anywhere in what is kept of a model or a training is found when it is read."""

import random

import numpy as np
import pytest

from embeddings.errors import KlyuchError
from embeddings.files import SEAL, check_seal, read_json, sealed, write_json
from embeddings.static.static_checkpoint import StaticCheckpoint
from embeddings.vectors.cooccurrence_table import (
    CooccurrenceTable,
    load_cooccurrence,
    save_cooccurrence,
)
from embeddings.vectors.formats import write_native
from embeddings.vectors.formats.native_folder import read_native
from embeddings.vectors.table import Vectors

SETTINGS = {"epochs": 3, "vector_size": 4}
FLIPS = 60


def flipped(content, generator):
    """The same bytes with one bit turned."""
    changed = bytearray(content)
    changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
    return bytes(changed)


def every_flip_is_told(path, read):
    """Turn a bit `FLIPS` times, each time of the sound file, and read."""
    content, generator = path.read_bytes(), random.Random(1)
    read()
    for _ in range(FLIPS):
        changed = flipped(content, generator)
        if SEAL.encode() in content and SEAL.encode() not in changed:
            continue  # the name of the seal itself: nothing else is changed
        path.write_bytes(changed)
        with pytest.raises(KlyuchError):
            read()
    path.write_bytes(content)
    read()


@pytest.fixture
def glove(tmp_path):
    """A model's folder with its counts."""
    size = 6
    counts = np.random.default_rng(1).integers(0, 9, (size, size)).astype(np.float32)
    words = tuple("abcdef")
    rows = [np.ones((size, 4), np.float32)] * 2
    biases = [np.ones(size, np.float32)] * 2
    table = CooccurrenceTable(words, counts + counts.T, counts.sum(1), *rows, *biases)
    vectors = Vectors(words, rows[0], method="glove")
    write_native(vectors, tmp_path / "m", extra=lambda new: save_cooccurrence(table, new))
    return tmp_path / "m"


def test_a_bit_of_the_counts_is_told(glove):
    every_flip_is_told(glove / "cooccurrence.safetensors", lambda: load_cooccurrence(glove))


def test_a_bit_of_the_card_is_told(glove):
    every_flip_is_told(glove / "card.json", lambda: read_native(glove))


def test_a_bit_of_a_static_checkpoint_is_told(tmp_path):
    run = StaticCheckpoint(tmp_path, "word2vec", SETTINGS)
    tensors = {name: np.arange(8, dtype=np.float32).reshape(2, 4) for name in ("inputs", "outputs")}
    run.save("corpus", [0.5, 0.25], tensors)
    every_flip_is_told(run.checkpoint, lambda: run.load("corpus", "inputs", "outputs"))


def test_a_sealed_object_that_is_written_again_is_sealed_anew(tmp_path):
    path = tmp_path / "card.json"
    write_json(path, sealed({"name": "a", "score": 0.1, "words": ["ключ"]}))
    card = read_json(path)
    check_seal(card, path)
    write_json(path, {**card, "name": "b"})
    check_seal(read_json(path), path)
    with pytest.raises(KlyuchError, match="is damaged: its sha256 is"):
        check_seal({**card, "name": "c"}, path)
    check_seal({"name": "of an earlier version"}, path)

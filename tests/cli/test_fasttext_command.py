"""``klyuch fasttext train``, and what the folder that it writes answers."""

import json

import numpy as np
import pytest

from embeddings.vectors.character_ngrams import ngram_bucket, word_ngrams
from embeddings.vectors.table import Vectors
from tests.static.test_fasttext import endings


def test_text_becomes_a_folder_that_answers_for_an_unknown_word(run, tmp_path):
    text = tmp_path / "a.txt"
    sentences = [*endings(400)]
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences), "utf-16")
    output = tmp_path / "small"
    flags = ["--vector-size", 12, "--epochs", 2, "--workers", 1, "--language", "de", "--json"]
    command = ("fasttext", "train", text, "--encoding", "detect", "--output", output)
    printed = run(*command, *flags).json
    vectors = Vectors.load(output)
    assert {*vectors.words} == {word for sentence in sentences for word in sentence}
    assert (vectors.name, vectors.method, vectors.language) == ("small", "fasttext", "de")
    met = {
        ngram_bucket(ngram, 2_000_000)
        for word in vectors.words
        for ngram in word_ngrams(word.encode(), 3, 6)
    }
    assert vectors.subwords.buckets.tolist() == sorted(met)
    assert printed["ngrams"] == len(met)
    assert printed["words"] == len(vectors)
    assert vectors.subwords.rows.dtype == np.int8  # a byte a number, as the rows of words
    size = sum(file.stat().st_size for file in output.iterdir())
    assert size < 20_000 + (12 + 8) * (len(met) + len(vectors))
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["settings"]["max_n"] == 6
    assert set(card["files"]) >= {"subwords.safetensors", "vectors.safetensors"}
    near = run("words", "neighbours", "turmchen", "--model", output, "--json")
    assert near.json[0]["word"] in vectors
    assert "“turmchen” is not in the vocabulary: its vector is composed of" in near.err
    assert "hen>" in near.err
    assert run("words", "neighbours", vectors.words[0], "--model", output).err == ""
    parts = run("words", "parts", "turmchen", "--model", output, "--json").json
    assert parts["is_composed"] is True
    assert sum(ngram["share"] for ngram in parts["ngrams"]) == pytest.approx(1, abs=1e-5)
    ends = ("words", "similarity", "turmchen", vectors.words[0], "--model", output, "--json")
    said = run(*ends)
    expected = vectors.similarity("turmchen", vectors.words[0])
    assert said.json["similarity"] == pytest.approx(expected)
    assert said.err.count("is not in the vocabulary") == 1
    (output / "subwords.safetensors").unlink()
    damaged = run("words", "neighbours", "turmchen", "--model", output).refusal
    assert "subwords.safetensors does not exist" in damaged

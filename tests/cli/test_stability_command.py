"""``klyuch words stability``: runs of a model's settings on its corpus, kept where Explore finds them."""

import json

import numpy as np
import pytest

from embeddings.files import read_json, write_json
from embeddings.shelf import find, find_spread, open_spread

TRAINING = ("--vector-size", 8, "--window", 2, "--epochs", 1, "--min-count", 1, "--workers", 1)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))


@pytest.fixture
def text(tmp_path):
    generator = np.random.default_rng(5)
    words = [f"w{number}" for number in range(40)]
    documents = [" ".join(generator.choice(words, 12)) for _ in range(60)]
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def corpus(run, text, tmp_path):
    run("corpus", "encode", text, "--output", tmp_path / "ids", "--min-count", 1)
    return tmp_path / "ids"


@pytest.fixture
def model(run, corpus, tmp_path):
    output = tmp_path / "home" / "models" / "mine"
    code, _, error = run("word2vec", "train", corpus, "--output", output, *TRAINING)
    assert code == 0, error
    return "mine"


def test_runs_of_a_model_are_found_by_it_and_by_no_other(run, model, corpus, tmp_path):
    code, out, error = run(
        "words", "stability", corpus, "--like", model, "--runs", 3, "--workers", 3, "--json"
    )
    assert code == 0, error
    answer = json.loads(out)
    assert answer["runs"] == 3
    assert 0 < answer["deviation"] < 1
    assert 0 <= answer["overlap"] <= 1
    assert answer["bytes"] < 200_000
    entry = find(model)
    assert str(find_spread(entry)) == answer["folder"]
    assert open_spread(entry).runs == 3
    card = read_json(find_spread(entry) / "card.json")
    assert card["settings"]["vector_size"] == 8
    assert card["settings"]["workers"] == 3  # threads are the machine's, not the model's
    assert card["spread"]["resample"] == "documents"
    assert card["corpus"]["documents"] == 60
    assert not (tmp_path / "home" / "spreads" / "mine.run").exists()
    older = read_json(entry.path / "card.json")
    del older["settings"]["heldout"]  # a setting that a model of before does not have
    write_json(entry.path / "card.json", older)
    assert find_spread(find(model)) is not None
    other = tmp_path / "home" / "models" / "mine"
    run(
        "word2vec", "train", corpus, "--output", other, *TRAINING[:-2], "--negative", 9, "--restart"
    )
    assert find_spread(find(model)) is None  # the model is another now


def test_one_run_says_that_it_has_no_spread(run, corpus):
    code, out, error = run(
        "words", "stability", corpus, "--output", "once", "--runs", 1, *TRAINING[:6], "--json"
    )
    assert code == 0
    assert json.loads(out)["deviation"] is None
    assert "One run has no spread" in error


def test_another_corpus_and_another_method_are_refused(run, model, text, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text(text.read_text(encoding="utf-8") + "\n\nw1 w2 w3\n", encoding="utf-8")
    run("corpus", "encode", more, "--output", tmp_path / "changed", "--min-count", 1)
    code, _, error = run("words", "stability", tmp_path / "changed", "--like", model)
    assert code == 2
    assert "is not the corpus of mine" in error
    code, _, error = run("words", "stability", tmp_path / "changed", "--like", "en-glove")
    assert code == 2
    assert "glove" in error
    code, _, error = run("words", "stability", tmp_path / "changed")
    assert code == 2
    assert "--output" in error

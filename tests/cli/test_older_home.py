"""A ``KLYUCH_HOME`` that version 0.1.0 wrote at commit 83b174c opens unchanged.

``older_home.zip`` was written by its commands on a made-up text of 120 lines: ``corpus get`` and ``corpus encode``,
``word2vec train`` and ``glove train`` with what resumes them, a job, a concordance, ``bert prepare``, a pretraining of four
steps and one stopped before its first, and a built index of vectors. ``models/small-senses`` is of commit 7823c836, the first
that finds senses: ``senses build`` on the planted text of its tests, where "bank" is in two topics, "a" and "b".
"""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from embeddings.vectors.formats import read

HERE = Path(__file__).parent
PRETRAINING = (
    "--hidden-size 16 --num-hidden-layers 1 --num-attention-heads 2 --intermediate-size 16"
    " --rows 2 --row-length 48 --max-tokens 24 --heldout 0.2 --steps 4 --no-tensorboard"
)


@pytest.fixture
def home(own_home):
    """The folder as it was left, as the user's own."""
    with zipfile.ZipFile(HERE / "older_home.zip") as packed:
        packed.extractall(own_home)
    return own_home


def contents(folder):
    """Checksum of every file."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


def printed(run, *arguments):
    """What a command prints as JSON; it ends well."""
    return run(*arguments, "--json").json


def test_looking_changes_no_file_of_an_older_home(run, home):
    before = contents(home)
    models = {model["name"]: model["kind"] for model in printed(run, "models", "list")}
    static = dict.fromkeys(("small-skipgram", "small-glove", "small-senses"), "static")
    own = static | {"tiny-bert": "network"}
    assert own.items() <= models.items()
    for name in own:
        assert run("models", "verify", name).code == 0
    corpora = {entry["name"]: entry["here"] for entry in printed(run, "corpus", "list")}
    assert corpora["novel"] is True
    (job,) = printed(run, "jobs", "list")
    assert (job["state"], job["passes"]) == ("done", 2)
    assert printed(run, "concordance", "find", "key", "--corpus", "novel", "--language", "en")
    assert contents(home) == before


def test_older_models_answer(run, home):
    for model in ("small-skipgram", "small-glove"):
        assert len(printed(run, "words", "analogy", "king - man + woman", "-m", model)) == 10
        assert len(printed(run, "words", "neighbours", "key", "-m", model)) == 10
    assert printed(run, "fill", "The [MASK] opens the door.", "-m", "tiny-bert")
    senses = printed(run, "senses", "show", "bank", "-m", "small-senses")
    assert {s["name"][0]: round(s["share"], 2) for s in senses} == {"aul": 0.57, "bal": 0.43}


def test_an_older_encoded_corpus_trains(run, home, tmp_path):
    settings = ("--output", tmp_path / "new", "--vector-size", "8", "--epochs", "1")
    assert printed(run, "word2vec", "train", home / "corpora/novel-ids", *settings)


@pytest.mark.parametrize(
    ("noun", "model", "passes"),
    [("word2vec", "small-skipgram", "--epochs"), ("glove", "small-glove", "--iterations")],
)
def test_an_older_training_of_vectors_is_resumed_by_the_same_command(
    run, home, noun, model, passes
):
    folder = home / "models" / model
    before = read(folder)
    text = (home / "corpora/novel-ids", "--output", folder, "--vector-size", "8", "--resume")
    assert printed(run, noun, "train", *text, passes, "2")
    after = read(folder)
    assert after.words == before.words
    np.testing.assert_array_equal(after.matrix, before.matrix)
    if noun == "glove":  # the epochs of Word2Vec decide its learning rate
        costs = printed(run, noun, "train", *text, passes, "3")["costs"]
        assert len(costs) == 3
        assert costs[2] < costs[1] < costs[0]


@pytest.mark.parametrize("run_name", ["stopped", "whole"])
def test_an_older_pretraining_is_resumed_by_the_same_command(run, home, run_name):
    arguments = ("--run", home / "runs" / run_name, *PRETRAINING.split(), "--device", "cpu")
    assert printed(run, "bert", "pretrain", home / "prepared", *arguments)
    lines = (home / "runs" / run_name / "progress.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[-1])["step"] == 4

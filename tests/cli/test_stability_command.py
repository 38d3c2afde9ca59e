"""``klyuch words stability``: runs of a model's settings on its corpus, kept where Explore finds them."""

import re

import numpy as np
import pytest
from scipy.stats import spearmanr

from embeddings.files import read_json, write_json
from embeddings.shelf import find, find_spread, open_spread

TRAINING = ("--vector-size", 8, "--window", 2, "--epochs", 1, "--min-count", 1, "--workers", 1)


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
    assert run("word2vec", "train", corpus, "--output", output, *TRAINING, "--json").json
    return "mine"


def test_runs_of_a_model_are_found_by_it_and_by_no_other(run, model, corpus, tmp_path):
    like = ("words", "stability", corpus, "--like", model)
    answer = run(*like, "--runs", 3, "--workers", 3, "--json").json
    assert answer["runs"] == 3
    assert 0 < answer["deviation"] < 1
    assert 0 <= answer["overlap"] <= 1
    assert answer["reliable_orders"] is None  # of three runs
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
    other = ("--output", entry.path, *TRAINING[:-2], "--negative", 9, "--restart")
    assert run("word2vec", "train", corpus, *other).code == 0
    assert find_spread(find(model)) is None  # the model is another now


def test_of_few_runs_no_order_is_called_reliable_and_why_is_said(run, corpus):
    few = ("words", "stability", corpus, "--output", "few", "--runs", 2, *TRAINING[:6])
    ended = run(*few)
    lines = [line for line in ended.out.splitlines() if "reliable_orders" in line]
    assert re.findall(r"[^\s│]+", *lines) == ["reliable_orders", "–"]
    assert "nan" not in ended.out
    assert "fewer than 10 runs have no reliable orders: take --runs 10." in ended.err


def test_one_run_says_that_it_has_no_spread(run, corpus):
    once = ("--output", "once", "--runs", 1, *TRAINING[:6], "--json")
    ended = run("words", "stability", corpus, *once)
    assert ended.json["deviation"] is None
    assert "One run has no spread" in ended.err


def test_another_corpus_and_another_method_are_refused(run, model, text, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text(text.read_text(encoding="utf-8") + "\n\nw1 w2 w3\n", encoding="utf-8")
    run("corpus", "encode", more, "--output", tmp_path / "changed", "--min-count", 1)
    stability = ("words", "stability", tmp_path / "changed")
    assert "is not the corpus of mine" in run(*stability, "--like", model).refusal
    assert "glove" in run(*stability, "--like", "en-glove").refusal
    assert "--output" in run(*stability).refusal


def test_every_run_is_scored_on_test_sets_and_what_is_asked_of_the_model_says_so(
    run, model, corpus, tmp_path
):
    pairs = [("w1", "w2"), ("w3", "w4"), ("w5", "w6"), ("w7", "w8"), ("w1", "absent")]
    judgements = (4.0, 1.0, 3.0, 2.0, 5.0)
    judged = tmp_path / "judged.txt"
    lines = [f"{a}\t{b}\t{score}\n" for (a, b), score in zip(pairs, judgements, strict=True)]
    judged.write_text("".join(lines), encoding="utf-8")
    asked = tmp_path / "asked.txt"
    asked.write_text(": all\nw1 w2 w3 w4\nw5 w6 w7 w8\n", encoding="utf-8")
    sets = ("--pairs", judged, "--analogies", asked)
    like = ("words", "stability", corpus, "--like", model, "--runs", 3, "--kept", 40)
    answer = run(*like, *sets, "--json").json["scores"]
    spread = open_spread(find(model))
    expected = []
    for number in range(3):  # the vectors of all words are kept, in a byte a number
        table = spread.run(number)
        cosines = [
            float(table.matrix[table.row(a)] @ table.matrix[table.row(b)]) for a, b in pairs[:4]
        ]
        expected.append(spearmanr(cosines, judgements[:4]).statistic)
    assert answer["judged.txt"]["mean"] == pytest.approx(np.mean(expected))
    assert answer["judged.txt"]["deviation"] == pytest.approx(np.std(expected, ddof=1))
    assert answer["asked.txt"]["runs"] == 3
    card = read_json(find_spread(find(model)) / "card.json")
    assert card["scores"]["judged.txt"]["covered"] == 4
    assert card["scores"]["judged.txt"]["total"] == 5
    assert card["scores"]["judged.txt"]["values"] == pytest.approx(expected)
    evaluate = ("words", "evaluate", "--model", model)
    trainings = run(*evaluate, "--pairs", judged, "--json").json["trainings"]
    assert trainings == {"judged.txt": answer["judged.txt"]}
    assert "±" in run(*evaluate, "--pairs", judged).out
    assert "±" in run(*evaluate, "--analogies", asked).out
    narrow = run(*evaluate, "--analogies", asked, "--restrict-vocab", 20)
    assert "±" not in narrow.out  # the trainings were scored among more words
    judged.write_text("".join(lines[:4]), encoding="utf-8")
    assert "±" not in run(*evaluate, "--pairs", judged).out


def test_a_test_set_that_cannot_be_read_is_refused_before_the_trainings(run, corpus, tmp_path):
    broken = tmp_path / "broken.txt"
    broken.write_text("w1 w2\n", encoding="utf-8")
    once = ("words", "stability", corpus, "--output", "once", *TRAINING[:6])
    assert "broken.txt" in run(*once, "--pairs", broken).refusal
    assert not list((tmp_path / "home").rglob("*.npy"))
    broken.write_text("w1 w2 3\n", encoding="utf-8")
    again = tmp_path / "again" / "broken.txt"
    again.parent.mkdir()
    again.write_text("w1 w2 w3 w4\n", encoding="utf-8")
    two = run(*once, "--pairs", broken, "--analogies", again).refusal
    assert "Two test sets are called broken.txt" in two

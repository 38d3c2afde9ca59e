"""``klyuch words why`` and ``contexts``: from a text to the contexts that make two words near, and to its sentences."""

import numpy as np
import pytest

from embeddings.corpora.concordance import build_concordance
from embeddings.files import read_json, sha256
from embeddings.shelf import contexts_entry, find

FILLER = [f"w{number}" for number in range(40)]
TRAINING = ("--vector-size", 8, "--window", 2, "--epochs", 1, "--min-count", 1, "--workers", 1)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Tea and coffee share nothing but the cup."""
    generator = np.random.default_rng(5)
    lines = []
    for number in range(300):
        drink = ("tea", "coffee")[number % 2]
        lines += [f"A cup of {drink}.", " ".join(generator.choice(FILLER, 5)) + "."]
        lines.append(f"{generator.choice(FILLER)} {drink} {generator.choice(FILLER)}.")
    path = tmp_path_factory.mktemp("text") / "drinks.txt"
    path.write_text("\n\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def model(run, text, tmp_path):
    """A model of one's own on the shelf."""
    output = tmp_path / "home" / "models" / "drinks"
    assert run("word2vec", "train", text, "--output", output, *TRAINING, "--json").json
    return output


def test_a_trained_model_says_which_context_makes_two_words_near(run, model):
    answer = run("words", "why", "tea", "coffee", "--model", "drinks", "--json").json
    assert answer["shared"][0]["context"] in ("of", "cup")
    assert {shared["context"] for shared in answer["shared"][:2]} == {"of", "cup"}
    assert answer["shared"][0]["count_first"] == 150
    assert answer["first_order"]["count"] == 0
    added = sum(shared["contribution"] for shared in answer["shared"])
    assert added + answer["others_contribution"] == pytest.approx(answer["ppmi_cosine"], abs=1e-6)
    assert -1 <= answer["cosine"] <= 1
    assert answer["window"] == 2


def test_sentences_show_each_word_near_a_shared_context(run, model, text, tmp_path):
    index = tmp_path / "drinks.sqlite"
    build_concordance([text], index)
    asked = ("words", "why", "tea", "coffee", "--model", "drinks", "--corpus", index)
    answer = run(*asked, "--sentences", 1, "--json").json
    sentences = answer["sentences"]
    assert answer["sentences_from"] == str(index)
    assert [sentence["text"] for sentence in sentences] == ["A cup of tea.", "A cup of coffee."]
    for sentence in sentences:
        shown = [sentence["text"][start:end] for start, end in sentence["spans"]]
        assert shown == [sentence["word"], sentence["context"]]
    _, out, _ = run(*asked, "--sentences", 1)
    assert "A cup of coffee." in out
    assert run(*asked, "--sentences", 0, "--json").json["sentences"] == []


@pytest.mark.parametrize(
    ("model", "pair"),
    [
        ("en-skipgram", ("king", "queen")),
        ("ru-skipgram", ("король", "князь")),
        ("de-skipgram", ("könig", "königin")),
    ],
)
def test_without_a_corpus_the_sentences_that_ship_are_searched(run, model, pair):
    answer = run("words", "why", *pair, "--model", model, "--json").json
    assert answer["sentences_from"] == f"sample-{model[:2]}"
    texts = " ".join(sentence["text"].lower() for sentence in answer["sentences"])
    assert pair[0] in {sentence["word"] for sentence in answer["sentences"]}
    assert pair[0][:-1] in texts


def test_a_model_trained_without_contexts_names_the_way_and_takes_them_later(run, text, tmp_path):
    output = tmp_path / "home" / "models" / "plain"
    corpus = tmp_path / "ids"
    run("corpus", "encode", text, "--output", corpus, "--min-count", 1)
    train = ("word2vec", "train", corpus, "--output", output, *TRAINING)
    assert run(*train, "--contexts", 0, "--json").json
    why = ("words", "why", "tea", "coffee", "--model", "plain")
    assert "klyuch words contexts" in run(*why).refusal
    count = ("words", "contexts", corpus, "--model", "plain")
    assert run(*count, "--window", 2, "--json").json["bytes"] > 0
    card = read_json(output / "card.json")
    assert card["files"]["contexts.safetensors"] == sha256(output / "contexts.safetensors")
    assert run(*why).code == 0
    assert run("models", "verify", "plain")[0] == 0


def test_contexts_of_another_corpus_and_of_a_shipped_model_are_refused(run, model, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Green ideas sleep. Ideas sleep green.\n" * 5, encoding="utf-8")
    run("corpus", "encode", other, "--output", tmp_path / "other", "--min-count", 1)
    asked = ("words", "contexts", tmp_path / "other", "--model")
    assert "is not the corpus of drinks" in run(*asked, "drinks").refusal
    assert "static model of your own" in run(*asked, "en-cbow").refusal


@pytest.mark.parametrize("name", ["en-cbow", "ru-glove", "de-skipgram"])
def test_shipped_models_of_one_corpus_share_their_contexts(name):
    holder = contexts_entry(find(name))
    assert holder is not None
    assert holder.language == name[:2]
    assert holder.method == "skipgram"


def test_the_lemma_model_of_a_language_has_no_contexts_of_forms():
    assert contexts_entry(find("ru-lemmas")) is None

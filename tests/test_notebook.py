"""`import embeddings` in a notebook: light, complete, and everything shows itself."""

import json
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import embeddings
from embeddings import PCA, shelf
from embeddings.cli import main
from embeddings.errors import InputError
from embeddings.files import read_json
from embeddings.jobs import control, recipes
from embeddings.jobs.job_folder import read_job
from embeddings.jobs.runner import shelve_model
from embeddings.method_registry import METHODS, static_methods
from embeddings.training.settings import StaticSettings, defaults
from embeddings.vectors.formats import write_native
from tests.tables import drawn

TEXT = [["the", "key", "opens", "the", "door"], ["the", "sun", "warms", "the", "stone"]] * 30

SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "si", "to")
SENTENCES = [
    [
        f"{SYLLABLES[a % 8]}{SYLLABLES[(a * b) % 8]}{SYLLABLES[(a + b) % 8]}"
        for a in range(b, b + 12)
    ]
    for b in range(80)
]
VARIED = [*SENTENCES[:40], [], *SENTENCES[40:]]  # two documents


LIGHT = """
import sys, embeddings
heavy = {"torch", "pandas", "scipy", "numba", "sklearn", "gensim", "plotly", "streamlit", "pyarrow"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
embeddings.list_models, embeddings.load, embeddings.import_model, embeddings.neighbours, embeddings.project
assert not (heavy - {"numba"}) & set(sys.modules), heavy & set(sys.modules)
print("light")
"""


def test_the_import_brings_neither_torch_nor_pandas():
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "light", done.stderr


def test_every_public_name_is_there_and_documented_and_no_other():
    assert set(embeddings.__all__) <= set(dir(embeddings))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        embeddings.nothing  # noqa: B018
    for name in embeddings.__all__:
        found = getattr(embeddings, name)
        assert name == "__version__" or (found.__doc__ and len(found.__doc__) > 25), name
        assert name.startswith("__") or f"`{name}`" in embeddings.__doc__, name


# From text to vectors


@pytest.mark.parametrize("method", static_methods())
def test_sentences_become_vectors_in_memory_and_on_the_shelf(home, method):
    few = {"iterations": 2} if method == "glove" else {"epochs": 2, "sample": 0}
    few |= {"bucket": 1000} if method == "fasttext" else {}
    named = {"min_count": 1, "vector_size": 8, "window": 2}
    vectors = embeddings.train(TEXT, method, **named, **few)
    assert (vectors.vector_size, vectors.words[0], vectors.counts[0]) == (8, "the", 120)
    assert embeddings.list_models() == ()
    embeddings.train(TEXT, method, "mine", **named, **few)
    back = embeddings.load("mine")
    assert np.abs(vectors.matrix - back.matrix).max() < 0.05
    assert embeddings.card("mine")["method"] == method
    assert (shelf.find("mine").path / "cooccurrence.safetensors").exists() == (method == "glove")
    assert "keys" not in vectors.words
    if method == "fasttext":  # composes a word that the text lacks
        assert np.abs(vectors["keys"]).max() > 0
        assert np.abs(vectors["keys"] - back["keys"]).max() < 0.05


def test_a_folder_of_text_becomes_a_model_on_the_shelf(home):
    (home / "novels").mkdir()
    text = "\n".join(" ".join(line) for line in TEXT)
    (home / "novels" / "a.txt").write_text(text)
    settings = {"min_count": 1, "vector_size": 8, "epochs": 1, "sample": 0, "seed": 5}
    made = embeddings.train(home / "novels", name="novels", language="en", **settings)
    back = embeddings.load("novels")
    assert back.words == made.words
    assert np.abs(back.matrix - made.matrix).max() < 0.02
    card = embeddings.card("novels")
    assert (card["seed"], card["language"], card["method"]) == (5, "en", "skipgram")
    assert card["settings"]["vector_size"] == 8
    assert str(home) not in json.dumps(card["corpus"])
    assert {state.state for state in shelf.verify_model(shelf.find("novels"))} == {"sound"}


@pytest.mark.parametrize(("method", "kind"), [("bert", "bert"), ("albert", "albert")])
def test_a_network_is_trained_by_the_same_call_and_stands_on_the_shelf(home, method, kind):
    small = {"steps": 3, "rows": 2, "vocab_size": 60, "hidden_size": 32, "layers": 1}
    made = embeddings.train(VARIED, method, "net", language="en", vector_passes=1, **small)
    back = embeddings.load("net")
    assert made.network.config.model_type == kind
    assert made.network.config.hidden_size == 32
    card = embeddings.card("net")
    assert (card["method"], card["language"], card["steps"]) == (kind, "en", 3)
    again = embeddings.train(VARIED, method, model="net", steps=2, rows=2, begin="model")
    assert again.network.config.num_hidden_layers == 1
    assert [entry.name for entry in embeddings.list_models()] == ["net"]
    for one, other in zip(made.network.parameters(), back.network.parameters(), strict=True):
        assert (one == other).all()


@pytest.fixture
def shelved(home, monkeypatch):
    """Return a function that runs a job, here in this process, and opens what it made."""

    def run(folder):
        recipes.run_job(read_job(folder), lambda _: None)
        shelve_model(folder)

    monkeypatch.setattr(control, "_launch", run)
    return lambda plan: embeddings.load(control.start(plan).name)


COMMANDS = {
    "skipgram": ("word2vec", "--heldout", 0.02),
    "cbow": ("word2vec", "--cbow", "--heldout", 0.02),
    "glove": ("glove",),
    "fasttext": ("fasttext", "--heldout", 0.02),
}


@pytest.fixture
def written_by_command(home, monkeypatch):
    """Return a function that runs ``klyuch NOUN train TEXT`` here in this process, and gives the folder of the model."""

    def run(path, noun, *flags):
        folder = home / "command"
        words = ["klyuch", noun, "train", path, "--output", folder, *flags]
        with monkeypatch.context() as patched:
            patched.setattr("sys.argv", [str(word) for word in words])
            with pytest.raises(SystemExit) as ended:
                main()
        assert ended.value.code in (0, None)
        return folder

    return run


@pytest.mark.parametrize("method", static_methods())
def test_the_call_the_job_and_the_command_write_the_same_vectors_and_card(
    home, shelved, written_by_command, method
):
    path = home / "text.txt"
    path.write_text("\n".join(" ".join(line) for line in VARIED))
    settings = StaticSettings(vector_size=10, window=2, min_count=1, passes=2, workers=1)
    plan = recipes.plan(recipes.Text((path,), "text", "en"), method, settings, "job")
    by_job = shelved(plan)
    embeddings.train(**plan.call, name="call")
    assert np.array_equal(embeddings.load("call").matrix, by_job.matrix)
    flags = ("--vector-size", 10, "--window", 2, "--min-count", 1, "--workers", 1)
    flags += (f"--{METHODS[method].passes}", 2, "--language", "en")
    command = written_by_command(path, *COMMANDS[method], *flags)
    call, job = shelf.find("call").path, shelf.find("job").path
    weights = [(folder / "vectors.safetensors").read_bytes() for folder in (call, job, command)]
    assert weights == [weights[0]] * 3

    stored = embeddings.card("job")
    assert (stored["method"], stored["language"]) == (method, "en")
    assert (stored["corpus"]["name"], stored["corpus"]["min_count"]) == ("text.ids", 1)
    assert stored["command"].startswith("embeddings.train(text=")
    assert len(stored["costs" if method == "glove" else "losses"]) == 2
    cards = [read_json(folder / "card.json") for folder in (call, job, command)]
    for card in cards:
        for of_one_way in ("name", "command", "created", "self_sha256"):
            card.pop(of_one_way, None)
        for of_one_way in ("name", "folder"):
            card["corpus"].pop(of_one_way, None)
        card["files"].pop("config.json", None)  # holds the name
    assert cards[1] == cards[2]
    for card in cards[1:]:  # what is kept of a run, and counted where a notebook does without
        card["corpus"].pop("files")
        card["files"].pop("contexts.safetensors", None)
    assert cards[0] == cards[1]


def test_a_network_trained_by_the_call_has_the_weights_of_the_job(home, shelved):
    path = home / "en_text.txt"
    path.write_text("\n".join(" ".join(line) for line in VARIED))
    settings = replace(
        defaults("bert", 500), steps=3, rows=2, vocab_size=60, hidden_size=32, layers=1
    )
    plan = recipes.plan(recipes.Text((path,), "text", "en"), "bert", settings, "job")
    by_job = shelved(plan)
    made = embeddings.train(**plan.call)
    for one, other in zip(made.network.parameters(), by_job.network.parameters(), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize(
    ("arguments", "settings", "sentence"),
    [
        ((TEXT, "word2vec"), {}, "method=word2vec is not known"),
        ((TEXT, "cbow", "a b"), {}, "cannot name a model"),
        ((TEXT, "cbow"), {"size": 5}, r"train\(method='cbow'\) has a setting.*size"),
        ((TEXT, "cbow"), {"vector_size": 0}, "vector_size=0 is out of range"),
        (([["one"]],), {"min_count": 1}, "nothing to learn from"),
    ],
)
def test_a_training_that_cannot_be_is_refused(home, arguments, settings, sentence):
    with pytest.raises((InputError, ValueError), match=sentence):
        embeddings.train(*arguments, **settings)
    assert embeddings.list_models() == ()


# Results show themselves: tests/results


def test_the_shelf_shows_itself(home):
    write_native(drawn(6, 4), home / "home" / "models" / "mine")
    assert "mine" in repr(embeddings.list_models())
    assert "<td" in embeddings.list_models()._repr_html_()
    assert embeddings.list_models().to_frame()["name"].tolist() == ["mine"]


# scikit-learn's tools take the PCA


def test_pca_stands_in_a_pipeline_and_is_cloned():
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    rows = np.random.default_rng(0).normal(size=(60, 5))
    target = (rows[:, 0] > 0).astype(int)
    pipeline = make_pipeline(PCA(3, standardize=False), LogisticRegression())
    assert pipeline.fit(rows, target).score(rows, target) > 0.5
    copy = clone(PCA(3, standardize=False))
    assert (copy.n_components, copy.standardize) == (3, False)
    assert copy.get_params() == PCA(3, standardize=False).get_params()
    search = GridSearchCV(pipeline, {"pca__n_components": [1, 2]}, cv=2).fit(rows, target)
    assert search.best_params_["pca__n_components"] in {1, 2}


def test_parameters_of_pca_are_read_and_set():
    pca = PCA(2)
    assert repr(pca.set_params(n_components=3)) == "PCA(n_components=3)"
    fitted = pca.fit(np.random.default_rng(0).normal(size=(9, 4)))
    assert list(fitted.get_feature_names_out()) == ["pca0", "pca1", "pca2"]
    with pytest.raises(InputError, match="parameter=colour is not known"):
        pca.set_params(colour=True)


# Models by their names


def test_questions_take_the_name_of_a_model_in_place_of_the_model():
    vectors, reader = embeddings.load("en-skipgram"), embeddings.load("bert-en")
    text = "He turned the [MASK]."
    for name, model, arguments in (
        ("neighbours", vectors, ("king", 3)),
        ("neighbour_table", vectors, (["king"], 3)),
        ("similarity", vectors, ("king", "queen")),
        ("odd_one_out", vectors, (["king", "queen", "ice"],)),
        ("axis", vectors, ("cold", "warm", ["ice", "fire"])),
    ):
        function = getattr(embeddings, name)
        answers = [function(one, *arguments) for one in ("en-skipgram", model)]
        assert answers == [getattr(model, name)(*arguments)] * 2, name
    assert embeddings.similarity(vectors="en-skipgram", first="ice", second="ice") == pytest.approx(
        1
    )
    by_name, by_model = (embeddings.fill(one, text, 3) for one in ("bert-en", reader))
    assert by_name.masks[0].guesses == by_model.masks[0].guesses


def test_a_model_that_changed_on_the_shelf_is_opened_again(home):
    for size in (3, 5):
        shutil.rmtree(home / "home", ignore_errors=True)
        embeddings.train(TEXT, name="mine", min_count=1, vector_size=size, epochs=1, sample=0)
        embeddings.neighbours("mine", "sun", 1)
        assert embeddings.similarity_matrix("mine", ["sun", "key"]).cosines.shape == (2, 2)
        frame = embeddings.project("mine", ["sun", "key", "door", "the"])
        assert embeddings.load("mine").vector_size == size
        expected = embeddings.project(embeddings.load("mine"), ["sun", "key", "door", "the"])
        assert np.allclose(frame.coordinates, expected.coordinates)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (lambda: embeddings.neighbours("bert-en", "king"), "“bert-en” is of kind network"),
        (lambda: embeddings.fill("en-glove", "a [MASK]"), "“en-glove” is of kind static"),
        (lambda: embeddings.fill(drawn(6, 4), "a [MASK]"), "is of kind Vectors"),
        (lambda: embeddings.neighbours([1], "king"), "is of kind list"),
        (lambda: embeddings.solve("nothing", "a"), "no model called “nothing”"),
    ],
)
def test_a_model_of_the_wrong_kind_or_name_is_refused(question, sentence):
    with pytest.raises(InputError, match=sentence):
        question()


def test_functions_that_take_names_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(embeddings.neighbours)) is embeddings.neighbours


def test_the_word_of_a_text_may_be_given_as_it_is_written():
    text = "The monkey has the Key."
    by_word, by_span = (
        embeddings.word_states("bert-en", [(text, place)]) for place in ("key", (19, 22))
    )
    assert np.array_equal(by_word.vectors, by_span.vectors)
    with pytest.raises(InputError, match="Context 1 has no occurrence"):
        embeddings.word_states("bert-en", [(text, "lock")])

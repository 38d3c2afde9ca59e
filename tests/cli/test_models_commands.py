"""``klyuch models``: in, out, names, checksums, scores; refusals on exit code 2."""

import json

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.vectors.formats import read, write, write_native

TABLE = Vectors(["der", "ключ"], np.eye(2, dtype=np.float32), np.array([9, 4]))


@pytest.fixture
def ask(run, monkeypatch, tmp_path):
    """Run klyuch on an empty shelf; returns exit code, output and error."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "300")

    return run


@pytest.fixture
def shelved(ask, tmp_path):
    """A shipped model, and an own one with a score."""
    write_native(TABLE, tmp_path / "data" / "models" / "ships")
    card = {"scores": {"set.txt": {"accuracy": 0.25, "covered": 4, "total": 9}}}
    write_native(TABLE, tmp_path / "home" / "models" / "mine", card=card)
    return tmp_path


def test_in_and_out_again(ask, tmp_path):
    write(TABLE, tmp_path / "v.vec")
    code, out, _ = ask("models", "import", tmp_path / "v.vec", "--language", "ru", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["name"], found["kind"], found["language"]) == ("v", "static", "ru")
    target = tmp_path / "out.bin"
    code, out, _ = ask(
        *("models", "export", "v", target, "--format", "word2vec-binary", "--limit", 1, "--json")
    )
    assert json.loads(out) == {"path": str(target), "size": target.stat().st_size}
    assert read(target).words == ("der",)


def test_names_change_and_models_go(ask, shelved):
    assert json.loads(ask("models", "rename", "mine", "yours", "--json")[1])["name"] == "yours"
    assert json.loads(ask("models", "delete", "yours", "--yes", "--json")[1]) == {
        "deleted": "yours"
    }
    listed = json.loads(ask("models", "list", "--json")[1])
    assert [entry["name"] for entry in listed] == ["ships"]


@pytest.mark.parametrize(("answer", "left"), [("n\n", True), ("", True), ("y\n", False)])
def test_deleting_asks(ask, shelved, monkeypatch, answer, left):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    code, _, error = ask("models", "delete", "mine")
    assert "for good?" in error
    assert (shelved / "home" / "models" / "mine").exists() == left
    assert (code != 0) == left


def test_verify_hashes_and_ends_with_1_where_something_is_wrong(ask, shelved):
    code, out, _ = ask("models", "verify", "--json")
    states = json.loads(out)
    assert code == 0
    assert {file["state"] for files in states["models"].values() for file in files} == {"sound"}
    (shelved / "home" / "models" / "mine" / "words.txt").write_text("x\ny\n")
    (shelved / "home" / "models" / "bare").mkdir()
    (shelved / "home" / "models" / "bare" / "x").write_text("x")
    code, out, _ = ask("models", "verify", "--json")
    assert code == 1
    found = json.loads(out)
    assert [file["state"] for file in found["models"]["mine"]] == ["sound", "sound", "changed"]
    assert [one["name"] for one in found["damaged"]] == ["bare"]
    assert ask("models", "verify", "ships")[0] == 0
    assert "changed" in ask("models", "verify", "mine")[1]


def test_verify_fails_where_a_model_without_a_card_cannot_be_opened(ask, tmp_path):
    write_native(TABLE, tmp_path / "bare")
    (tmp_path / "bare" / "card.json").unlink()
    weights, settings = (tmp_path / "bare" / n for n in ("vectors.safetensors", "config.json"))
    whole = weights.read_bytes()
    code, out, _ = ask("models", "verify", tmp_path / "bare", "--json")
    (states,) = json.loads(out)["models"].values()
    assert (code, {one["state"] for one in states}) == (0, {"unrecorded"})
    for file, content in ((weights, whole[:-4]), (weights, b""), (settings, b'{"format": ')):
        before = file.read_bytes()
        file.write_bytes(content)
        code, out, _ = ask("models", "verify", tmp_path / "bare", "--json")
        (states,) = json.loads(out)["models"].values()
        wrong = {one["name"]: one["state"] for one in states if one["state"] != "unrecorded"}
        assert (code, wrong) == (1, {file.name: "unreadable"})
        file.write_bytes(before)


def test_a_limit_of_words_is_refused_for_a_model_that_has_none(ask, tmp_path):
    network = tmp_path / "home" / "models" / "net"
    network.mkdir(parents=True)
    (network / "card.json").write_text('{"kind": "classifier", "files": {}}')
    code, _, error = ask("models", "export", "net", tmp_path / "out", "--limit", 5)
    assert (code, (tmp_path / "out").exists()) == (2, False)
    assert "«net» is of kind classifier" in error
    assert "Leave --limit out" in error
    assert ask("models", "export", "net", tmp_path / "out")[0] == 0


def test_scores_come_with_coverage(ask, shelved):
    found = json.loads(ask("models", "scores", "--json")[1])
    assert [(one["model"], one["value"], one["covered"], one["total"]) for one in found] == [
        ("mine", 0.25, 4, 9)
    ]
    assert "0.2500" in ask("models", "scores")[1]


def test_a_corpus_is_counted_and_deleted(ask, tmp_path):
    folder = tmp_path / "home" / "corpora" / "novel"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("ein Wort\nnoch eins\n")
    expected = {"words": 4, "sentences": 2, "documents": 1}
    assert json.loads(ask("corpus", "count", "novel", "--json")[1]) == expected
    assert json.loads(ask("corpus", "count", folder / "a.txt", "--json")[1]) == expected
    assert ask("corpus", "delete", "novel", "--yes")[0] == 0
    code, _, error = ask("corpus", "delete", "novel", "--yes")
    assert code == 2
    assert "no corpus of yours called «novel»" in error


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rename", "ships", "x"), "«ships» ships with Klyuch"),
        (("rename", "mine", "ships"), "called «ships» on the shelf already"),
        (("delete", "gone"), "no model of yours called «gone»"),
        (("delete", "ships", "--yes"), "«ships» ships with Klyuch"),
        (("import", "nothing.txt"), "nothing.txt does not exist"),
        (("export", "mine", "x", "--format", "pickle"), "cannot be written as pickle"),
        (("export", "gone", "x"), "no model called «gone»"),
        (("verify", "gone"), "no model called «gone»"),
        (("import", "v.vec", "--language", "english"), "«english» is not a language code"),
    ],
)
def test_refusals_are_sentences_on_exit_code_2(ask, shelved, arguments, sentence):
    code, out, error = ask("models", *arguments)
    assert (code, out) == (2, "")
    assert sentence in error


@pytest.mark.parametrize("dtype", ["float64", ""])
def test_an_unknown_dtype_is_refused(ask, tmp_path, dtype):
    write(TABLE, tmp_path / "v.vec")
    code, _, error = ask("models", "import", tmp_path / "v.vec", "--dtype", dtype)
    assert code == 2
    assert "int8, float16, float32" in error

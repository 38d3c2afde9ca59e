"""``klyuch word2vec train`` from text and from ids."""

import json

import pytest

from embeddings.cli import main
from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.vectors.table import Vectors

FLAGS = ["--vector-size", "12", "--epochs", "2", "--workers", "1", "--json"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("the cat sees the dog\nthe dog sees a cat\n" * 200, encoding="utf-8")
    return path


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["klyuch", "word2vec", "train", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code


def test_text_becomes_a_model_with_its_card(text, tmp_path, monkeypatch, capsys):
    output = tmp_path / "cats"
    flags = ["--output", output, "--cbow", "--language", "en", *FLAGS]
    assert run(monkeypatch, text, *flags) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("folder") == str(output)
    assert len(printed["losses"]) == 2
    assert printed["words"] == 5
    assert printed["words_per_second"] > 0
    vectors = Vectors.load(output)
    assert (vectors.name, vectors.method, vectors.language) == ("cats", "cbow", "en")
    assert vectors.words == ("the", "cat", "dog", "sees", "a")
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["settings"]["sg"] is False
    assert card["losses"] == printed["losses"]
    assert card["command"].startswith("klyuch word2vec train ")
    assert card["corpus"]["words"] == 2000


def test_ids_give_the_same_model_as_their_text_and_resume_returns_it(
    text, tmp_path, monkeypatch, capsys
):
    encode([text], tmp_path / "ids", EncodingConfig())
    assert run(monkeypatch, text, "--output", tmp_path / "one", *FLAGS) == 0
    assert run(monkeypatch, tmp_path / "ids", "--output", tmp_path / "two", *FLAGS) == 0
    flags = ["--output", tmp_path / "two", "--resume", *FLAGS]
    assert run(monkeypatch, tmp_path / "ids", *flags) == 0
    losses = [json.loads(line)["losses"] for line in capsys.readouterr().out.splitlines()]
    assert losses[0] == losses[1] == losses[2]
    tables = [(tmp_path / name / "vectors.safetensors").read_bytes() for name in ("one", "two")]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--window", "0"], "window=0 is out of range"),
        (["--alpha", "1e6", "--epochs", "60"], "diverged in epoch"),
        (["--min-count", "5000"], "min_count"),
    ],
    ids=["range", "overflow", "too rare"],
)
def test_misuse_ends_with_a_sentence_and_code_two(
    text, tmp_path, monkeypatch, capsys, flags, sentence
):
    assert run(monkeypatch, text, "--output", tmp_path / "no", *FLAGS, *flags) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_what_is_no_model_is_not_replaced(text, tmp_path, monkeypatch, capsys):
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "card.json").write_text('{"kind": "network"}')
    for occupied in (tmp_path, text, tmp_path / "fake"):
        assert run(monkeypatch, text, "--output", occupied, *FLAGS) == 2
        assert "which writing would delete" in capsys.readouterr().err
    assert {file.name for file in tmp_path.iterdir()} == {"a.txt", "fake"}

"""``klyuch glove train`` from text and from ids, and the ratios that its folder answers."""

import json

import pytest

from embeddings.analysis.cooccurrence_ratios import load_cooccurrence
from embeddings.cli import main
from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.vectors.table import Vectors

FLAGS = ["--vector-size", "12", "--iterations", "3", "--workers", "1", "--json"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("the cat sees the dog\nthe dog sees a cat\n" * 200, encoding="utf-8")
    return path


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["klyuch", "glove", "train", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code


def test_text_becomes_a_model_with_card_and_counts(text, tmp_path, monkeypatch, capsys):
    output = tmp_path / "cats"
    flags = ["--output", output, "--language", "en", "--window", "2", *FLAGS]
    assert run(monkeypatch, text, *flags, "--examples", "dog,wolf", "--content-words", "2") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("folder") == str(output)
    assert (printed["words"], printed["vector_size"], printed["pairs"]) == (5, 12, 16)
    assert len(printed["costs"]) == 3
    assert printed["pairs_per_second"] > 0
    vectors = Vectors.load(output)
    assert (vectors.name, vectors.method, vectors.language) == ("cats", "glove", "en")
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["settings"]["window"] == 2
    assert card["settings"]["x_max"] == 10
    assert card["costs"] == printed["costs"]
    assert card["command"].startswith("klyuch glove train ")
    assert "cooccurrence.safetensors" in card["files"]
    table = load_cooccurrence(output)
    assert set(table.words) == {"the", "cat", "dog"}  # the commonest two, and the example
    # within two places: "cat sees the" and "the dog sees a cat", 200 times each: 1/2 + 0 and 0
    cat, the = table.words.index("cat"), table.words.index("the")
    assert table.counts[cat, the] == 200 * (1 + 1 / 2)


def test_ids_text_resume_and_disk_give_the_same_model(text, tmp_path, monkeypatch, capsys):
    encode([text], tmp_path / "ids", EncodingConfig())
    assert run(monkeypatch, text, "--output", tmp_path / "one", *FLAGS) == 0
    assert run(monkeypatch, tmp_path / "ids", "--output", tmp_path / "two", *FLAGS) == 0
    flags = ["--output", tmp_path / "two", "--resume", *FLAGS]
    assert run(monkeypatch, tmp_path / "ids", *flags) == 0
    flags = ["--output", tmp_path / "three", "--memory-mb", "64", *FLAGS]
    assert run(monkeypatch, tmp_path / "ids", *flags) == 0
    costs = [json.loads(line)["costs"] for line in capsys.readouterr().out.splitlines()]
    assert costs[0] == costs[1] == costs[2] == costs[3]
    for name in ("vectors.safetensors", "cooccurrence.safetensors"):
        files = {(tmp_path / made / name).read_bytes() for made in ("one", "two", "three")}
        assert len(files) == 1


def test_divergence_ends_with_code_2_and_writes_no_model(text, tmp_path, monkeypatch, capsys):
    output = tmp_path / "cats"
    assert run(monkeypatch, text, "--output", output, "--learning-rate", "1e6", *FLAGS) == 2
    assert "learning_rate=1000000.0" in capsys.readouterr().err
    assert not output.exists()

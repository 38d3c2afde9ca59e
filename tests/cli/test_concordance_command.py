"""``klyuch concordance`` builds an index and shows lines of it."""

import json

import pytest

from embeddings.cli import main


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["klyuch", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    path = tmp_path / "novel.txt"
    path.write_text("Он вынул ключ.\nДверь отперли ключом.\n", encoding="utf-8")
    return path


def test_a_named_concordance_lies_with_the_user_and_is_found_by_its_name(
    text, tmp_path, monkeypatch, capsys
):
    assert run(monkeypatch, "concordance", "build", text, "--output", "novel", "--json") == 0
    path = tmp_path / "home" / "concordances" / "novel.sqlite"
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"file": str(path), "paragraphs": 2, "words": 6}
    asked = ["concordance", "find", "ключ", "--corpus", "novel", "--language", "ru"]
    assert run(monkeypatch, *asked, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["forms"] == [
        {"form": "ключ", "paragraphs": 1},
        {"form": "ключом", "paragraphs": 1},
    ]
    assert found["lines"][1] == {
        "text": "Дверь отперли ключом.",
        "spans": [[14, 20]],
        "file": "novel.txt",
        "document": 1,
        "is_cut": False,
    }
    assert run(monkeypatch, *asked, "--limit", 1) == 0
    assert capsys.readouterr().out.count("ключ") == 1


def test_a_path_and_an_absent_word_are_answered(text, tmp_path, monkeypatch, capsys):
    path = tmp_path / "own.sqlite"
    assert run(monkeypatch, "concordance", "build", text, "--output", path) == 0
    assert "2 paragraphs with 6 distinct words" in capsys.readouterr().out
    asked = ["concordance", "find", "дом", "--corpus", path, "--language", "ru"]
    assert run(monkeypatch, *asked) == 0
    assert "«дом» is not in this corpus" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("find", "a", "--corpus", "none", "--language", "en"), "does not exist. Build one"),
        (("find", "a", "--corpus", "novel.txt", "--language", "en"), "is no concordance"),
        (("find", "\udcdf", "--corpus", "built", "--language", "en"), "bytes that are not UTF-8"),
        (("find", "a b", "--corpus", "built", "--language", "en"), "is more than one word"),
        (("build", "none.txt", "--output", "x"), "none.txt does not exist"),
        (("build", "novel.txt", "--output", "./novel.txt"), "is the source"),
    ],
)
def test_refusals_are_sentences_with_exit_code_two(
    text, tmp_path, monkeypatch, capsys, arguments, sentence
):
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "concordance", "build", "novel.txt", "--output", "./built") == 0
    arguments = ["./built" if one == "built" else one for one in arguments]
    assert run(monkeypatch, "concordance", *arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_file_with_a_name_of_other_bytes_is_indexed(text, tmp_path, monkeypatch, capsys):
    named = tmp_path / "stra\udcdfe.txt"
    text.rename(named)
    assert run(monkeypatch, "concordance", "build", str(named), "--output", f"{tmp_path}/b") == 0
    capsys.readouterr()
    asked = ("find", "ключ", "--corpus", f"{tmp_path}/b", "--language", "ru", "--json")
    assert run(monkeypatch, "concordance", *asked) == 0
    assert "stra\ufffde.txt" in json.loads(capsys.readouterr().out)["lines"][0]["file"]

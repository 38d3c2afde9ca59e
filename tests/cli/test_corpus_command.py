import json

import pytest

from embeddings.cli import main


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["klyuch", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code


def test_corpus_encode_prints_what_it_wrote(tmp_path, monkeypatch, capsys):
    source = tmp_path / "a.txt"
    source.write_text("The cat\nthe dog\n\nthe end", encoding="utf-8")
    flags = ["--output", tmp_path / "ids", "--min-count", 1, "--keep-case", "--json"]
    assert run(monkeypatch, "corpus", "encode", source, *flags) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("folder") == str(tmp_path / "ids")
    assert printed == {"vocabulary": 5, "words": 6, "sentences": 3, "documents": 2}


def test_corpus_encode_refuses_in_a_sentence_with_exit_code_two(tmp_path, monkeypatch, capsys):
    source = tmp_path / "a.txt"
    source.write_bytes(b"caf\xe9")
    assert run(monkeypatch, "corpus", "encode", source, "--output", tmp_path / "ids") == 2
    assert "a.txt, line 1: byte 0xE9 is not UTF-8" in capsys.readouterr().err
    assert not (tmp_path / "ids").exists()

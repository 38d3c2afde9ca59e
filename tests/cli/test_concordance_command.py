"""``klyuch concordance`` builds an index and shows lines of it."""

import pytest


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "novel.txt"
    path.write_text("Он вынул ключ.\nДверь отперли ключом.\n", encoding="utf-8")
    return path


def test_a_named_concordance_lies_with_the_user_and_is_found_by_its_name(run, text, tmp_path):
    built = run("concordance", "build", text, "--output", "novel", "--json").json
    path = tmp_path / "home" / "concordances" / "novel.sqlite"
    assert built == {"file": str(path), "paragraphs": 2, "words": 6}
    asked = ["concordance", "find", "ключ", "--corpus", "novel", "--language", "ru"]
    found = run(*asked, "--json").json
    assert found["forms"] == [{"form": form, "paragraphs": 1} for form in ("ключ", "ключом")]
    assert found["lines"][1] == {
        "text": "Дверь отперли ключом.", "spans": [[14, 20]], "file": "novel.txt", "document": 1,
        "is_cut": False, "file_words": None, "document_words": None,
    }  # fmt: skip
    assert run(*asked, "--limit", 1).out.count("ключ") == 1


def test_a_path_and_an_absent_word_are_answered(run, text, tmp_path):
    path = tmp_path / "own.sqlite"
    built = run("concordance", "build", text, "--output", path).out
    assert "│ paragraphs │ 2 │ │ words │ 6 │" in " ".join(built.split())
    asked = ("concordance", "find", "дом", "--corpus", path, "--language", "ru")
    assert "“дом” is not in this corpus" in run(*asked).out


def test_a_file_with_a_name_of_other_bytes_is_indexed(run, text, tmp_path):
    named = tmp_path / "stra\udcdfe.txt"
    text.rename(named)
    assert run("concordance", "build", str(named), "--output", f"{tmp_path}/b").code == 0
    asked = ("find", "ключ", "--corpus", f"{tmp_path}/b", "--language", "ru", "--json")
    assert "stra\ufffde.txt" in run("concordance", *asked).json["lines"][0]["file"]


def test_words_near_and_an_order(run, tmp_path):
    text = tmp_path / "keys.txt"
    text.write_text(
        "The old key fits the lock.\nA key of the king.\nKeys and locks, again.\nA door.\n"
    )
    run("concordance", "build", text, "--output", tmp_path / "keys.sqlite")
    asked = ("--corpus", tmp_path / "keys.sqlite", "--language", "en")
    near = ("--near", "lock", "--order", "right", "--json")
    lines = run("concordance", "find", "key", *asked, *near).json["lines"]
    texts = ["Keys and locks, again.", "The old key fits the lock."]
    assert [line["text"] for line in lines] == texts
    collocates = ("concordance", "collocates", "key", *asked, "--least", 2, "--json")
    assert run(*collocates).json == []
    assert "“key” has no collocates with these settings." in run(*collocates[:-1]).out
    found = run(*collocates, "--no-only-content").json
    assert [(row["word"], row["together"]) for row in found] == [("the", 2)]

"""``klyuch corpus list`` and ``klyuch corpus get`` on a small catalogue and a mirror folder."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from app.loaders import evaluation_scores
from embeddings import shelf
from embeddings.sources.catalogue import read_catalogue
from embeddings.sources.fetching import fetch

NAMES = ("syntactic.questions", "semantic_bm.questions")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home, a catalogue of one entry with two files, and a mirror that has both."""
    files = []
    for name in NAMES:
        path = tmp_path / "mirror/evaluation/x" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f": {name}\na b c d\n", encoding="utf-8", newline="")
        content = path.read_bytes()
        files.append(
            f'{{ address = "", mirror = "evaluation/x/{name}", size = {len(content)}, '
            f'sha256 = "{hashlib.sha256(content).hexdigest()}" }}'
        )
    (tmp_path / "data").mkdir()
    (tmp_path / "data/catalogue.toml").write_text(
        '[[entry]]\nname = "analogies-de"\ntitle = "German"\nkind = "analogies"\n'
        'language = ["de"]\nlicence = "MIT"\nsource = "https://example.org"\ncommit = ""\n'
        f'note = "made up"\nfiles = [{", ".join(files)}]\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("KLYUCH_MIRROR", str(tmp_path / "mirror"))
    return tmp_path / "home"


def test_what_get_brings_is_where_the_pages_look(run, home):
    assert evaluation_scores.analogy_set("de") == ()
    code, out, _ = run("corpus", "get", "analogies-de", "--json")
    assert code == 0
    printed = json.loads(out)
    assert printed["folder"] == str(home / "corpora/analogies-de")
    assert [(file["name"], file["was_here"]) for file in printed["files"]] == [
        (name, False) for name in NAMES
    ]
    assert {path.name for path in evaluation_scores.analogy_set("de")} == set(NAMES)
    assert {path.parent for path in evaluation_scores.analogy_set("de")} == {
        home / "corpora/analogies-de"
    }


def test_get_says_where_the_files_are_and_what_to_know(run, home):
    code, printed, _ = run("corpus", "get", "analogies-de")
    assert code == 0
    assert f"In {home / 'corpora/analogies-de'}" in printed
    assert "Note: made up." in printed


def test_list_says_what_is_here(run, home):
    here = []
    for _ in range(2):
        code, out, _ = run("corpus", "list", "--json")
        assert code == 0
        (entry,) = json.loads(out)
        here.append(entry["here"])
        run("corpus", "get", "analogies-de", "--json")
    assert here == [False, True]
    assert (entry["name"], entry["language"], entry["size"]) == ("analogies-de", ["de"], 62)
    code, printed, _ = run("corpus", "list")
    assert code == 0
    assert all(word in printed for word in ("analogies-de", "62 B", "MIT", "yes"))


def test_an_unknown_name_is_refused_with_exit_code_two(run, home):
    code, _, err = run("corpus", "get", "analogies-dee")
    assert code == 2
    assert "Near it: analogies-de." in err


def test_the_shipped_catalogue_reads_and_names_files_apart():
    entries = read_catalogue(ROOT / "data/catalogue.toml")
    assert len(entries) > 20
    for entry in entries:
        names = [file.name for file in entry.files]
        assert len(names) == len(set(names)), entry.name
        assert not any(name.startswith("/") or ".." in name for name in names)
    names = {file.name for entry in entries for file in entry.files}
    for language in evaluation_scores.ANALOGIES:
        assert set(evaluation_scores.ANALOGIES[language]) <= names


@pytest.mark.mirror
def test_every_entry_that_a_mirror_has_can_be_had(tmp_path):
    mirror = os.environ["KLYUCH_MIRROR"]
    for entry in read_catalogue(shelf.data() / "catalogue.toml"):
        if all(file.mirror for file in entry.files):
            found = fetch(entry, tmp_path, mirror=mirror)
            assert [file.checked_by for file in found] == ["catalogue"] * len(entry.files)
            assert entry.is_downloaded(tmp_path)

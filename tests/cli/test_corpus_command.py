"""``klyuch corpus``: encoded, listed and downloaded; places that cannot be written, encodings, spelling rules."""

import errno
import json
import os
import subprocess
import sys

import pytest

from embeddings import shelf
from embeddings.cli import NOUNS
from embeddings.shelf import installed_sets
from embeddings.sources.catalogue import read_catalogue
from embeddings.sources.fetching import fetch


def test_corpus_encode_prints_what_it_wrote(run, tmp_path):
    source = tmp_path / "a.txt"
    source.write_text("The cat\nthe dog\n\nthe end", encoding="utf-8")
    flags = ["--output", tmp_path / "ids", "--min-count", 1, "--keep-case", "--json"]
    printed = run("corpus", "encode", source, *flags).json
    assert printed.pop("folder") == str(tmp_path / "ids")
    assert printed == {"vocabulary": 5, "words": 6, "sentences": 3, "documents": 2}


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "", "x/ids"), "x/ids cannot be written: the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "x cannot be opened: Permission"),
        (OSError(errno.EROFS, "Read-only file system", "x"), "Get permission for it"),
        (OSError(errno.EIO, "In/output error", "x"), "x cannot be read or written: In/output"),
        (OSError("something odd"), "cannot be read or written: something odd. Check"),
    ],
)
def test_what_the_system_refuses_is_a_sentence(run, tmp_path, monkeypatch, error, sentence):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr("embeddings.corpora.corpus_encoding.encode", refuse)
    told = run("corpus", "encode", "a.txt", "--output", tmp_path / "ids").refusal
    assert sentence in told
    assert "Traceback" not in told


LIGHT = """
import sys
from embeddings.cli import main
for line in sys.stdin:
    sys.argv = ["klyuch", *line.split()]
    try:
        main()
    except SystemExit:
        print("loaded:", sorted({"torch", "numba", "simplemma"} & set(sys.modules)), flush=True)
"""


def test_the_root_and_neighbours_of_a_model_that_ships_load_no_heavy_library():
    lines = ("--help", "--version", "", "nothing", "words neighbours king --model en-skipgram")
    done = subprocess.run(
        [sys.executable, "-c", LIGHT],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("loaded: []") == len(lines), done.stdout
    assert all(noun in done.stdout for noun in NOUNS)
    assert "queen" in done.stdout


def test_every_noun_of_the_table_has_its_verbs(run):
    for noun, summary in NOUNS.items():
        code, printed, _ = run(noun, "--help")
        assert code == 0
        assert "Options" in printed, noun
        assert (summary in printed and "Commands" in printed) or "Example" in printed, noun


COMMANDS = [
    ("corpus encode {} --min-count 1 --output", "words.txt"),
    ("word2vec train {} --min-count 1 --vector-size 4 --epochs 1 --contexts 0 --output", "words.txt"),
    ("glove train {} --min-count 1 --vector-size 4 --iterations 1 --contexts 0 --output", "words.txt"),
    ("wordpiece train {} --vocab-size 100 --output", "tokenizer.json"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "file"), COMMANDS)
def test_a_text_in_another_encoding_gives_the_words_of_the_same_text_in_utf8(
    run, tmp_path, command, file
):
    text = "старый ключ открыл дверь, ключ от двери лежал в саду\n" * 40
    written = []
    for encoding in ("utf-8", "koi8-r"):
        (tmp_path / "ru_text.txt").write_bytes(text.encode(encoding))
        output = tmp_path / encoding
        called = command.format(tmp_path / "ru_text.txt").split()
        flags = [] if encoding == "utf-8" else ["--encoding", "detect"]
        assert run(*called, output, "--json", *flags).json
        written.append((output / file).read_bytes())
    assert "ключ".encode() in written[0]
    assert written[0] == written[1]


def test_a_concordance_and_a_count_read_another_encoding(run, tmp_path):
    text = tmp_path / "a.txt"
    text.write_bytes("Ключ лежал в саду.\nДверь открыли ключом.\n".encode("cp866"))
    counted = run("corpus", "count", text, "--encoding", "cp866", "--json").json
    assert counted == {"words": 7, "sentences": 2, "documents": 1}
    flags = ["--output", tmp_path / "c.db", "--encoding", "cp866", "--json"]
    assert run("concordance", "build", text, *flags).json["paragraphs"] == 2
    found = run("concordance", "find", "ключ", "--corpus", tmp_path / "c.db", "--language", "ru")
    assert "Дверь открыли ключом." in found.out


# ``klyuch corpus list`` and ``klyuch corpus get`` on a small catalogue and a mirror folder


NAMES = ("syntactic.questions", "semantic_bm.questions")


@pytest.fixture
def home(own_home, catalogue):
    """A home, a catalogue of one entry with two files, and a mirror that has both."""
    files = {f"evaluation/x/{name}": f": {name}\na b c d\n" for name in NAMES}
    catalogue("analogies-de", files, kind="analogies", language=["de"], note="made up")
    return own_home


def test_what_get_brings_is_where_the_pages_look(run, home):
    assert installed_sets.analogy_set("de") == ()
    printed = run("corpus", "get", "analogies-de", "--json").json
    assert printed["folder"] == str(home / "corpora/analogies-de")
    assert [(file["name"], file["was_here"]) for file in printed["files"]] == [
        (name, False) for name in NAMES
    ]
    assert {path.name for path in installed_sets.analogy_set("de")} == set(NAMES)
    assert {path.parent for path in installed_sets.analogy_set("de")} == {
        home / "corpora/analogies-de"
    }
    again = run("corpus", "get", "analogies-de").out
    assert f"In {home / 'corpora/analogies-de'}" in again
    assert "Note: made up." in again


def test_list_says_what_is_here(run, home):
    here = []
    for _ in range(2):
        (entry,) = run("corpus", "list", "--json").json
        here.append(entry["here"])
        run("corpus", "get", "analogies-de", "--json")
    assert here == [False, True]
    assert (entry["name"], entry["language"], entry["size"]) == ("analogies-de", ["de"], 62)
    printed = run("corpus", "list").out
    assert all(word in printed for word in ("analogies-de", "62 B", "MIT", "yes"))
    assert "Near it: analogies-de." in run("corpus", "get", "analogies-dee").refusal


def test_a_text_at_an_address_is_downloaded_and_listed(run, home, served):
    (served.folder / "a.txt").write_text("a key\n", encoding="utf-8")
    printed = run("corpus", "get", f"{served.address}/a.txt", "--name", "novel", "--json").json
    assert printed["folder"] == str(home / "corpora/novel")
    listed = {entry["name"]: entry for entry in run("corpus", "list", "--json").json}
    assert (listed["novel"]["here"], listed["novel"]["language"]) == (True, [])
    assert "[]" not in run("corpus", "list").out
    assert listed["novel"]["source"] == f"{served.address}/a.txt"
    assert run("corpus", "count", "novel", "--json").json["words"] == 2


@pytest.mark.mirror
def test_every_entry_that_a_mirror_has_can_be_had(tmp_path):
    mirror = os.environ["KLYUCH_MIRROR"]
    for entry in read_catalogue(shelf.data() / "catalogue.toml"):
        if all(file.mirror for file in entry.files):
            found = fetch(entry, tmp_path, mirror=mirror)
            assert [file.checked_by for file in found] == ["catalogue"] * len(entry.files)
            assert entry.is_downloaded(tmp_path)


# ``--spelling``: a corpus and a training by a rule, the card that names it, queries read by it, refusals


def test_text_is_trained_by_a_rule_that_the_card_names_and_queries_are_read_by(run, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("Das Schloß ist alt . Das Schloss ist neu .\n" * 20, encoding="utf-8")
    output = tmp_path / "castle"
    flags = ["--vector-size", 4, "--epochs", 1, "--workers", 1, "--language", "de", "--json"]
    command = ("word2vec", "train", text, "--output", output, *flags)
    assert run(*command, "--spelling", "de-1996").code == 0
    card = json.loads((output / "card.json").read_text(encoding="utf-8"))
    assert card["corpus"]["spelling"] == "de-1996"
    assert "schloss\t40\n" in (output / "words.txt").read_text(encoding="utf-8")
    ask = ("words", "neighbours", "--model", output)
    assert "“Schloß” is read as “Schloss” (de-1996)" in run(*ask, "Schloß").err
    assert "is read as" not in run(*ask, "Schloss").err

"""``klyuch models``: in, out, names, checksums, scores; refusals on exit code 2."""

import json
import shlex
import time
from pathlib import Path

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.lab import experiment_files
from embeddings.vectors.formats import read, write, write_native
from tests.shelf.hub_networks import NAME, tiny_files
from tests.shelf.hub_server import running

TABLE = Vectors(["der", "ключ"], np.eye(2, dtype=np.float32), np.array([9, 4]))


@pytest.fixture
def ask(run, monkeypatch, tmp_path):
    """Run klyuch on an empty shelf; returns exit code, output and error."""
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
    found = ask("models", "import", tmp_path / "v.vec", "--language", "ru", "--json").json
    assert (found["name"], found["kind"], found["language"]) == ("v", "static", "ru")
    target = tmp_path / "out.bin"
    asked = ("models", "export", "v", target, "--format", "word2vec-binary", "--json")
    assert ask(*asked).json == {"path": str(target), "size": target.stat().st_size}
    assert read(target).words == TABLE.words


@pytest.mark.parametrize(("answer", "left"), [("n\n", True), ("", True), ("y\n", False)])
def test_deleting_asks(ask, shelved, monkeypatch, answer, left):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    code, _, error = ask("models", "delete", "mine")
    assert "for good?" in error
    assert (shelved / "home" / "models" / "mine").exists() == left
    assert (code != 0) == left


def test_verify_hashes_and_ends_with_1_where_something_is_wrong(ask, shelved):
    states = ask("models", "verify", "--json").json
    assert {file["state"] for files in states["models"].values() for file in files} == {"sound"}
    (shelved / "home" / "models" / "mine" / "words.txt").write_text("x\ny\n")
    (shelved / "home" / "models" / "bare").mkdir()
    (shelved / "home" / "models" / "bare" / "x").write_text("x")
    ended = ask("models", "verify", "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert [file["state"] for file in found["models"]["mine"]] == ["sound", "sound", "changed"]
    assert [one["name"] for one in found["damaged"]] == ["bare"]
    assert ask("models", "verify", "ships")[0] == 0
    assert "changed" in ask("models", "verify", "mine")[1]


def test_files_of_a_model_without_a_card_are_said_to_have_no_checksum(ask, tmp_path):
    write_native(TABLE, tmp_path / "bare")
    (tmp_path / "bare" / "card.json").unlink()
    ended = ask("models", "verify", tmp_path / "bare", "--json")
    (files,) = json.loads(ended.out)["models"].values()
    assert (ended.code, {file["state"] for file in files}) == (0, {"unrecorded"})


def test_a_corpus_is_counted_and_deleted(ask, tmp_path):
    folder = tmp_path / "home" / "corpora" / "novel"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("ein Wort\nnoch eins\n")
    expected = {"words": 4, "sentences": 2, "documents": 1}
    assert ask("corpus", "count", "novel", "--json").json == expected
    assert ask("corpus", "count", folder / "a.txt", "--json").json == expected
    assert ask("corpus", "delete", "novel", "--yes")[0] == 0
    assert "no corpus of yours called “novel”" in ask("corpus", "delete", "novel", "--yes").refusal


# ``klyuch models get hf:OWNER/NAME`` and ``klyuch models suggestions``


HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "howto" / "network.md"


FETCHED = ("google-bert/bert-base-uncased", "cointegrated/rubert-tiny2")


@pytest.fixture
def hub(home, tmp_path, monkeypatch):
    """A Hub with one network, and an empty shelf."""
    with running(monkeypatch, {NAME: tiny_files(tmp_path / "tiny")}) as state:
        yield state


def test_the_size_is_told_and_the_network_answers_by_its_name(hub, run):
    got = run("models", "get", f"hf:{NAME}", "--name", "tiny", "--language", "ru")
    told = got.out.partition("\n")[0]
    for part in ("bert of 2 x 8", "4 files", "of memory to open", "licence mit", "language ru, en"):
        assert part in told
    models = run("models", "list", "--json").json
    assert [(m["name"], m["kind"], m["language"]) for m in models] == [("tiny", "network", "ru")]
    assert run("fill", "ключом [MASK]", "--model", "tiny", "--topn", "3", "--json").json


def test_names_are_suggested_each_of_which_can_be_read_as_one(run):
    from embeddings.sources.hub import parse_name

    said = run("models", "suggestions", "--json").json
    assert len({parse_name(f"hf:{network['name']}").name for network in said}) == len(said) == 14
    languages = {language for network in said for language in network["languages"]}
    assert languages == {"en", "ru", "de", "multilingual"}


def test_the_commands_of_the_how_to_fetch_what_they_name(hub, run):
    lines = HOW_TO.read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
    commands = [shlex.split(line, comments=True) for line in lines.strip().split("\n")]
    hub.repositories |= dict.fromkeys(FETCHED, hub.repositories[NAME])
    for command in commands:
        if command[0] == "klyuch":
            assert run(*command[1:]).code == 0
    models = run("models", "list", "--json").json
    assert [model["name"] for model in models] == ["bert-base-uncased", "rubert"]


@pytest.mark.network
def test_each_suggestion_can_be_once_per_run_on_the_public_hub(monkeypatch):
    from embeddings.shelf.hub_models import look_up_network, suggested_networks

    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    for suggested in suggested_networks():
        network = look_up_network(suggested.name)
        sizes = (network.layers, network.hidden_size)
        assert sizes == (suggested.layers, suggested.hidden_size)


# ``klyuch lab``: an experiment shown; one that was not run, and a name that is none


def test_an_experiment_is_shown_as_tables_and_others_are_refused(run, monkeypatch, tmp_path):
    printed = run("lab", "show", "static").out
    assert "glove_ahead" in printed
    assert "en-skip" in printed
    assert "Choose one of: warm_start" in run("lab", "show", "nothing").refusal
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)
    assert (
        "; KLYUCH_MIRROR=FOLDER python -m benchmarks.depth" in run("lab", "show", "depth").refusal
    )


# ``klyuch jobs``: started, listed, shown, cancelled, resumed, removed from the shell


def test_a_job_goes_through_its_whole_life(run, no_job_left, tmp_path):
    def klyuch(*words):
        code, out, err = run("jobs", *words)
        if code:
            return err
        return json.loads(out) if "--json" in words else out

    text = tmp_path / "a.txt"
    text.write_text("the cat sees the dog\n" * 5000)
    settings = ("--set", "passes=9000", "--set", "vector_size=8")
    begun = klyuch("start", str(text), "--name", "m", "--method", "cbow", *settings, "--json")
    job_id = begun["job"]
    assert begun["state"] in ("queued", "running")
    assert (begun["passes"], begun["call"]["epochs"], begun["name"]) == (9000, 9000, "m")
    assert "Cancel it first" in klyuch("remove", job_id)
    end = time.monotonic() + 120
    while not (shown := klyuch("show", job_id[:-2], "--json"))["progress"]:
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    assert klyuch("cancel", job_id, "--kill", "--json")["state"] == "cancelled"
    assert "ended already" in klyuch("cancel", job_id)
    assert job_id[:15] in klyuch("list")
    assert [job["state"] for job in klyuch("list", "--json")] == ["cancelled"]
    assert "embeddings.train" in klyuch("show", job_id)
    assert klyuch("resume", job_id, "--json")["state"] in ("queued", "running")
    klyuch("cancel", job_id, "--kill")
    assert klyuch("remove", job_id, "--json") == {"removed": job_id}
    assert "There are no jobs" in klyuch("list")

"""``klyuch models get hf:OWNER/NAME`` and ``klyuch models suggestions``."""

import json
import shlex
from pathlib import Path

import pytest

from tests.shelf.hub_networks import NAME, tiny_files
from tests.shelf.hub_server import running

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "howto" / "network.md"
FETCHED = ("google-bert/bert-base-uncased", "cointegrated/rubert-tiny2")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A Hub with one network, and an empty shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    with running(monkeypatch, {NAME: tiny_files(tmp_path / "tiny")}) as state:
        yield state


def test_the_size_is_told_and_the_network_answers_by_its_name(hub, run):
    code, out, _ = run("models", "get", f"hf:{NAME}", "--name", "tiny", "--language", "ru")
    assert code == 0
    told = out.partition("\n")[0]
    for part in ("bert of 2 x 8", "4 files", "of memory to open", "licence mit", "language ru, en"):
        assert part in told
    models = json.loads(run("models", "list", "--json").out)
    assert [(m["name"], m["kind"], m["language"]) for m in models] == [("tiny", "network", "ru")]
    code, out, _ = run("fill", "ключом [MASK]", "--model", "tiny", "--topn", "3", "--json")
    assert code == 0
    assert json.loads(out)


def test_names_are_suggested_each_of_which_can_be_read_as_one(run):
    from embeddings.sources.hub import parse_name

    said = json.loads(run("models", "suggestions", "--json").out)
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
    models = json.loads(run("models", "list", "--json").out)
    assert [model["name"] for model in models] == ["bert-base-uncased", "rubert"]


@pytest.mark.network
def test_each_suggestion_can_be_once_per_run_on_the_public_hub(monkeypatch):
    from embeddings.shelf.hub_models import SUGGESTIONS, look_up_network

    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    for suggested in SUGGESTIONS:
        network = look_up_network(suggested.name)
        sizes = (network.layers, network.hidden_size)
        assert sizes == (suggested.layers, suggested.hidden_size)

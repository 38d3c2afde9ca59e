"""The card of each model that ships says how to make it again: a clean commit, a command that exists, corpora, seed, scores, machine."""

import math
import re
import tomllib
from pathlib import Path

import pytest

from embeddings.cli import main
from embeddings.files import read_json, sha256

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "data" / "models"
CLEAN = re.compile(r"[0-9a-f]{40}")


@pytest.fixture(scope="module")
def cards():
    """Every card by its folder's name."""
    return {path.parent.name: read_json(path) for path in sorted(MODELS.glob("*/card.json"))}


def numbers(values):
    """All numbers of a tree of dictionaries."""
    for value in values.values():
        if isinstance(value, dict):
            yield from numbers(value)
        elif isinstance(value, (int, float)):
            yield value


def test_every_folder_has_a_card_of_its_name_and_kind(cards):
    assert set(cards) == {folder.name for folder in MODELS.iterdir()}
    assert len(cards) >= 19
    assert {name for name, card in cards.items() if card["name"] != name} == set()
    kinds = {card["kind"] for card in cards.values()}
    assert kinds == {"static", "network", "translation", "classifier"}
    networks = [card for card in cards.values() if card["kind"] == "network"]
    assert all(card["complete"] and card["curve"] for card in networks)


def test_all_name_a_commit_that_one_can_check_out(cards):
    for name, card in cards.items():
        stages = [stage for stage in card.get("stages", ()) if "commit" in stage]
        assert all(CLEAN.fullmatch(part["commit"]) for part in (card, *stages)), name


@pytest.fixture
def flags_offered(monkeypatch, capsys):
    """Return a function: the flags of the benchmark, or of the command of ``klyuch``, that a line calls."""
    monkeypatch.setenv("COLUMNS", "300")

    def offered(command):
        if module := re.match(r"python -m benchmarks\.(\w+) ", command):
            source = (ROOT / "benchmarks" / f"{module[1]}.py").read_text(encoding="utf-8")
            return set(re.findall(r'"(--[a-z-]+)"', source))
        monkeypatch.setattr("sys.argv", [*command.partition(" --")[0].split(), "--help"])
        with pytest.raises(SystemExit):
            main()
        return set(re.findall(r"--[a-z-]+", capsys.readouterr().out))

    return offered


def test_the_command_is_one_that_there_is_with_flags_that_it_has(cards, flags_offered):
    for name, card in cards.items():
        for command in card["command"].split("; "):
            assert command.startswith(("python -m benchmarks.", "klyuch ")), name
            flags = set(re.findall(r"--[a-z-]+", command))
            assert flags <= flags_offered(command), (name, command)


def test_the_corpus_has_a_title_a_licence_and_the_checksums_of_the_catalogue(cards):
    catalogue = tomllib.loads((ROOT / "data" / "catalogue.toml").read_text(encoding="utf-8"))
    rows = [row for entry in catalogue["entry"] for row in entry["files"]]
    listed = {Path(row.get("mirror", "")).name: row.get("sha256") for row in rows}
    for name, card in cards.items():
        corpus = card["corpus"]
        assert corpus["licence"].strip(), name
        assert corpus["title"].strip(), name
        for file, checksum in corpus.get("files", {}).items():
            assert listed[file] == checksum, (name, file)


def test_seed_settings_machine_versions_and_finite_scores_are_told(cards):
    for name, card in cards.items():
        assert isinstance(card["seed"], int), name
        assert card["settings"], name
        assert card["versions"], name
        assert re.search(r"\w, \d+ cores$", card["machine"]), name
        scores = list(numbers(card["scores"]))
        assert scores, name
        assert all(map(math.isfinite, scores)), name


def test_the_card_knows_every_file_beside_it_by_checksum(cards):
    for name, card in cards.items():
        files = {file.name for file in (MODELS / name).iterdir()} - {"card.json"}
        assert set(card["files"]) == files
        for file, checksum in card["files"].items():
            assert sha256(MODELS / name / file) == checksum, (name, file)


def test_a_model_that_reads_a_network_was_made_with_the_one_that_ships(cards):
    """A table of a network's vectors, a classifier and a fused translator."""
    reads = {name: card.get("bert") or card.get("network") for name, card in cards.items()}
    assert sum(map(bool, reads.values())) >= 5
    for name, base in reads.items():
        if base:
            word = re.search(r"--model (\S+)", cards[name]["command"])
            network = base.get("name") or word[1]
            assert cards[network]["files"]["model.safetensors"] == base["sha256"], name

"""docs/guide.md: every block runs, in the order of the page."""

import json
import random
import re
import shlex
from pathlib import Path

import pytest

from embeddings.cli import main
from embeddings.models.bert import PretrainingNetwork
from embeddings.models.bert_config import BertConfig
from embeddings.models.huggingface_folder import save_network, write_card
from embeddings.shelf import find
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide.md"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PEOPLE = ["king", "queen", "man", "woman", "boy", "girl"]
REST = [
    "the",
    "old",
    "opened",
    "door",
    "with",
    "a",
    "key",
    "in",
    "lock",
    "and",
    "went",
    "home",
    "spring",
    "ice",
    "water",
]


def blocks():
    """Language, line and text of each block of the page."""
    text = GUIDE.read_text(encoding="utf-8")
    return [(m[1], text.count("\n", 0, m.start()) + 2, m[2]) for m in BLOCK.finditer(text)]


def write_novels(folder):
    """A folder of text in which every word of the page stands often enough."""
    rng = random.Random(1)
    folder.mkdir()
    lines = [" ".join(rng.choices(PEOPLE + REST, k=12)) for _ in range(600)]
    (folder / "one.txt").write_text("\n".join(lines[:300]), encoding="utf-8")
    (folder / "two.txt").write_text("\n".join(lines[300:]), encoding="utf-8")
    return lines


def write_network(folder, lines):
    """A tiny BERT on the shelf, called bert."""
    folder.mkdir(parents=True)
    wordpiece = train_wordpiece(
        [*lines, "He turned . The keys hung by song is of G"], WordPieceConfig(300)
    )
    wordpiece.save(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(wordpiece), intermediate_size=32, **sizes)
    save_network(PretrainingNetwork(config), folder)
    write_card(folder, {"kind": "network", "method": "bert", "language": "en"})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the novels, and a shelf with the network beside the models that ship."""
    place = tmp_path_factory.mktemp("guide")
    lines = write_novels(place / "novels")
    write_network(place / "home" / "models" / "bert", lines)
    (place / "words.txt").write_text("king\nwater\nspring\nice\n")
    return place


def run_command(line, monkeypatch):
    """Run one klyuch command in this process."""
    monkeypatch.setattr("sys.argv", shlex.split(line, comments=True))
    code = None
    try:
        main()
    except SystemExit as stopped:
        code = stopped.code
    assert not code, line


def test_every_block_of_the_guide_runs(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setenv("KLYUCH_HOME", str(place / "home"))
    space: dict[str, object] = {}
    for kind, line, text in blocks():
        if kind == "python":
            exec(compile("\n" * (line - 1) + text, str(GUIDE), "exec"), space)
        else:
            for command in text.strip().split("\n"):
                run_command(command, monkeypatch)
    printed = capsys.readouterr().out
    assert "queen" in printed
    assert "Traceback" not in printed
    assert space["states"].vectors.shape == (3, 3, 16)
    assert (place / "map.html").stat().st_size > 10_000
    assert (
        json.loads((place / "for-transformers" / "config.json").read_text())["model_type"] == "bert"
    )
    assert find("imported").language == "en"
    assert find("novels").method == "skipgram"


def test_the_first_block_is_ten_lines_at_most():
    kind, _, text = blocks()[0]
    assert kind == "python"
    assert len([line for line in text.split("\n") if line.strip()]) <= 10


def test_every_command_begins_with_klyuch():
    commands = [
        line for kind, _, text in blocks() if kind == "sh" for line in text.strip().split("\n")
    ]
    assert len(commands) > 8
    assert all(command.startswith("klyuch ") for command in commands)

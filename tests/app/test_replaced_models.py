"""A model that another server replaces is never answered from the one that was there before."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embeddings.shelf import add_model, delete, rename
from embeddings.vectors.formats import build_card, write_native
from embeddings.vectors.table import Vectors

ROOT = Path(__file__).resolve().parents[2]
SERVER = """
import sys
from app.loaders import shelf_models
from embeddings import shelf
for line in sys.stdin:
    entry = next((e for e in shelf_models.static_models() if e.name == "mine"), None)
    said = shelf_models.vectors(entry).words[0] if entry else "gone"
    print(said, entry and shelf_models.card(entry)["corpus"]["name"], flush=True)
"""


def made(folder, word):
    """Write a model of two words, the first of them given; the same number of bytes each time."""
    table = Vectors([word, "last"], np.eye(2, dtype=np.float32), method="cbow")
    write_native(table, folder, card=build_card(table, corpus={"name": word}, settings={}))
    return folder


@pytest.fixture
def servers(tmp_path, monkeypatch):
    """Two processes with one shelf, each with what it keeps of models, and a function that asks both."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=os.environ,
        )
        for _ in range(2)
    ]

    def ask():
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        return [process.stdout.readline().strip() for process in processes]

    yield ask
    for process in processes:
        with process:
            process.stdin.close()


def test_two_servers_answer_from_the_model_that_is_there_now(servers, tmp_path):
    folder = tmp_path / "models" / "mine"
    made(folder, "fish")
    assert servers() == ["fish fish"] * 2
    times = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    made(folder, "bird")
    for path in folder.iterdir():  # a copy that keeps times and sizes
        os.utime(path, ns=(times[path.name],) * 2)
    assert servers() == ["bird bird"] * 2
    delete("mine")
    assert servers() == ["gone None"] * 2
    add_model(made(tmp_path / "new", "wolf"), "other")
    rename("other", "mine")
    assert servers() == ["wolf wolf"] * 2

"""An empty shelf of its own for each test, and an empty folder of results."""

import json

import pytest

from embeddings.library.experiments import told


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty folder of results, and what writes a file there."""
    monkeypatch.setattr(told, "folder", lambda: tmp_path)

    def write(**files):
        for name, value in files.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")

    return write

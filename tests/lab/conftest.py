"""An empty folder of results for each test."""

import json

import pytest

from embeddings.lab import experiment_files


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty folder of results, and what writes a file there."""
    monkeypatch.setattr(experiment_files, "experiments", lambda: tmp_path)

    def write(**files):
        for name, value in files.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")

    return write

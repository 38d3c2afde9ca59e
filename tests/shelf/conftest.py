"""An empty shelf of its own for each test."""

import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty shelf."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KLYUCH_DATA", str(tmp_path / "data"))
    return tmp_path

"""A home and a translator for commands."""

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """A home of its own for each test, which is not there yet."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def translator_folder(tmp_path_factory):
    """An untrained translator of two layers with two heads each."""
    from tests.small_translators import write_translator

    folder = tmp_path_factory.mktemp("translator") / "small"
    return write_translator(folder, ["the cat sat", "die Katze saß"], 40)

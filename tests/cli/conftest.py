"""Run ``klyuch`` in this process, as a shell would."""

import json
from typing import Any, NamedTuple

import pytest

from embeddings.cli import main


class Said(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What a command that ended well printed as JSON."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one sentence of a command that was refused, as one line."""
        assert (self.code, self.out) == (2, "")
        return self.err.replace("\n", " ")


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


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs ``klyuch`` with arguments."""

    def klyuch(*arguments):
        monkeypatch.setattr("sys.argv", ["klyuch", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Said(ended.value.code, printed.out, printed.err)

    return klyuch

"""Run ``klyuch`` in this process, as a shell would."""

from typing import NamedTuple

import pytest

from embeddings.cli import main


class Said(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


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

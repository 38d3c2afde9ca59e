"""What describes a Parquet file runs in the process of these tests: a process of its own takes a second, and tests/hostile starts it."""

import io
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace

import pytest

from embeddings.vectors.formats import parquet


def run_here(command, **_):
    """Run ``python -c CODE PATH`` in this process."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(sys, "argv", ["-c", command[3]])
        exec(command[2], {})
    return SimpleNamespace(returncode=0, stdout=said.getvalue())


@pytest.fixture(autouse=True)
def _no_process_for_parquet(monkeypatch):
    monkeypatch.setattr(parquet, "subprocess", SimpleNamespace(run=run_here))

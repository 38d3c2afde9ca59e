"""A skipped test is no passed one where all that tests need is there."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_sessionfinish

ROOT = Path(__file__).resolve().parents[1]


def test_a_skipped_test_fails_the_run_where_all_is_installed(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "import pytest\ndef test_a(): pytest.skip('no such tool')\ndef test_b(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", os.devnull, tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KLYUCH_PROXIES": "1"}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1, run.stdout
    assert "no such tool" in run.stdout


@pytest.mark.parametrize(("all_installed", "code"), [("1", 1), ("", 0)])
def test_elsewhere_a_skipped_test_is_none_that_failed(monkeypatch, all_installed, code):
    skipped = SimpleNamespace(longrepr="no such tool")
    reporter = SimpleNamespace(stats={"skipped": [skipped]}, write_line=print)
    manager = SimpleNamespace(get_plugin=lambda _: reporter)
    session = SimpleNamespace(config=SimpleNamespace(pluginmanager=manager), exitstatus=0)
    monkeypatch.setenv("KLYUCH_PROXIES", all_installed)
    pytest_sessionfinish(session)
    assert session.exitstatus == code

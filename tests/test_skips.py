"""A skipped test is no passed one where all that tests need is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("all_installed", "code"), [("1", 1), ("", 0)])
def test_a_skipped_test_fails_the_run_where_all_is_installed_and_only_there(
    tmp_path, all_installed, code
):
    (tmp_path / "test_a.py").write_text(
        "import pytest\ndef test_a(): pytest.skip('no such tool')\ndef test_b(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", os.devnull, tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KLYUCH_PROXIES": all_installed}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == code, run.stdout
    assert ("no such tool" in run.stdout) == (code == 1)

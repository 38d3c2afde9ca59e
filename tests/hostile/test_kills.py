"""Work that is killed at random moments leaves what is whole or nothing, and ends as if it had not been killed when it is done again."""

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.conftest import ROOT

KILLS = int(os.environ.get("KLYUCH_KILLS", "20"))


@pytest.mark.slow
def test_what_is_killed_leaves_nothing_half_done_and_ends_when_it_is_done_again():
    command = [sys.executable, "-m", "tests.hostile.kills", str(KILLS), "1"]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60 + 30 * KILLS, check=True
    )
    found = json.loads(run.stdout)
    assert found["failures"] == [], run.stderr
    assert sum(found["kills"].values()) == KILLS
    assert sum(found["in_time"].values()) >= KILLS // 5

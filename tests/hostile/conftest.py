"""The process in which hostile files are read, its limits set by the operating system."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.systems import need_linux

need_linux()

MEMORY = 256 << 20  # bytes beside those that the imported libraries have taken
SECONDS = 20
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def limited_process():
    """A process that answers lines of standard input (`tests.hostile.limited_process`)."""
    one = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1", "TOKENIZERS_PARALLELISM": "false"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.limited_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, **one},
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def ended(limited_process, tmp_path):
    """A function that reads a path with a reader and returns how that ended: read, refused by a sentence, or anything else."""

    def read(reader, path, memory=MEMORY, seconds=SECONDS):
        asked = {"reader": reader, "path": str(path), "memory": memory, "seconds": seconds}
        asked["home"] = str(tmp_path / "home")
        limited_process.stdin.write(json.dumps(asked) + "\n")
        limited_process.stdin.flush()
        return json.loads(limited_process.stdout.readline())

    return read

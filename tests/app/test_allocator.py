"""A server gives memory back: a large array that is freed between two that live leaves its pages."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, sys
import numpy as np
from app import allocator
from benchmarks.visits import memory_of

if not allocator.give_back_early():
    sys.exit(3)
np.ones(30 << 20, np.uint8)  # freed: by itself glibc would put what is smaller into its heap from now on
arrays = [np.ones(24 << 20, np.uint8) for _ in range(10)]
before = memory_of(os.getpid())
del arrays[:-1:2]
print((before - memory_of(os.getpid())) >> 20)
"""


def given_back():
    plain = {name: value for name, value in os.environ.items() if "MALLOC" not in name}
    plain.pop("LD_PRELOAD", None)
    ended = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=plain, check=False
    )
    if ended.returncode == 3:
        pytest.skip("this system's C library has no such bounds")
    assert ended.returncode == 0, ended.stderr
    return int(ended.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux")
def test_a_large_array_freed_between_two_that_live_is_given_back_at_once():
    assert given_back() >= 5 * 24 - 2

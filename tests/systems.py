"""Modules and files that only some systems have: where they belong, their absence is an error and no reason to skip."""

import importlib
import sys
from pathlib import Path

import pytest

POSIX = ("linux", "darwin")


def posix_module(name):
    """Import a module of POSIX systems; elsewhere the tests that need it are skipped."""
    if sys.platform in POSIX:
        return importlib.import_module(name)
    return pytest.importorskip(name)


def need_linux():
    """Skip where the system is not Linux; there /proc must be readable."""
    if sys.platform != "linux":
        pytest.skip("limits and open files are looked up in Linux's /proc", allow_module_level=True)
    assert Path("/proc/self/fd").is_dir()
    assert Path("/proc/self/statm").is_file()

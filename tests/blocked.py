"""Python programs that run as if some libraries were not installed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Missing())
"""


def run_without(libraries, program, *, cwd=ROOT, **environment):
    """Output and errors of a program in a process that cannot import ``libraries``."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(blocked=set(libraries)) + program],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.stdout, done.stderr

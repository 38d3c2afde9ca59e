"""Run ``klyuch --help`` from the built wheel, away from the sources: the package alone must be enough.

The wheel is unpacked into a folder of its own that is put first on the path; the libraries come from this environment.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

wheel = next(Path(sys.argv[1]).glob("klyuch-*.whl"))
with tempfile.TemporaryDirectory() as folder:
    zipfile.ZipFile(wheel).extractall(folder)
    script = (
        "import sys, embeddings, app; from embeddings.cli import main;"
        f"assert embeddings.__file__.startswith({folder!r}), embeddings.__file__;"
        "sys.argv = ['klyuch', '--help']; main()"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": folder},
        check=True,
    )

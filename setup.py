"""What pyproject.toml cannot say: where the pages and the data lie in a wheel.

A clone has ``app/``, ``data/`` and ``benchmarks/results/`` beside the package; an installation in place finds them there.
A wheel carries them inside: the pages as ``embeddings/page/app`` (`embeddings.cli.tools_commands` starts them), so that nothing is
installed under a top-level name as common as ``app``; the others as ``embeddings/data``, where `embeddings.shelf` finds them.
"""

import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
IN_PLACE = "editable_wheel" in sys.argv or "develop" in sys.argv
CARRIED = {"app": "page/app", "data": "data", "benchmarks/results": "data/experiments"}


class BuildWithPages(build_py):
    """Build the package; unless installed in place, copy into it what a clone has beside it."""

    def run(self) -> None:
        """Build as ever, then copy."""
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "embeddings"
            for name in ("page", "data"):
                shutil.rmtree(package / name, ignore_errors=True)
            for source, target in CARRIED.items():
                unwanted = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, package / target, ignore=unwanted)


setup(
    packages=find_packages(include=["embeddings*", *(["app*"] if IN_PLACE else [])]),
    cmdclass={"build_py": BuildWithPages},
)

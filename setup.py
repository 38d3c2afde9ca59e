"""What pyproject.toml cannot say: a wheel carries data/ and benchmarks/results/ inside, where `embeddings.shelf` finds them."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithData(build_py):
    """Build the package; unless installed in place, copy data/ and benchmarks/results/ to embeddings/data."""

    def run(self) -> None:
        """Build as ever, then copy."""
        super().run()
        if not self.editable_mode:
            root = Path(__file__).parent
            target = Path(self.build_lib) / "embeddings" / "data"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(root / "data", target)
            shutil.copytree(root / "benchmarks" / "results", target / "experiments")


setup(cmdclass={"build_py": BuildWithData})

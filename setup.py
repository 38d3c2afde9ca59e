"""What pyproject.toml cannot say: a wheel carries data/ inside the package, where `embeddings.library` finds it."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithData(build_py):
    """Build the package; unless installed in place, copy data/ to embeddings/data."""

    def run(self) -> None:
        """Build as ever, then copy."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "embeddings" / "data"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(Path(__file__).parent / "data", target)


setup(cmdclass={"build_py": BuildWithData})

"""The tests of the pages against the newest Streamlit of the registry: a report that never fails the build.

``python .ci/newest_streamlit.py``: what requirements.txt pins is installed in a fresh environment, then the newest Streamlit over it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from fresh_environment import QUIET, ROOT, installed

TESTS = ("tests/app/test_pages.py", "tests/app/test_server_limits.py", "tests/app/test_address.py")


def main() -> None:
    """Print the version and the end of pytest's report."""
    with tempfile.TemporaryDirectory() as folder:
        binaries = installed(Path(folder))
        install = [binaries / "pip", "install", *QUIET]
        subprocess.run([*install, "-r", ROOT / "requirements-dev.txt"], check=True)
        subprocess.run([*install, "--upgrade", "streamlit"], check=True)
        shown = subprocess.run([binaries / "streamlit", "version"], stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
        command = [binaries / "python", "-m", "pytest", "-q", "-n0", *TESTS]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        sys.stdout.write(f"{shown.stdout.strip()}: {done.stdout.strip().splitlines()[-1]}\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        sys.stdout.write(f"The newest Streamlit was not tried: {error}\n")

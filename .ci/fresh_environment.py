"""What requirements.txt pins is installed in a fresh environment and used; and it can be had for each Python that is supported.

``python .ci/fresh_environment.py``: the command and the pages answer, `klyuch doctor` finds nothing wrong; then pip resolves the same pins
for the other versions of Python, from wheels alone.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
QUIET = ("--quiet", "--disable-pip-version-check")


def installed(room: Path) -> Path:
    """Install the pins; return the folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", room / "environment"], check=True)
    binaries = room / "environment" / "bin"
    subprocess.run(
        [binaries / "pip", "install", *QUIET, "-r", ROOT / "requirements.txt"], cwd=ROOT, check=True
    )
    subprocess.run([binaries / "pip", "check"], check=True, stdout=subprocess.DEVNULL)
    return binaries


def check_command(binaries: Path, home: Path) -> None:
    """The doctor finds every library but those of the extras that requirements.txt leaves out, and nothing wrong."""
    environment = {**os.environ, "KLYUCH_HOME": str(home)}
    done = subprocess.run(
        [binaries / "klyuch", "doctor", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    said = json.loads(done.stdout)
    problems = [problem for problem in said["problems"] if " MB left " not in problem]
    assert not problems, problems
    missing = {lib["name"] for lib in said["libraries"] if not lib["version"]}
    assert missing <= {"dask", "distributed", "transformers"}, missing
    assert said["shipped_models"] > 0


def check_pages(binaries: Path, home: Path) -> None:
    """The server answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [binaries / "streamlit", "run", "app/server.py", "--server.headless=true"]
    environment = {**os.environ, "KLYUCH_HOME": str(home)}
    server = subprocess.Popen([*command, f"--server.port={port}"], cwd=ROOT, env=environment)
    try:
        for _ in range(1200):
            try:
                address = f"http://localhost:{port}/_stcore/health"
                assert urllib.request.urlopen(address, timeout=2).read() == b"ok"
                return
            except OSError:
                assert server.poll() is None, "the server ended"
                time.sleep(0.1)
        raise TimeoutError("the pages did not answer within two minutes")
    finally:
        server.terminate()
        server.wait(20)


def resolve(room: Path) -> None:
    """Pip finds a wheel of every pin, and of all that these need, for each Python."""
    pins = room / "pins.txt"
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins.write_text("\n".join(line for line in lines if "==" in line), encoding="utf-8")
    for version in PYTHONS:
        report = room / f"{version}.json"
        command = [sys.executable, "-m", "pip", "install", *QUIET, "--dry-run", "-r", pins]
        command += ["--target", room / version, "--python-version", version]
        command += ["--only-binary=:all:", "--report", report]
        subprocess.run(command, check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
        sys.stdout.write(f"Python {version}: {len(found)} distributions\n")


def main() -> None:
    """Install, use, resolve."""
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        binaries = installed(room)
        check_command(binaries, room / "home")
        check_pages(binaries, room / "home")
        resolve(room)


if __name__ == "__main__":
    main()

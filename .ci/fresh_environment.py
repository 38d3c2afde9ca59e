"""What requirements.txt pins is installed in a fresh environment and used; and it can be had for each Python that is supported.

``python .ci/fresh_environment.py``: `klyuch doctor` finds nothing wrong; what the Dockerfile starts answers, by its own variables and as
its user; then pip resolves the same pins for the other versions of Python, from wheels alone. Last, if the registry has a newer Streamlit
than the pins, it is installed over them and the tests of the pages run: a report that never fails the build.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from clean_wheel import look

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = {"3.11", "3.12", "3.13"} - {f"{sys.version_info.major}.{sys.version_info.minor}"}
LEFT_OUT = {
    "anywidget",
    "dask",
    "distributed",
    "janome",
    "jieba",
    "pythainlp",
    "traitlets",
    "transformers",
}  # of the extras cluster, hub, notebook, segmentation
QUIET = ("--quiet", "--disable-pip-version-check")
INSTALL = ("install", *QUIET, "--no-compile")  # of thousands of modules few are imported
PAGES = [f"tests/app/test_{name}.py" for name in ("pages", "views", "server_requests", "address")]


def installed(room: Path) -> Path:
    """Install the pins; return the folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", room / "environment"], check=True)
    binaries = room / "environment" / "bin"
    subprocess.run(
        [binaries / "pip", *INSTALL, "-r", ROOT / "requirements.txt"], cwd=ROOT, check=True
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
    assert missing <= LEFT_OUT, missing
    assert said["shipped_models"] > 0


def check_container(binaries: Path, room: Path) -> None:
    """The Dockerfile's command, with its variables, as its user and in its folder, becomes healthy by its own check and shows pages.

    The environment takes the place of the image's, its files belong to another user as there; no container engine is needed.
    """
    subprocess.run([binaries / "pip", *INSTALL, "--no-deps", "--force-reinstall", ROOT], check=True)
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = dict(re.findall(r"^(ENV|USER|CMD|HEALTHCHECK) +(.*)$", text, re.MULTILINE))  # the last
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = {
        "/opt/klyuch": str(binaries.parent),
        "/data": str(room / "data"),
        "python3.11": version,
    }
    environment = {}
    for name, value in re.findall(r"(\w+)=(\S+)", lines["ENV"]):
        for there, here in places.items():
            value = value.replace(there, here)
        environment[name] = value.replace("$PATH", os.defpath)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        environment["PORT"] = str(probe.getsockname()[1])
    (room / "data").mkdir()
    room.chmod(0o755)
    user = {"user": int(lines["USER"]), "group": int(lines["USER"]), "extra_groups": ()}
    if os.geteuid() == 0 and _may_run(binaries / "python", user):
        os.chown(room / "data", user["user"], user["group"])
    else:
        sys.stdout.write("The Dockerfile's command runs as this user, not as its own.\n")
        user = {}
    shell = {"env": environment, "cwd": room / "data", "shell": True, **user}
    server = subprocess.Popen(lines["CMD"], **shell)
    healthy = lines["HEALTHCHECK"].split(" CMD ")[1]
    try:
        for _ in range(120):
            if not subprocess.run(healthy, **shell, stderr=subprocess.DEVNULL).returncode:
                break
            assert server.poll() is None, "the server ended"
            time.sleep(1)
        else:
            raise TimeoutError("the container's command was not healthy within two minutes")
        sentences = (ROOT / "app/wording/en/fill.toml").read_text(encoding="utf-8")
        title = tomllib.loads(sentences)["fill"]["title"]
        look(f"http://127.0.0.1:{environment['PORT']}", title)
    finally:
        server.terminate()
        server.wait(20)


def _may_run(program: Path, user: dict[str, Any]) -> bool:
    """Whether a user reaches a program: a Python below a private folder is nobody else's."""
    try:
        return not subprocess.run([program, "-c", ""], check=False, **user).returncode
    except PermissionError:
        return False


def resolve(room: Path) -> None:
    """Pip finds a wheel of every pin, and of all that these need, for each other Python."""
    pins = room / "pins.txt"
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins.write_text("\n".join(line for line in lines if "==" in line), encoding="utf-8")
    for version in sorted(PYTHONS):
        report = room / f"{version}.json"
        command = [sys.executable, "-m", "pip", "install", *QUIET, "--dry-run", "-r", pins]
        command += ["--target", room / version, "--python-version", version]
        command += ["--only-binary=:all:", "--report", report]
        subprocess.run(command, check=True)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
        sys.stdout.write(f"Python {version}: {len(found)} distributions\n")


def try_newest_streamlit(binaries: Path) -> None:
    """Print the newest Streamlit's version and the end of pytest's report on it, or what hinders that."""
    install = [binaries / "pip", *INSTALL]
    run = subprocess.run

    def version() -> str:
        command = [binaries / "streamlit", "version"]
        return run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    try:
        pinned = version()
        run([*install, "--upgrade", "streamlit"], check=True)
        newest = version()
        if newest == pinned:
            sys.stdout.write(f"{newest}: pinned, and there is no newer one\n")
            return
        run([*install, "-r", ROOT / "requirements-dev.txt"], check=True)
        run([*install, newest.replace("Streamlit, version ", "streamlit==")], check=True)
        command = [binaries / "python", "-m", "pytest", "-q", "-n0", *PAGES]
        done = run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        sys.stdout.write(f"{newest}: {done.stdout.strip().splitlines()[-1]}\n")
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        sys.stdout.write(f"The newest Streamlit was not tried: {error}\n")


def main() -> None:
    """Install, use, resolve, try the newest Streamlit."""
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        binaries = installed(room)
        check_command(binaries, room / "home")
        check_container(binaries, room)
        resolve(room)
        try_newest_streamlit(binaries)


if __name__ == "__main__":
    main()

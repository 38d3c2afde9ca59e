"""Install the built wheel in fresh environments, away from the sources, and use it as its two kinds of users would.

``python .ci/clean_wheel.py WHEEL base``: with the base libraries alone, train word vectors and ask them.
``python .ci/clean_wheel.py WHEEL app``: with the extra ``app``, start the pages by ``klyuch app`` and look at them in chromium.

Both check that the wheel brings one top-level name, and that nothing of the other extras is installed. Versions are those
of requirements.txt.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WITHOUT = {
    "base": ("app", "torch", "pandas", "pyarrow", "sklearn", "streamlit", "tokenizers", "gensim"),
    "app": ("app", "torch", "tokenizers", "gensim", "sacrebleu", "transformers"),
}
FORMULAS = {
    "en": "king - man + woman",
    "ru": "король - мужчина + женщина",
    "de": "könig - mann + frau",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WAIT = 120  # seconds for a page on a busy machine


class Installed:
    """A fresh environment with the wheel and one extra, or none, in it; ``folder`` is where the user is."""

    def __init__(self, room: Path, wheel: Path, kind: str) -> None:
        self.binaries, self.folder = room / "environment" / "bin", room / "here"
        self.folder.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "KLYUCH_DATA"},
            "KLYUCH_HOME": str(room / "home"),
            "PYTHONPATH": "",
        }
        subprocess.run([sys.executable, "-m", "venv", room / "environment"], check=True)
        pins = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        constraints = room / "constraints.txt"
        constraints.write_text("\n".join(pin for pin in pins if "==" in pin), encoding="utf-8")
        install = [self.binaries / "pip", "install", "--quiet", "--disable-pip-version-check"]
        install += ["--no-compile"]  # of thousands of modules few are imported
        target = f"{wheel}[{kind}]" if kind != "base" else str(wheel)
        subprocess.run([*install, "-c", constraints, target], check=True)
        self.python(
            "import importlib.util as u, sys; assert not [n for n in sys.argv[1:] if u.find_spec(n)]",
            *WITHOUT[kind],
        )

    def python(self, program: str, *arguments: str) -> str:
        """Return what a program prints in the environment."""
        return self._run("python", "-P", "-c", program, *arguments)

    def klyuch(self, *arguments: str) -> str:
        """Return what the command prints."""
        return self._run("klyuch", *arguments)

    def _run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(
            [self.binaries / name, *arguments],
            cwd=self.folder,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        return done.stdout


def check_names(wheel: Path) -> None:
    """The wheel installs `embeddings` and its own records, and no other top-level name."""
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    records = {name for name in names if name.startswith("klyuch-")}
    assert names - records == {"embeddings"}, names
    assert all(name.endswith((".dist-info", ".data")) for name in records), records


def check_base(installed: Installed) -> None:
    """The shipped models answer; a text becomes vectors that answer too, on the command line and in Python."""
    assert installed.klyuch("--version").startswith("klyuch ")
    models = json.loads(installed.klyuch("models", "list", "--json"))
    assert models, "the wheel carries no models"
    inside = str(installed.binaries.parent)
    assert all(model["path"].startswith(inside) for model in models), models
    program = "from embeddings.errors import messages; print(messages('de')['file_missing'])"
    assert "{path}" in installed.python(program), "the wheel carries no error messages"
    catalogue = json.loads(installed.klyuch("corpus", "list", "--json"))
    assert catalogue, "the wheel carries no catalogue"
    depth = json.loads(installed.klyuch("lab", "show", "depth", "--json"))
    assert depth["claims"], "the wheel carries no experiments"
    first = next(model for model in models if model["method"] == "skipgram")
    ask(installed, FORMULAS[first["language"]], first["name"])

    text = installed.folder / "text.txt"
    line = "the {} rules the land and the {} walks in the garden with the key of the door\n"
    pairs = (("king", "man"), ("queen", "woman"), ("king", "woman"), ("queen", "man"))
    text.write_text("".join(line.format(*pair) for pair in pairs * 200), encoding="utf-8")
    small = ("--vector-size", "16")
    installed.klyuch("corpus", "encode", "text.txt", "--output", "ids")
    installed.klyuch("word2vec", "train", "ids", "--output", "trained", *small, "--epochs", "2")
    installed.klyuch("glove", "train", "ids", "--output", "counted", *small, "--iterations", "2")
    for name in ("trained", "counted"):
        ask(installed, "king - man + woman", name)
    installed.klyuch("words", "convert", "trained", "trained.txt")
    installed.klyuch("models", "import", "trained.txt", "--name", "mine")
    program = (
        "import embeddings; v = embeddings.load('mine'); print(v.most_similar('king', topn=1))"
    )
    assert "(" in installed.python(program)


def ask(installed: Installed, formula: str, model: str) -> None:
    """A model answers a formula and a question for neighbours with ten words each."""
    word = formula.split()[0]
    for question in (("analogy", formula), ("neighbours", word)):
        answers = json.loads(installed.klyuch("words", *question, "-m", model, "--json"))
        assert len(answers) == 10, answers


def check_app(installed: Installed) -> None:
    """``klyuch app`` answers on its port and shows Explore; a page on networks says what it lacks."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [installed.binaries / "klyuch", "app", "--port", str(port), "--no-browser"]
    server = subprocess.Popen(command, cwd=installed.folder, env=installed.environment)
    try:
        wait_for(f"http://localhost:{port}/_stcore/health", server)
        look(f"http://localhost:{port}", 'pip install ".[networks]"')
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until an address answers."""
    for _ in range(10 * WAIT):
        assert server.poll() is None, f"klyuch app ended with {server.returncode}"
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)


def look(address: str, on_fill: str) -> None:
    """Open Explore and Fill the blank in chromium; the latter shows a text."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * WAIT)
    sentences = (ROOT / "app/wording/en/explore.toml").read_text(encoding="utf-8")
    title = tomllib.loads(sentences)["explore"]["title"]
    named = os.environ.get("KLYUCH_BROWSER")
    path = named or next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(locale="en")
        page.goto(address)
        expect(page.locator("h1")).to_have_text(title)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        page.goto(f"{address}/fill")
        expect(page.get_by_text(on_fill).first).to_be_visible()
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        browser.close()


if __name__ == "__main__":
    wheel, kind = Path(sys.argv[1]).resolve(), sys.argv[2]
    check_names(wheel)
    with tempfile.TemporaryDirectory() as room:
        installed = Installed(Path(room), wheel, kind)
        {"base": check_base, "app": check_app}[kind](installed)

"""Run ``klyuch`` from the built wheel, away from the sources: the package alone must be enough, models and catalogue with it.

The wheel is unpacked into a folder of its own that is put first on the path; the libraries come from this environment.
"""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FORMULAS = {
    "en": "king - man + woman",
    "ru": "король - мужчина + женщина",
    "de": "könig - mann + frau",
}
SCRIPT = """
import sys, embeddings, app
from embeddings.cli import main
assert embeddings.__file__.startswith({folder!r}), embeddings.__file__
sys.argv = ["klyuch", *{arguments!r}]
main()
"""


def klyuch(folder: str, *arguments: str) -> str:
    """Return what the unpacked command prints; nothing of the user's own is on its shelf."""
    environment = {**os.environ, "PYTHONPATH": folder, "KLYUCH_HOME": str(Path(folder) / "home")}
    environment.pop("KLYUCH_DATA", None)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(folder=folder, arguments=arguments)],
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


wheel = next(Path(sys.argv[1]).glob("klyuch-*.whl"))
with tempfile.TemporaryDirectory() as unpacked:
    zipfile.ZipFile(wheel).extractall(unpacked)
    assert "words" in klyuch(unpacked, "--help")
    models = json.loads(klyuch(unpacked, "models", "list", "--json"))
    assert models, "the wheel carries no models"
    assert all(model["path"].startswith(unpacked) for model in models), models
    assert json.loads(klyuch(unpacked, "corpus", "list", "--json")), (
        "the wheel carries no catalogue"
    )
    first = next(model for model in models if model["method"] == "skipgram")
    formula, model = FORMULAS[first["language"]], first["name"]
    answers = json.loads(klyuch(unpacked, "words", "analogy", formula, "-m", model, "--json"))
    assert len(answers) == 10, answers

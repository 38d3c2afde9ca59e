"""A static trainer is added by changing few files, shown on a copy of the project to which one is added."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.product_sources import PRODUCT, ROOT

MOST_FILES = 12  # issue 35
TRAINER = '''"""Vectors whose every number is how often their word occurs."""
import numpy as np
from embeddings.configuration import CheckedConfig, from_json, setting, to_json
from embeddings.static.trained_vectors import TrainedVectors
from embeddings.vectors.table import Vectors

class ToyConfig(CheckedConfig):
    vector_size: int = setting(100, "Numbers per word.")
    rounds: int = setting(1, "Passes through the text.")

def toy(corpus, settings, call, **options):
    config = from_json(ToyConfig, settings, call)
    counts = np.array(corpus.vocabulary.counts, np.float32)
    matrix = np.outer(counts, np.ones(config.vector_size, np.float32))
    return TrainedVectors(Vectors(corpus.vocabulary.words, matrix, method="toy"), to_json(config))
'''
COMMAND = '''
from embeddings.static.toy import ToyConfig

@verb("toy", "train")
def toy(corpus: list[Path], *, asked: RunOptions, config: ToyConfig) -> None:
    """Train vectors of counts and write them as a model's folder."""
    train_vectors("toy", corpus, config, asked)
'''
ROW = 'METHODS = {\n    "toy": Method("static.toy.toy", "rounds", has_heldout=False),'
NOUN = '[nouns]\ntoy = { about = "train a toy", files = ["static_training"] }'
VERB = '\n[toy.train]\nexample = "klyuch toy train a.txt"\nlanguage = "For the card."\n'
WORDING = {
    "[method]": '[method]\ntoy = "Toy"',
    "[method_about]": '[method_about]\ntoy = "Counts words, as a toy does."',
    "[method_loss]": '[method_loss]\ntoy = "counts"',
}
REPLACED = {  # in each file, text to find and its replacement
    "embeddings/method_registry.py": {"METHODS = {": ROW},
    "embeddings/cli/commands.toml": {"[nouns]": NOUN},
    **{f"app/wording/{language}/methods.toml": WORDING for language in ("en", "ru", "de")},
}
ADDED = {  # at the end of each file, or in a new one
    "embeddings/static/toy.py": TRAINER,
    "embeddings/cli/static_training.py": COMMAND,
    "embeddings/cli/commands.toml": VERB,
}
USE = """
import pathlib
from streamlit.testing.v1 import AppTest
import embeddings
from embeddings import shelf
from embeddings.corpora.text_preview import preview
from embeddings.jobs import recipes
from embeddings.jobs.estimate import estimate
from embeddings.training.settings import defaults
path = pathlib.Path("a.txt")
made = embeddings.train([line.split() for line in path.open()], "toy", "t", min_count=1, vector_size=3)
assert made["the"].tolist() == [120, 120, 120]
assert embeddings.load("t").words == made.words
assert embeddings.card("t")["method"] == "toy"
assert [entry.method for entry in shelf.list_models() if shelf.is_own(entry)] == ["toy"]
settings = defaults("toy", 2_000)
call = recipes.plan(recipes.Text((path,), "farm", "en"), "toy", settings, "farm").call
assert (call["rounds"], "heldout" in call) == (settings.passes, False)
assert estimate("toy", settings, preview([path])).seconds > 0
app = AppTest.from_file("app/main.py", default_timeout=120)
app.query_params.update(lang="en", text="en", train_method="toy")
app.switch_page("views/train/train.py").run()
assert not app.exception, app.exception
assert app.segmented_control(key="train_method").options[0] == "Toy"
assert "Counts words, as a toy does." in [text.value for text in (*app.markdown, *app.caption)]
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project with another trainer, which is all in `REPLACED` and `ADDED`."""
    copy = tmp_path_factory.mktemp("tree")
    for top in PRODUCT:
        shutil.copytree(ROOT / top, copy / top, ignore=shutil.ignore_patterns("__pycache__"))
    for name, changes in REPLACED.items():
        text = (copy / name).read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in text, (name, old)
            text = text.replace(old, new, 1)
        (copy / name).write_text(text, encoding="utf-8")
    for name, text in ADDED.items():
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write(text)
    (copy / "a.txt").write_text("the key opens the door\nthe sun warms the stone\n" * 30)
    return copy


def run(tree, *arguments):
    """Run Python in the copy, on a shelf of its own; it must end well."""
    surroundings = {"PYTHONPATH": str(tree), "KLYUCH_HOME": str(tree / "home")}
    surroundings = os.environ | surroundings | {"KLYUCH_DATA": str(ROOT / "data")}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=tree, env=surroundings, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_training_the_plan_of_a_job_the_shelf_and_the_page_know_it_by_12_files_or_fewer(tree):
    assert len(REPLACED.keys() | ADDED.keys()) <= MOST_FILES
    run(tree, "-c", USE)


def test_the_command_line_knows_it(tree):
    arguments = ("a.txt", "--output", "made", "--min-count", "1", "--vector-size", "3")
    run(tree, "-m", "embeddings.cli", "toy", "train", *arguments)
    card = json.loads((tree / "made" / "card.json").read_text())
    assert (card["method"], card["settings"]["vector_size"]) == ("toy", 3)

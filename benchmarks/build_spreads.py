"""The spreads that ship: trainings of a shipped model's settings on its corpus, by ``data/recipes.toml``.

    python -m benchmarks.build_spreads --corpora FOLDER --cache CACHE [--output data/spreads] [--only en-skipgram] [--workers 2]

A run that is broken off resumes after its last whole training, in the folder ``OUTPUT/NAME.run``.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from app.wording import examples
from benchmarks.build_models import SETS, encoded
from benchmarks.source_tree import ROOT, clean_commit
from embeddings.analysis.analogies import solve
from embeddings.files import CARD, read_json, write_json
from embeddings.shelf import association_tests, load_vectors
from embeddings.text.lemmas import lemma

RECIPES = ROOT / "data" / "recipes.toml"


def kept_words(language: str) -> list[str]:
    """Return the words whose neighbours and vectors are kept of every run: those of the association tests and of the pages' examples."""
    words = [
        w for sets in association_tests(language).values() for group in sets.words for w in group
    ]
    words += re.findall(r"[^\W\d_]+", " ".join(examples(language).values()))
    return list(dict.fromkeys(word.lower() for word in words))


def formula_answers(name: str, language: str) -> list[str]:
    """Return the words of the pages' example formulas and what the model answers to them, so that answers have ranges too."""
    vectors = load_vectors(name)
    words: list[str] = []
    for formula in examples(language)["formulas"].split(" | "):
        analogy = solve(vectors, formula, fold=partial(lemma, language=language))
        words += [term.word for term in analogy.terms] + [near.word for near in analogy.answers]
    return list(dict.fromkeys(words))


def test_sets(language: str) -> list[str]:
    """Return the arguments that name a language's test sets, each as it lies in ``KLYUCH_MIRROR`` or in the project."""
    arguments = []
    for kind, files in SETS[language].items():
        for file in files:
            home = ROOT if file.startswith("data/") else Path(os.environ["KLYUCH_MIRROR"])
            arguments += [f"--{kind}", str(home / file)]
    return arguments


def build(
    name: str, recipes: Mapping[str, dict], corpora: Path, cache: Path, output: Path, workers: int
) -> None:
    """Measure the spread of one model by `klyuch words stability`, on so many threads."""
    recipe = recipes["spreads"][name]
    corpus = recipes["models"][name]["corpus"]
    text = encoded(corpus, recipes["corpora"][corpus], corpora, cache)
    settings = [f"--{key}={recipe[key]}" for key in ("runs", "rows", "nearest", "kept")]
    settings.append(f"--workers={workers}")
    with tempfile.TemporaryDirectory() as folder:
        keep = Path(folder) / "words.txt"
        words = dict.fromkeys([*kept_words(corpus), *formula_answers(name, corpus)])
        keep.write_text("\n".join(words) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "embeddings.cli", "words", "stability", str(text.folder)]
        target = ["--like", name, "--output", str((output / name).resolve()), "--keep", str(keep)]
        target += test_sets(corpus)
        subprocess.run([*command, *target, *settings], check=True, cwd=ROOT)
    path = output / name / CARD
    made_by = f"python -m benchmarks.build_spreads --corpora CORPORA --cache CACHE --only {name}"
    write_json(path, {**read_json(path), "command": made_by})


def main() -> None:
    """Build those of the recipes, or those named."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--cache", type=Path, required=True, help="where encoded corpora are kept")
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "spreads")
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--workers", type=int, default=2, help="threads")
    options = ask.parse_args()
    clean_commit()
    recipes = tomllib.loads(RECIPES.read_text(encoding="utf-8"))
    for name in options.only or recipes["spreads"]:
        build(name, recipes, options.corpora, options.cache, options.output, options.workers)


if __name__ == "__main__":
    main()

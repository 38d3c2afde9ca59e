"""Ship the contexts that explain neighbours, one table a language, in the folder of its skip-gram model.

    python -m benchmarks.build_contexts --corpora FOLDER [--output data/models] [--cache FOLDER] [--only ru ...]

Corpora are those that the model was trained on (`data/recipes.toml`), encoded alike; its commonest words must be theirs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from benchmarks.build_models import encoded
from benchmarks.source_tree import ROOT, clean_commit
from embeddings.cli.output import progress_bar
from embeddings.configuration import to_json
from embeddings.files import read_json, sha256, write_json
from embeddings.static.context_counting import ContextConfig, count_contexts
from embeddings.vectors.context_table import FILE, save_contexts
from embeddings.vectors.formats import read_native
from embeddings.vectors.formats.native_folder import add_extra

LANGUAGES = ("en", "ru", "de")


def build(language: str, recipes: dict, corpora: Path, cache: Path, output: Path) -> dict:
    """Count the contexts of a language's corpus, add them to its skip-gram model, and tell it in the card."""
    config, folder = ContextConfig(), output / f"{language}-skipgram"
    corpus = encoded(*corpus_of(language, recipes), corpora, cache)
    vectors = read_native(folder)
    common = tuple(vectors.words[: config.words])
    if tuple(corpus.vocabulary.words[: config.words]) != common:
        raise SystemExit(
            f"{folder.name} was trained on another corpus: its commonest words differ."
        )
    with progress_bar() as report:
        table = count_contexts(corpus, config, report, lower=vectors.is_lower)
    add_extra(folder, lambda model: save_contexts(table, model), FILE)
    about = {
        "settings": to_json(config),
        "words": len(table),
        "entries": len(table.columns),
        "bytes": (folder / FILE).stat().st_size,
        "kept": round(sum(table.kept(row) for row in range(len(table))) / len(table), 4),
        "command": f"python -m benchmarks.build_contexts --corpora CORPORA --only {language}",
        "commit": clean_commit(),
        "sha256": sha256(folder / FILE),
    }
    write_json(folder / "card.json", {**read_json(folder / "card.json"), "contexts": about})
    return about


def corpus_of(language: str, recipes: dict) -> tuple[str, dict]:
    """Name and recipe of the corpus of a language's skip-gram model."""
    name = recipes["models"][f"{language}-skipgram"]["corpus"]
    return name, recipes["corpora"][name]


def arguments(description: str | None) -> argparse.Namespace:
    """Read which tables are built, from what, and where to."""
    ask = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--cache", type=Path, help="where encoded corpora are kept between runs")
    ask.add_argument("--only", nargs="*", default=LANGUAGES)
    return ask.parse_args()


def build_each(
    build: Callable[[str, dict, Path, Path, Path], dict], description: str | None
) -> None:
    """Build the tables of all languages, or of those of ``--only``, and print what the cards say of them."""
    options = arguments(description)
    clean_commit()
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        for language in options.only:
            cache = options.cache or Path(temporary)
            about = build(language, recipes, options.corpora, cache, options.output)
            print(language, json.dumps(about), flush=True)


if __name__ == "__main__":
    build_each(build, __doc__)

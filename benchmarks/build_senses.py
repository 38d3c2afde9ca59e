"""Ship the senses of words, one table a language, in the folder of its skip-gram model.

    python -m benchmarks.build_senses --corpora FOLDER [--output data/models] [--cache FOLDER] [--only ru ...]

Corpora and settings are those under ``senses`` (`data/recipes.toml`); no sentence of a corpus is kept.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.build_contexts import build_each
from benchmarks.build_models import encoded
from benchmarks.source_tree import clean_commit
from embeddings.cli.output import progress_bar
from embeddings.configuration import to_json
from embeddings.files import read_json, sha256, write_json
from embeddings.static.sense_building import build_senses
from embeddings.static.settings import SensesConfig
from embeddings.vectors.formats import read_native
from embeddings.vectors.formats.native_folder import add_extra
from embeddings.vectors.sense_table import FILE, save_senses


def build(language: str, recipes: dict, corpora: Path, cache: Path, output: Path) -> dict:
    """Find the senses of a language's words, add them to its skip-gram model, and describe them in the card."""
    settings, folder = dict(recipes["senses"][language]), output / f"{language}-skipgram"
    name = settings.pop("corpus")
    companion = settings.pop("companion", "")
    beside = read_native(output / companion) if companion else None
    config, about_corpus = SensesConfig(**settings), recipes["corpora"][name]
    corpus = encoded(name, about_corpus, corpora, cache)
    with progress_bar() as report:
        table = build_senses(corpus, read_native(folder), config, report, beside)
    add_extra(folder, lambda model: save_senses(table, model), FILE)
    about = {
        "corpus": {
            "name": name,
            "title": about_corpus["title"],
            "licence": about_corpus["licence"],
            "words": len(corpus.ids),
        },
        "companion": companion,
        "settings": to_json(config),
        "words": len(table),
        "senses": len(table.vectors),
        "bytes": (folder / FILE).stat().st_size,
        "command": f"python -m benchmarks.build_senses --corpora CORPORA --only {language}",
        "commit": clean_commit(),
        "sha256": sha256(folder / FILE),
    }
    write_json(folder / "card.json", {**read_json(folder / "card.json"), "senses": about})
    return about


if __name__ == "__main__":
    build_each(build, __doc__)

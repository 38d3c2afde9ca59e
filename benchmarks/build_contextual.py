"""Build the shipped tables of type-averaged contextual vectors by `data/recipes.toml`, one a language, from the shipped BERT.

    python -m benchmarks.build_contextual --corpora FOLDER --model bert-ru [--output data/models] [--only ru ...]

The corpora are those of `data/catalogue.toml`, packed or not. ``--words`` and ``--megabytes`` make a small one for a trial, ``--layers``
another choice of layers; the scores on the test sets at hand are printed and stand in the card.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from dataclasses import replace
from pathlib import Path

from benchmarks.build_models import catalogued, corpus_file, scores, summary
from benchmarks.source_tree import ROOT, check_clean, clean_commit
from embeddings.cli.nouns import open_entry
from embeddings.cli.output import progress_bar
from embeddings.configuration import from_json, to_json
from embeddings.corpora.sentence_sampling import TableConfig, sample_sentences
from embeddings.files import WEIGHTS, sha256
from embeddings.probing.contextual_neighbours import (
    build_table,
    open_table,
    table_card,
    write_table,
)
from embeddings.probing.network import Network
from embeddings.shelf import Entry, read_card


def page_words(language: str) -> tuple[str, ...]:
    """Words that the pages ask for, kept however rare they are."""
    text = (ROOT / "data" / "contexts" / "senses.toml").read_text(encoding="utf-8")
    senses = tomllib.loads(text)["sense"]
    return tuple(dict.fromkeys(s["word"] for s in senses if s["language"] == language))


def build(
    language: str, recipes: dict, options: argparse.Namespace, network: tuple[Entry, Network]
) -> dict[str, object]:
    """Make the table of one language and return its card."""
    begun = time.monotonic()
    entry, reader = network
    settings = dict(recipes["contextual"])
    name = settings.pop("corpora").get(language, language)
    about = recipes["corpora"][name]
    config = from_json(TableConfig, settings)
    config = replace(config, **{k: v for k in settings if (v := getattr(options, k, None))})
    files = [corpus_file(options.corpora, name) for name in about["files"]]
    with progress_bar() as report:
        sample = sample_sentences(files, config, page_words(language), report)
        digest = sha256(entry.path / WEIGHTS)
        table, reduction = build_table(reader, sample, config, digest, report)
    table.vectors.name, table.vectors.language = f"{language}-bert", language
    corpus = {
        "name": name,
        "title": about["title"],
        "licence": about["licence"],
        "files": {name: catalogued(name) for name in about["files"]},
    }
    command = f"python -m benchmarks.build_contextual --corpora CORPORA --model {entry.name} --only {language}"
    card = table_card(table, reduction, sample, config, corpus, command)
    card["commit"] = clean_commit()
    card["seconds"] = round(time.monotonic() - begun, 1)
    with tempfile.TemporaryDirectory() as trial:  # scores are those of the numbers on disk
        write_table(table, Path(trial) / "table", to_json(config), card)
        card["scores"] = scores(open_table(Path(trial) / "table").vectors)
    write_table(table, options.output / table.vectors.name, to_json(config), card)
    return card


def main() -> None:
    """Build all tables, or those of ``--only``."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--model", required=True)
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--words", type=int)
    ask.add_argument("--sentences", type=int)
    ask.add_argument("--megabytes", type=float)
    ask.add_argument("--layers")
    options = ask.parse_args()
    clean_commit()
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    network = open_entry(options.model)
    check_clean(read_card(network[0]), network[0].name)
    for language in options.only or recipes["corpora"]:
        card = build(language, recipes, options, network)
        kept = json.dumps(card["reduction"])
        print(
            f"{language}-bert",
            json.dumps(summary(card["scores"])),
            kept,
            f"{card['seconds']} s",
            flush=True,
        )


if __name__ == "__main__":
    main()

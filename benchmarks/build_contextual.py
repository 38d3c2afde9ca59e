"""Build the shipped tables of type-averaged contextual vectors by `data/recipes.toml`, one a language, from the shipped BERT.

    python -m benchmarks.build_contextual --corpora FOLDER --model bert-en-ru-de [--output data/models] [--only ru ...]

The corpora are those of `data/catalogue.toml`, packed or not. ``--words`` and ``--megabytes`` make a small one for a trial, ``--layers``
another choice of layers; the scores on the test sets at hand are printed and stand in the card. ``--mix FOLDER`` takes tables that were
built without lemmas and mixes these in, which is the last step of building them: seconds instead of minutes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from dataclasses import replace
from pathlib import Path

from benchmarks.build_models import ROOT, catalogued, corpus_file, scores, summary
from embeddings.cli.network_argument import open_entry
from embeddings.cli.output import progress_bar
from embeddings.configuration import from_json, to_json
from embeddings.files import read_json, sha256
from embeddings.library import Entry
from embeddings.probing.neighbours import WEIGHTS, ContextTable, open_table, write_table
from embeddings.probing.reader import Reader
from embeddings.probing.sampling import TableConfig, sample_sentences
from embeddings.probing.table import build_table, mix_lemmas, table_card
from embeddings.vectors.formats import build_card
from embeddings.vectors.table import Vectors


def page_words(language: str) -> tuple[str, ...]:
    """Words that the pages ask for, kept however rare they are."""
    text = (ROOT / "data" / "contexts" / "senses.toml").read_text(encoding="utf-8")
    senses = tomllib.loads(text)["sense"]
    return tuple(dict.fromkeys(s["word"] for s in senses if s["language"] == language))


def build(
    language: str, recipes: dict, said: argparse.Namespace, network: tuple[Entry, Reader]
) -> dict[str, object]:
    """Make the table of one language and return its card."""
    begun = time.monotonic()
    entry, reader = network
    about = recipes["corpora"][language]
    config = from_json(TableConfig, recipes["contextual"])
    config = replace(
        config, **{k: v for k in recipes["contextual"] if (v := getattr(said, k, None))}
    )
    files = [corpus_file(said.corpora, name) for name in about["files"]]
    with progress_bar() as report:
        sample = sample_sentences(files, config, page_words(language), report)
        digest = sha256(entry.path / WEIGHTS)
        table, reduction = build_table(reader, sample, config, digest, report, language)
    table.vectors.name, table.vectors.language = name_of(language), language
    corpus = {
        "name": language,
        "title": about["title"],
        "licence": about["licence"],
        "files": {name: catalogued(name) for name in about["files"]},
    }
    command = f"python -m benchmarks.build_contextual --corpora CORPORA --model {entry.name} --only {language}"
    card = table_card(table, reduction, sample, config, corpus, command)
    card["seconds"] = round(time.monotonic() - begun, 1)
    return written(table, to_json(config), card, said.output)


def mixed(language: str, recipes: dict, said: argparse.Namespace) -> dict[str, object]:
    """Mix lemmas into the table of one language that stands in ``said.mix``, and return its card."""
    folder = said.mix / name_of(language)
    old, card = open_table(folder), read_json(folder / "card.json")
    if card["settings"].get("lemma_share"):
        raise SystemExit(f"{folder} has its lemmas mixed in already.")
    settings = {**card["settings"], "lemma_share": recipes["contextual"]["lemma_share"]}
    matrix = mix_lemmas(old.vectors, settings["lemma_share"], language)
    vectors = Vectors(old.vectors.words, matrix, old.vectors.counts, method="bert")
    vectors.name, vectors.language, vectors.lower = name_of(language), language, old.vectors.lower
    command = f"{card['command']}; python -m benchmarks.build_contextual --mix data/models --only {language}"
    new = build_card(vectors, corpus=card["corpus"], settings=settings, command=command)
    new |= {"reduction": card["reduction"], "seconds": card["seconds"]}
    return written(replace(old, vectors=vectors), settings, new, said.output)


def name_of(language: str) -> str:
    """Return the name of a language's table."""
    return f"{language}-bert"


def written(
    table: ContextTable, settings: dict[str, object], card: dict[str, object], output: Path
) -> dict[str, object]:
    """Write a table and return its card; the scores in it are those of the numbers on disk."""
    with tempfile.TemporaryDirectory() as trial:
        write_table(table, Path(trial) / "table", settings, card)
        card["scores"] = scores(open_table(Path(trial) / "table").vectors)
    write_table(table, output / table.vectors.name, settings, card)
    return card


def main() -> None:
    """Build all tables, or those of ``--only``."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path)
    ask.add_argument("--model")
    ask.add_argument("--mix", type=Path)
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--words", type=int)
    ask.add_argument("--sentences", type=int)
    ask.add_argument("--megabytes", type=float)
    ask.add_argument("--layers")
    said = ask.parse_args()
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    if not said.mix and not (said.corpora and said.model):
        ask.error("--corpora and --model are needed, or --mix")
    network = None if said.mix else open_entry(said.model)
    for language in said.only or recipes["corpora"]:
        made = build(language, recipes, said, network) if network else None
        card = made or mixed(language, recipes, said)
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

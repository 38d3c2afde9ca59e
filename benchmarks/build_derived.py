"""Build what is derived from models that ship.

    python -m benchmarks.build_derived contexts --corpora FOLDER [--output data/models] [--cache FOLDER] [--only ru ...]
    python -m benchmarks.build_derived senses --corpora FOLDER [--output data/models] [--cache FOLDER] [--only ru ...]
    python -m benchmarks.build_derived lenses bert-en bert-de bert-ru
    python -m benchmarks.build_derived contextual --corpora FOLDER --model bert-ru [--output data/models] [--only ru ...]

``contexts``: the contexts that explain neighbours, a table in the folder of each language's skip-gram model. Corpora are those that the
model was trained on, encoded in the same way; its commonest words must be theirs.
``senses``: the senses of words, a table in the same folder. No sentence of a corpus is kept.
``lenses``: the Jacobian lens of each network that is named, in its folder. It is computed over the project's own sentences
(`embeddings.shelf.companions.build_lens`), a minute each on two cores.
``contextual``: type-averaged contextual vectors of a BERT, a static model of its own. ``--words`` and ``--megabytes`` make a small one
for a trial, ``--layers`` another choice of layers; the scores on the test sets at hand are printed and written into the card.

Corpora are those of `data/catalogue.toml`, packed or not; settings are those of `data/recipes.toml`. Each card says how its part was made.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.build_models import (
    catalogued,
    corpus_file,
    encoded,
    read_recipes,
    scores,
    summary,
)
from benchmarks.source_tree import ROOT, check_clean, clean_commit
from embeddings.cli.nouns import open_entry
from embeddings.cli.output import progress_bar
from embeddings.configuration import from_json, to_json
from embeddings.corpora.sentence_sampling import TableConfig, sample_sentences
from embeddings.files import WEIGHTS, sha256
from embeddings.model_card import change_card
from embeddings.networks.huggingface_folder import LENS
from embeddings.probing.contextual_neighbours import (
    build_table,
    open_table,
    table_card,
    write_table,
)
from embeddings.probing.jacobian_lens import write_lens
from embeddings.probing.network import Network, open_reader
from embeddings.shelf import Entry, read_card
from embeddings.shelf.companions import build_lens
from embeddings.static.context_counting import ContextConfig, count_contexts
from embeddings.static.sense_building import build_senses
from embeddings.static.settings import SensesConfig
from embeddings.vectors import context_table, sense_table
from embeddings.vectors.formats import read_native
from embeddings.vectors.formats.native_folder import add_extra

MODELS = ROOT / "data" / "models"
LANGUAGES = ("en", "ru", "de")


# Tables in the folder of a skip-gram model


def add_contexts(language: str, recipes: dict, corpora: Path, cache: Path, output: Path) -> dict:
    """Count the contexts of a language's corpus, add them to its skip-gram model, and describe them in the card."""
    config, folder = ContextConfig(), output / f"{language}-skipgram"
    name = recipes["models"][folder.name]["corpus"]
    corpus = encoded(name, recipes["corpora"][name], corpora, cache)
    vectors = read_native(folder)
    common = tuple(vectors.words[: config.words])
    if tuple(corpus.vocabulary.words[: config.words]) != common:
        raise SystemExit(
            f"{folder.name} was trained on another corpus: its commonest words differ."
        )
    with progress_bar() as report:
        table = count_contexts(corpus, config, report, lower=vectors.is_lower)
    add_extra(
        folder, lambda model: context_table.save_contexts(table, model), context_table.CONTEXTS_FILE
    )
    about = {
        "settings": to_json(config),
        "words": len(table),
        "entries": len(table.columns),
        "kept": round(sum(table.stored_share(row) for row in range(len(table))) / len(table), 4),
    }
    return describe("contexts", language, folder, context_table.CONTEXTS_FILE, about)


def add_senses(language: str, recipes: dict, corpora: Path, cache: Path, output: Path) -> dict:
    """Find the senses of a language's words, add them to its skip-gram model, and describe them in the card."""
    settings, folder = dict(recipes["senses"][language]), output / f"{language}-skipgram"
    name = settings.pop("corpus")
    companion = settings.pop("companion", "")
    companion_vectors = read_native(output / companion) if companion else None
    config, about_corpus = SensesConfig(**settings), recipes["corpora"][name]
    corpus = encoded(name, about_corpus, corpora, cache)
    with progress_bar() as report:
        table = build_senses(corpus, read_native(folder), config, report, companion_vectors)
    add_extra(folder, lambda model: sense_table.save_senses(table, model), sense_table.SENSES_FILE)
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
    }
    return describe("senses", language, folder, sense_table.SENSES_FILE, about)


def describe(kind: str, language: str, folder: Path, file: str, about: dict) -> dict:
    """Write into a model's card what a table in its folder is and how it was made; return that."""
    about = {
        **about,
        "bytes": (folder / file).stat().st_size,
        "command": f"python -m benchmarks.build_derived {kind} --corpora CORPORA --only {language}",
        "commit": clean_commit(),
        "sha256": sha256(folder / file),
    }
    change_card(folder, **{kind: about})
    return about


def build_tables(
    add: Callable[[str, dict, Path, Path, Path], dict], options: argparse.Namespace
) -> None:
    """Add the tables of all languages, or of those of ``--only``, and print what the cards say of them."""
    recipes = read_recipes()
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        for language in options.only:
            about = add(language, recipes, options.corpora, cache, options.output)
            print(language, json.dumps(about), flush=True)


# Lenses of networks


def add_lens(folder: Path) -> dict[str, object]:
    """Put the lens of a network into its folder, describe it in the card, and return that."""
    with progress_bar() as report:
        lens = build_lens(open_reader(folder), report)
    write_lens(lens, folder / LENS)
    about = {
        "command": f"python -m benchmarks.build_derived lenses {folder.name}",
        "commit": clean_commit(),
        "positions": lens.positions,
        "heldout_positions": lens.heldout_positions,
        "kl_logit": lens.kl[0].astype(float).round(3).tolist(),
        "kl_jacobian": lens.kl[1].astype(float).round(3).tolist(),
    }
    change_card(folder, LENS, lens=about)
    return about


def build_lenses(options: argparse.Namespace) -> None:
    """Add the lenses of the networks that are named."""
    for name in options.networks:
        print(name, add_lens(MODELS / name), flush=True)


# Contextual vectors of a network


def page_words(language: str) -> tuple[str, ...]:
    """Words that the pages ask for, kept however rare they are."""
    text = (ROOT / "data" / "contexts" / "senses.toml").read_text(encoding="utf-8")
    senses = tomllib.loads(text)["sense"]
    return tuple(dict.fromkeys(s["word"] for s in senses if s["language"] == language))


def build_contextual(
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
    command = f"python -m benchmarks.build_derived contextual --corpora CORPORA --model {entry.name} --only {language}"
    card = table_card(table, reduction, sample, config, corpus, command)
    card["commit"] = clean_commit()
    card["seconds"] = round(time.monotonic() - begun, 1)
    with tempfile.TemporaryDirectory() as trial:  # scores are those of the numbers on disk
        write_table(table, Path(trial) / "table", to_json(config), card)
        card["scores"] = scores(open_table(Path(trial) / "table").vectors)
    write_table(table, options.output / table.vectors.name, to_json(config), card)
    return card


def build_all_contextual(options: argparse.Namespace) -> None:
    """Build the tables of all languages, or of those of ``--only``."""
    network = open_entry(options.model)
    check_clean(read_card(network[0]), network[0].name)
    recipes = read_recipes()
    for language in options.only:
        card = build_contextual(language, recipes, options, network)
        print(
            f"{language}-bert",
            json.dumps(summary(card["scores"])),
            json.dumps(card["reduction"]),
            f"{card['seconds']} s",
            flush=True,
        )


def arguments() -> argparse.Namespace:
    """Read what is built, from what, and where to; ``run`` of the result builds it."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ask.add_subparsers(dest="kind", required=True)
    contexts, senses, lenses, contextual = map(
        kinds.add_parser, ("contexts", "senses", "lenses", "contextual")
    )
    for each in (contexts, senses, contextual):
        each.add_argument("--corpora", type=Path, required=True)
        each.add_argument("--output", type=Path, default=MODELS)
        each.add_argument("--only", nargs="*", default=LANGUAGES)
    for each, add in ((contexts, add_contexts), (senses, add_senses)):
        each.add_argument("--cache", type=Path, help="where encoded corpora are kept between runs")
        each.set_defaults(run=partial(build_tables, add))
    lenses.add_argument("networks", nargs="+")
    lenses.set_defaults(run=build_lenses)
    contextual.add_argument("--model", required=True)
    contextual.add_argument("--words", type=int)
    contextual.add_argument("--sentences", type=int)
    contextual.add_argument("--megabytes", type=float)
    contextual.add_argument("--layers")
    contextual.set_defaults(run=build_all_contextual)
    return ask.parse_args()


def main() -> None:
    """Build what is asked for."""
    options = arguments()
    clean_commit()
    options.run(options)


if __name__ == "__main__":
    main()

"""Build data that ship and are not models; each command writes the folder of `data` that has its name.

    python -m benchmarks.build_data analogies [--check]
    python -m benchmarks.build_data concordances [--output data/concordances]
    python -m benchmarks.build_data changes --corpora FOLDER [--output data/changes] [--only ru-literature-news]
    python -m benchmarks.build_data spreads --corpora FOLDER --cache CACHE [--output data/spreads] [--only en-skipgram] [--workers 2]

``analogies``: the Russian analogy set, ru.txt from ru_pairs.tsv. The pairs are the source, written and checked by hand; the questions
follow from them without chance: the same pairs give the same bytes. ``--check`` only says whether the file is what the pairs give.
``concordances``: this project's own sentences in each language, indexed. They are the lines of ``data/sentences/samples`` and the contexts
of ``data/contexts``, a document for each of their words.
``changes``: reports of change between two corpora of the catalogue. A report with a year (``at``) compares one corpus's texts before the
year with those from it on; a table of ``data`` (``dates``) names the documents of each year.
``spreads``: trainings of a shipped model's settings on its corpus. A run that is broken off resumes after its last whole training, in the
folder ``OUTPUT/NAME.run``.

Settings of changes and spreads are those of `data/recipes.toml`.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from app.wording import examples
from benchmarks.build_models import SETS, corpus_file, encoded, read_recipes
from benchmarks.source_tree import ROOT, clean_commit
from embeddings.analysis.analogies import solve
from embeddings.corpora.concordance import INDEXED, build_concordance
from embeddings.corpora.dated_texts import divide_by_year
from embeddings.corpora.document_selection import document_numbers
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.corpora.text_files import documents
from embeddings.files import read_json, sealed, write_json
from embeddings.model_card import change_card
from embeddings.shelf import association_tests, load_vectors
from embeddings.shelf.locations import SUFFIX, sample_name
from embeddings.text.lemmas import lemma

DATA = ROOT / "data"
ANALOGIES = DATA / "analogies"
QUESTIONS_PER_SECTION = 250
SEED = 1  # of the drawing of passages
MAX_DOCUMENTS = 100_000  # of a corpus that a table dates
MAX_PASSAGE = 5  # times as long as asked for: longer ones, which are paragraphs of whole chapters, are left out

Pair = tuple[str, str]


def klyuch(arguments: Sequence[str]) -> None:
    """Run a command of this source tree."""
    subprocess.run([sys.executable, "-m", "embeddings.cli", *arguments], check=True, cwd=ROOT)


def flags(settings: Mapping[str, object]) -> list[str]:
    """Return settings as options of a command."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]


# Analogies


def read_pairs(path: Path) -> dict[str, list[Pair]]:
    """Return the pairs of words by section, both in the order of the file."""
    sections: dict[str, list[Pair]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sections.setdefault(row["section"], []).append((row["first"], row["second"]))
    return sections


def questions(pairs: list[Pair]) -> list[tuple[str, str, str, str]]:
    """Return ``a b c d`` for each pair (a, b) and each of the pairs (c, d) that follow it in the file, round the end.

    So every pair is asked as often as it is given. The number that follow is the same for all pairs of the section: as many as keep the
    section within `QUESTIONS_PER_SECTION`, at most all the others; so the many grammatical sections do not drown the few of meaning.
    """
    following = min(len(pairs) - 1, QUESTIONS_PER_SECTION // len(pairs))
    return [
        (*pair, *pairs[(at + step) % len(pairs)])
        for at, pair in enumerate(pairs)
        for step in range(1, following + 1)
    ]


def analogy_text(sections: dict[str, list[Pair]]) -> str:
    """Return the whole set in Google's format: ``: section`` lines, then four words a line."""
    lines = []
    for section, pairs in sections.items():
        lines.append(f": {section}")
        lines.extend(" ".join(question) for question in questions(pairs))
    return "\n".join(lines) + "\n"


def build_analogies(options: argparse.Namespace) -> None:
    """Write ru.txt, or with ``--check`` only say whether it is what the pairs give."""
    target = ANALOGIES / "ru.txt"
    text = analogy_text(read_pairs(ANALOGIES / "ru_pairs.tsv")).encode()
    if options.check:
        same = target.read_bytes() == text
        print(f"{target.name} {'is' if same else 'is not'} what the pairs give")
        sys.exit(not same)
    target.write_bytes(text)
    count = sum(not line.startswith(b":") for line in text.splitlines())
    print(f"{target.name}: {count} questions")


# Concordances


def write_contexts(language: str, path: Path) -> None:
    """Write the contexts of a language as text, a document a word."""
    groups = groupby(read_contexts(DATA / "contexts" / f"{language}.tsv"), lambda c: c.word)
    by_word = ("\n".join(context.text for context in group) for _, group in groups)
    path.write_text("\n\n".join(by_word) + "\n", encoding="utf-8")


def index_sentences(language: str, output: Path) -> tuple[int, int]:
    """Index the sentences of a language; return how many they are and how many distinct words they have."""
    with tempfile.TemporaryDirectory() as folder:
        contexts = Path(folder) / "contexts.txt"
        write_contexts(language, contexts)
        own = Path(folder) / "sentences.txt"
        source = DATA / "sentences" / "samples" / f"{language}.txt"
        own.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        return build_concordance([own, contexts], output / f"{sample_name(language)}{SUFFIX}")


def build_concordances(options: argparse.Namespace) -> None:
    """Index the sentences of all languages."""
    options.output.mkdir(parents=True, exist_ok=True)
    for language in INDEXED:
        sentences, words = index_sentences(language, options.output)
        print(f"{language}: {sentences} sentences, {words} distinct words")


# Reports of change


def passages(paragraphs: Iterable[str], least: int) -> Iterator[list[str]]:
    """Yield paragraphs in passages of so many tokens (words between spaces) at least, but for the last."""
    passage: list[str] = []
    tokens = 0
    for paragraph in paragraphs:
        passage.append(paragraph)
        tokens += len(paragraph.split())
        if tokens >= least:
            yield passage
            passage, tokens = [], 0
    if passage:
        yield passage


def documents_of_periods(table: Path, year: int) -> tuple[set[int], set[int]]:
    """Return the numbers, from 1, of the documents before a year and of those from it on, as a table of ``data`` dates them."""
    divided = divide_by_year(table, year, ("year", "documents"))
    before, after = (
        {number + 1 for named in part for number in document_numbers(named, MAX_DOCUMENTS).tolist()}
        for part in (divided.before, divided.after)
    )
    return before, after


def write_sample(
    sources: Sequence[Path],
    recipe: Mapping[str, Any],
    path: Path,
    chosen: Collection[int] | None = None,
) -> None:
    """Write passages of some files, drawn at random, as documents until they have ``recipe["tokens"]`` tokens.

    Of each file the documents with the numbers ``chosen``, from 1, are read, or all of them.

    Passages, because a novel's chapter is as long as many items of news: the null shuffles documents, and must leave the sides their sizes.
    """
    texts = [
        passage
        for source in sources
        for number, document in enumerate(documents(source), 1)
        if chosen is None or number in chosen
        for passage in passages(document, recipe["passage"])
        if sum(len(paragraph.split()) for paragraph in passage) <= MAX_PASSAGE * recipe["passage"]
    ]
    random.Random(SEED).shuffle(texts)
    taken = 0
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            if taken >= recipe["tokens"]:
                return
            taken += sum(len(paragraph.split()) for paragraph in text)
            file.write("\n".join(text) + "\n\n")


def build_change(name: str, recipes: Mapping[str, dict], options: argparse.Namespace) -> None:
    """Make one report by `klyuch words change`."""
    recipe, all_reports = recipes["changes"]["reports"][name], recipes["changes"]
    path = (options.output / f"{name}.json").resolve()
    periods: Sequence[Collection[int] | None] = (None, None)
    names = [" + ".join(recipe[side]) for side in ("first", "second")]
    if year := recipe.get("at"):
        periods = documents_of_periods(DATA / recipe["dates"], year)
        names = [f"{names[0]} < {year}", f"{names[1]} ≥ {year}"]
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for title, side, chosen in zip(names, ("first", "second"), periods, strict=True):
            text = Path(folder) / f"{title}.txt"
            sources = [corpus_file(options.corpora, f"{file}.txt.xz") for file in recipe[side]]
            write_sample(sources, {**all_reports, **recipe}, text, chosen)
            ids = text.with_suffix("")
            encode = ["corpus", "encode", str(text), "--output", str(ids), "--min-count=5"]
            klyuch([*encode, f"--spelling={recipe['spelling']}"])
            sides.append(str(ids))
        settings = flags({**all_reports["training"], **all_reports["comparison"]})
        kept = f"--kept={all_reports['kept']}"
        klyuch(["words", "change", *sides, "--output", str(path), kept, *settings])
    made_by = f"python -m benchmarks.build_data changes --corpora CORPORA --only {name}"
    write_json(path, sealed({**read_json(path), "command": made_by}))


def build_changes(options: argparse.Namespace) -> None:
    """Make the reports of the recipes, or those named."""
    clean_commit()
    options.output.mkdir(parents=True, exist_ok=True)
    recipes = read_recipes()
    for name in options.only or recipes["changes"]["reports"]:
        build_change(name, recipes, options)


# Spreads


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


def build_spread(name: str, recipes: Mapping[str, dict], options: argparse.Namespace) -> None:
    """Measure the spread of one model by `klyuch words stability`."""
    recipe = recipes["spreads"][name]
    corpus = recipes["models"][name]["corpus"]
    text = encoded(corpus, recipes["corpora"][corpus], options.corpora, options.cache)
    folder = options.output / name
    with tempfile.TemporaryDirectory() as temporary:
        keep = Path(temporary) / "words.txt"
        words = dict.fromkeys([*kept_words(corpus), *formula_answers(name, corpus)])
        keep.write_text("\n".join(words) + "\n", encoding="utf-8")
        target = ["--like", name, "--output", str(folder.resolve()), "--keep", str(keep)]
        settings = flags({**recipe, "workers": options.workers})
        command = ["words", "stability", str(text.folder)]
        klyuch([*command, *target, *test_sets(corpus), *settings])
    made_by = (
        f"python -m benchmarks.build_data spreads --corpora CORPORA --cache CACHE --only {name}"
    )
    change_card(folder, command=made_by)


def build_spreads(options: argparse.Namespace) -> None:
    """Measure the spreads of the recipes, or those named."""
    clean_commit()
    recipes = read_recipes()
    for name in options.only or recipes["spreads"]:
        build_spread(name, recipes, options)


def main() -> None:
    """Build what is asked for."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    folders = ask.add_subparsers(dest="folder", required=True)
    analogies = folders.add_parser("analogies")
    analogies.add_argument("--check", action="store_true", help="write nothing, only compare")
    analogies.set_defaults(build=build_analogies)
    concordances = folders.add_parser("concordances")
    concordances.add_argument("--output", type=Path, default=DATA / "concordances")
    concordances.set_defaults(build=build_concordances)
    changes, spreads = folders.add_parser("changes"), folders.add_parser("spreads")
    for each, build in ((changes, build_changes), (spreads, build_spreads)):
        each.add_argument("--corpora", type=Path, required=True)
        each.add_argument("--only", nargs="*", default=[])
        each.set_defaults(build=build)
    changes.add_argument("--output", type=Path, default=DATA / "changes")
    spreads.add_argument("--output", type=Path, default=DATA / "spreads")
    spreads.add_argument("--cache", type=Path, required=True, help="for encoded corpora")
    spreads.add_argument("--workers", type=int, default=2, help="threads")
    options = ask.parse_args()
    options.build(options)


if __name__ == "__main__":
    main()

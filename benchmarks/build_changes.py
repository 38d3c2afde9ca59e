"""The reports of change that ship: two corpora of the catalogue held against each other, by ``data/recipes.toml``.

python -m benchmarks.build_changes --corpora FOLDER [--output data/changes] [--only ru-literature-news]

A report with a year (``at``) holds one corpus's texts before the year against those from it on; which documents are of which year, a table
of ``data`` says (``dates``).
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.build_models import corpus_file
from benchmarks.source_tree import ROOT, clean_commit
from embeddings.corpora.dated_texts import divide_by_year
from embeddings.corpora.document_selection import document_numbers
from embeddings.corpora.text_files import documents
from embeddings.files import read_json, sealed, write_json

RECIPES = ROOT / "data" / "recipes.toml"
SEED = 1  # of the drawing of passages
MOST_DOCUMENTS = 100_000  # of a corpus that a table dates
LONGEST = 5  # times as long as asked for: longer passages, which are paragraphs of whole chapters, are left out


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
        {
            number + 1
            for named in part
            for number in document_numbers(named, MOST_DOCUMENTS).tolist()
        }
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
        if sum(len(paragraph.split()) for paragraph in passage) <= LONGEST * recipe["passage"]
    ]
    random.Random(SEED).shuffle(texts)
    taken = 0
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            if taken >= recipe["tokens"]:
                return
            taken += sum(len(paragraph.split()) for paragraph in text)
            file.write("\n".join(text) + "\n\n")


def flags(settings: Mapping[str, object]) -> list[str]:
    """Return settings as options of a command."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]


def build(name: str, recipes: Mapping[str, dict], corpora: Path, output: Path) -> None:
    """Make one report by `klyuch words change`."""
    recipe, all_reports = recipes["changes"]["reports"][name], recipes["changes"]
    path = (output / f"{name}.json").resolve()
    periods: Sequence[Collection[int] | None] = (None, None)
    names = [" + ".join(recipe[side]) for side in ("first", "second")]
    if year := recipe.get("at"):
        periods = documents_of_periods(RECIPES.parent / recipe["dates"], year)
        names = [f"{names[0]} < {year}", f"{names[1]} ≥ {year}"]
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for title, side, chosen in zip(names, ("first", "second"), periods, strict=True):
            text = Path(folder) / f"{title}.txt"
            sources = [corpus_file(corpora, f"{file}.txt.xz") for file in recipe[side]]
            write_sample(sources, {**all_reports, **recipe}, text, chosen)
            ids = text.with_suffix("")
            encode = ["corpus", "encode", str(text), "--output", str(ids), "--min-count=5"]
            klyuch([*encode, f"--spelling={recipe['spelling']}"])
            sides.append(str(ids))
        settings = flags({**all_reports["training"], **all_reports["comparison"]})
        kept = f"--kept={all_reports['kept']}"
        klyuch(["words", "change", *sides, "--output", str(path), kept, *settings])
    made_by = f"python -m benchmarks.build_changes --corpora CORPORA --only {name}"
    write_json(path, sealed({**read_json(path), "command": made_by}))


def klyuch(arguments: Sequence[str]) -> None:
    """Run a command of this source tree."""
    subprocess.run([sys.executable, "-m", "embeddings.cli", *arguments], check=True, cwd=ROOT)


def main() -> None:
    """Build those of the recipes, or those named."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "changes")
    ask.add_argument("--only", nargs="*", default=[])
    options = ask.parse_args()
    clean_commit()
    options.output.mkdir(parents=True, exist_ok=True)
    recipes = tomllib.loads(RECIPES.read_text(encoding="utf-8"))
    for name in options.only or recipes["changes"]["reports"]:
        build(name, recipes, options.corpora, options.output)


if __name__ == "__main__":
    main()

"""The reports of change that ship: two corpora of the catalogue held against each other, by ``data/recipes.toml``.

python -m benchmarks.build_changes --corpora FOLDER [--output data/changes] [--only ru-literature-news]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.build_models import corpus_file
from benchmarks.source_tree import ROOT, clean_commit
from embeddings.corpora.text_files import documents
from embeddings.files import read_json, sealed, write_json

RECIPES = ROOT / "data" / "recipes.toml"
SEED = 1  # of the drawing of passages
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


def write_sample(sources: Sequence[Path], recipe: Mapping[str, int], path: Path) -> None:
    """Write passages of some files, drawn at random, as documents until they have ``recipe["tokens"]`` tokens.

    Passages, because a novel's chapter is as long as many items of news: the null shuffles documents, and must leave the sides their sizes.
    """
    texts = [
        passage
        for source in sources
        for document in documents(source)
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
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for files in (recipe["first"], recipe["second"]):
            text = Path(folder) / f"{' + '.join(files)}.txt"
            sources = [corpus_file(corpora, f"{file}.txt.xz") for file in files]
            write_sample(sources, all_reports, text)
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

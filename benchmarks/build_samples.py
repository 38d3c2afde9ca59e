"""The concordances that ship: this project's own sentences in each language.

    python -m benchmarks.build_samples [--output data/concordances]

They are the lines of ``data/sentences/samples`` and the contexts of ``data/contexts``, a document for each of their words.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import groupby
from pathlib import Path

from benchmarks.source_tree import ROOT
from embeddings.corpora.concordance import INDEXED, build_concordance
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.shelf.locations import SUFFIX, sample_name

DATA = ROOT / "data"


def write_contexts(language: str, path: Path) -> None:
    """Write the contexts of a language as text, a document a word."""
    groups = groupby(read_contexts(DATA / "contexts" / f"{language}.tsv"), lambda c: c.word)
    documents = ("\n".join(context.text for context in group) for _, group in groups)
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")


def build(language: str, output: Path) -> tuple[int, int]:
    """Index the sentences of a language; return how many they are and how many distinct words they have."""
    with tempfile.TemporaryDirectory() as folder:
        contexts = Path(folder) / "contexts.txt"
        write_contexts(language, contexts)
        own = Path(folder) / "sentences.txt"
        source = DATA / "sentences" / "samples" / f"{language}.txt"
        own.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        return build_concordance([own, contexts], output / f"{sample_name(language)}{SUFFIX}")


def main() -> None:
    """Build all of them."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--output", type=Path, default=DATA / "concordances")
    options = ask.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for language in INDEXED:
        sentences, words = build(language, options.output)
        print(f"{language}: {sentences} sentences, {words} distinct words")


if __name__ == "__main__":
    main()

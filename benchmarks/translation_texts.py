"""The pairs of lines that the runs of `benchmarks.translation` learn from and are judged by."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from embeddings.pretraining.sentences import sentences
from embeddings.text.corpora import paragraphs

SETS = ("val", "test_2016_flickr")
COPIED, LENGTHS = 20_000, range(5, 41)  # sentences, words
Pairs = dict[str, tuple[Path, Path]]


def pairs_of(name: str, mirror: Path, runs: Path) -> Pairs:
    """Return a run's pairs of files by what they are for: train, val, and a test set where there is one."""
    if name == "copying":
        return copying(mirror, runs)
    if name.startswith("easy-german"):
        return easy_german(mirror, runs)
    folder = mirror / "evaluation" / "multi30k"
    return {part: (folder / f"{part}.en", folder / f"{part}.de") for part in ("train", *SETS)}


def easy_german(mirror: Path, runs: Path) -> Pairs:
    """Write the CC BY rows as pairs of lines; of every seven documents one is held out."""
    (source,) = (mirror / "evaluation" / "easy_german").glob("*.csv")
    with source.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["license"].startswith("CC_BY_4")]
    documents = sorted({row["pair_id"] for row in rows})
    held = set(documents[::7])
    found: Pairs = {}
    for part in ("train", "val"):
        own = [row for row in rows if (row["pair_id"] in held) == (part == "val")]
        pair = (runs / f"easy.{part}.de", runs / f"easy.{part}.easy")
        for path, column in zip(pair, ("original", "simplification"), strict=True):
            path.write_text("".join(" ".join(r[column].split()) + "\n" for r in own), "utf-8")
        found[part] = pair
    return found


def copying(mirror: Path, runs: Path) -> Pairs:
    """Write sentences of the German parliament, each as its own translation; the last 200 are held out."""
    path = mirror / "corpora" / "de_parliament.txt.xz"
    fitting = {
        one: None
        for text in paragraphs(path)
        for one in sentences(text)
        if len(one.split()) in LENGTHS
    }
    sample = random.Random(1).sample(list(fitting), COPIED)
    found: Pairs = {}
    for part, lines in (("train", sample[:-200]), ("val", sample[-200:])):
        copied = runs / f"copying.{part}.de"
        copied.write_text("".join(" ".join(line.split()) + "\n" for line in lines), "utf-8")
        found[part] = (copied, copied)
    return found

"""The translators that ship, and what was tried beside them: trained, scored, timed.

Run: KLYUCH_MIRROR=FOLDER python -m benchmarks.translation RUNS [NAME ...] --bert bert-en-ru-de
With --ship FOLDER the plain and the fused model are copied there with their scores in their cards.
Each NAME is a run of `RECIPES` (all, in order, if none is named); one that was stopped goes on, one that is
complete is only scored. Writes benchmarks/results/translation.json. Some half an hour a run on one core.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from embeddings.files import read_json, whole_folder, write_json
from embeddings.training.checkpoints import read_progress

RESULT = Path(__file__).parent / "results" / "translation.json"
SIZES = ["--vocab-size", "5000"]
FULL = ["--steps", "5000", "--learning-rate", "4e-3", "--warmup", "0.15"]
SECOND = ["--steps", "1200", "--learning-rate", "1e-3", "--warmup", "0.1"]
EASY = ["--vocab-size", "2000", "--steps", "600", "--learning-rate", "2e-3", "--warmup", "0.15"]
WATCH = ["--log-every", "50", "--evaluate-every", "400", "--checkpoint-minutes", "4"]
RECIPES = {
    "plain": [*SIZES, *FULL],
    "untied": [*SIZES, *FULL, "--no-tie-word-embeddings"],
    "fused": ["--warm-start", "plain", "--bert", "BERT", *SECOND],
    "longer": ["--warm-start", "plain", *SECOND],  # what as many more steps bring without BERT
    "easy-german": [*EASY, "--languages", "de-de", "--batch-tokens", "2048"],
}
SETS = ("val", "test_2016_flickr")
SHIPPED = {"plain": "en-de-transformer", "fused": "en-de-bert-fused"}


def files(name: str, mirror: Path, runs: Path) -> dict[str, tuple[Path, Path]]:
    """Return the pairs of files of a run by what they are for."""
    if name == "easy-german":
        return easy_german(mirror, runs)
    folder = mirror / "evaluation" / "multi30k"
    return {part: (folder / f"{part}.en", folder / f"{part}.de") for part in ("train", *SETS)}


def easy_german(mirror: Path, runs: Path) -> dict[str, tuple[Path, Path]]:
    """Write the CC BY rows as pairs of lines; of every seven documents one is held out."""
    (source,) = (mirror / "evaluation" / "easy_german").glob("*.csv")
    with source.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["license"].startswith("CC_BY_4")]
    documents = sorted({row["pair_id"] for row in rows})
    held = set(documents[::7])
    found: dict[str, tuple[Path, Path]] = {}
    for part in ("train", "val"):
        own = [row for row in rows if (row["pair_id"] in held) == (part == "val")]
        pair = (runs / f"easy.{part}.de", runs / f"easy.{part}.easy")
        for path, column in zip(pair, ("original", "simplification"), strict=True):
            path.write_text("".join(" ".join(r[column].split()) + "\n" for r in own), "utf-8")
        found[part] = pair
    return found


def klyuch(*arguments: object) -> dict[str, object]:
    """Run a command with --json and return what it prints."""
    command = [sys.executable, "-m", "embeddings.cli", *map(str, arguments), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def recipe(name: str, runs: Path, bert: str) -> list[str]:
    """Return a run's flags, with the plain model and the BERT that are meant."""
    places = {"plain": str(runs / "plain" / "model"), "BERT": bert}
    return [places.get(word, word) for word in RECIPES[name]]


def train(name: str, mirror: Path, runs: Path, bert: str) -> dict[str, object]:
    """Train a run, or go on with it, and return its measures."""
    pairs = files(name, mirror, runs)
    given = [*pairs["train"], *pairs["val"], "--run", runs / name]
    told = klyuch("translation", "train", *given, *recipe(name, runs, bert), *WATCH)
    lines = [line for line in read_progress(runs / name) if "seconds" in line]
    rates = sorted(float(str(line["tokens_per_second"])) for line in lines)
    size = sum(file.stat().st_size for file in (runs / name / "model").iterdir())
    return {
        "recipe": RECIPES[name],
        "steps": told["steps"],
        "parameters": told["parameters"],
        "bytes": size,
        "minutes": round(float(str(lines[-1]["seconds"])) / 60, 1),
        "tokens_per_second": rates[len(rates) // 2],
        "heldout": told["scores"],
    }


def score(name: str, mirror: Path, runs: Path) -> dict[str, object]:
    """Return BLEU of every set, greedy and by beam."""
    found: dict[str, object] = {}
    for part, pair in files(name, mirror, runs).items():
        if part == "train":
            continue
        for beam in (1, 5):
            output = runs / name / f"{part}.beam{beam}"
            model = runs / name / "model"
            flags = ["--model", model, "--beam", beam, "--output", output]
            found[f"{part}, beam {beam}"] = klyuch("translation", "evaluate", *pair, *flags)
    return found


def ship(runs: Path, folder: Path) -> None:
    """Copy the plain and the fused model, float16, with the scores of this file's results in their cards."""
    results = read_json(RESULT)
    for name, target in SHIPPED.items():
        found = results[name]
        assert isinstance(found, dict)
        with whole_folder(folder / target) as temporary:
            shutil.copytree(runs / name / "model", temporary, dirs_exist_ok=True)
            card = read_json(temporary / "card.json")
            write_json(temporary / "card.json", {**card, "name": target, "bleu": found["bleu"]})


def main() -> None:
    """Train and score what is asked for; keep what the results hold of the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--bert", default="bert-en-ru-de")
    parser.add_argument("--ship", type=Path, help="Only copy the finished models here.")
    options = parser.parse_args()
    if options.ship:
        ship(options.runs, options.ship)
        return
    mirror = Path(os.environ["KLYUCH_MIRROR"])
    options.runs.mkdir(parents=True, exist_ok=True)
    for name in options.names or RECIPES:
        measures = train(name, mirror, options.runs, options.bert)
        print(name, json.dumps(measures))
        scores = score(name, mirror, options.runs)
        known = read_json(RESULT) if RESULT.exists() else {}
        machine = f"{platform.machine()}, {os.environ.get('OMP_NUM_THREADS', 'all')} threads"
        write_json(RESULT, {**known, "machine": machine, name: {**measures, "bleu": scores}})
        for key, value in scores.items():
            print(name, key, json.dumps(value))


if __name__ == "__main__":
    main()

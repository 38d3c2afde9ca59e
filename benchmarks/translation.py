"""The translators that ship, and what was tried beside them: trained, scored, timed.

Run: KLYUCH_MIRROR=FOLDER python -m benchmarks.translation RUNS [NAME ...] --bert bert-en
With --ship FOLDER the plain and the fused model (or those named) are written there with int8 rows, their scores as
they are then in their cards. These two are trained from a clean tree alone.
Each NAME is a run of `RECIPES` (all, in order, if none is named); one that was stopped goes on, one that is
complete is only scored. Writes benchmarks/results/translation.json. Some half an hour a run on one core.

The pairs of lines that the runs of `benchmarks.translation` learn from and are judged by.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import torch

from benchmarks.result_files import RESULTS, Measurements, about, read_results, write_results
from benchmarks.source_tree import check_clean, clean_commit
from benchmarks.verdict_rules import larger, make_claim
from embeddings.corpora.text_files import paragraphs
from embeddings.files import atomic_folder, read_json
from embeddings.lab.experiment import (
    Cell,
    Claim,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.model_card import machine, write_card
from embeddings.networks.encoder_decoder import open_translation, save_translation
from embeddings.run_folder import read_progress
from embeddings.shelf import find, read_card
from embeddings.text.word_positions import sentences

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
    pairs: Pairs = {}
    for part in ("train", "val"):
        part_rows = [row for row in rows if (row["pair_id"] in held) == (part == "val")]
        pair = (runs / f"easy.{part}.de", runs / f"easy.{part}.easy")
        for path, column in zip(pair, ("original", "simplification"), strict=True):
            path.write_text("".join(" ".join(r[column].split()) + "\n" for r in part_rows), "utf-8")
        pairs[part] = pair
    return pairs


def copying(mirror: Path, runs: Path) -> Pairs:
    """Write sentences of the German parliament, each as its own translation; the last 200 are held out."""
    path = mirror / "corpora" / "de_parliament.txt.xz"
    fitting = {
        sentence: None
        for text in paragraphs(path)
        for sentence in sentences(text)
        if len(sentence.split()) in LENGTHS
    }
    sample = random.Random(1).sample(list(fitting), COPIED)
    pairs: Pairs = {}
    for part, lines in (("train", sample[:-200]), ("val", sample[-200:])):
        copied = runs / f"copying.{part}.de"
        copied.write_text("".join(" ".join(line.split()) + "\n" for line in lines), "utf-8")
        pairs[part] = (copied, copied)
    return pairs


RESULT = RESULTS / "translation.json"
QUESTION = "Does BERT help a translator?"
COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.translation RUNS"
ZHU = "Zhu et al. 2020, table 2"
PAPPAS = "Pappas et al. 2018"
GAIN = 30.45 - 28.57  # BLEU, IWSLT'14 English to German, fused less plain
ORDER = ("plain", "longer", "fused", "tied-short", "untied-short", "easy-german", "copying")
CHANCE = 0.5  # BLEU: a smaller difference over a thousand sentences says nothing
SIZES = ["--vocab-size", "5000"]
FULL = ["--steps", "5000", "--learning-rate", "4e-3", "--warmup", "0.15"]
SECOND = ["--steps", "1200", "--learning-rate", "1e-3", "--warmup", "0.1"]
EASY = ["--vocab-size", "2000", "--steps", "600", "--learning-rate", "2e-3", "--warmup", "0.15"]
SHORT = ["--steps", "1000", "--learning-rate", "4e-3", "--warmup", "0.15"]
RISE, GENTLE = ["--learning-rate", "3e-3", "--warmup", "0.1"], ["--learning-rate", "3e-4"]
GERMAN = ["--languages", "de-de", "--batch-tokens", "2048"]
WATCH = ["--log-every", "50", "--evaluate-every", "400", "--checkpoint-minutes", "4"]
RECIPES = {
    "plain": [*SIZES, *FULL],
    "tied-short": [*SIZES, *SHORT],
    "untied-short": [*SIZES, *SHORT, "--no-tie-word-embeddings"],
    "fused": ["--warm-start", "plain", "--bert", "BERT", *SECOND],
    "longer": ["--warm-start", "plain", *SECOND],  # what as many more steps bring without BERT
    "easy-german": [*EASY, *GERMAN],
    "copying": ["--vocab-size", "4000", "--steps", "2400", *RISE, *GERMAN],
    "easy-german-copying": ["--warm-start", "copying", "--steps", "300", *GENTLE, *GERMAN],
}
CORPUS = {
    "name": "multi30k",
    "title": "Multi30k task 1, 29 000 English image captions and their German translations",
    "licence": "captions, research",
}
SHIPPED = {"plain": "en-de-transformer", "fused": "en-de-bert-fused"}


def klyuch(*arguments: object) -> dict[str, object]:
    """Run a command with --json and return what it prints."""
    command = [sys.executable, "-m", "embeddings.cli", *map(str, arguments), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def recipe(name: str, runs: Path, bert: str) -> list[str]:
    """Return a run's flags, with the plain model and the BERT that are meant."""
    starts = {start: str(runs / start / "model") for start in ("plain", "copying")}
    places = {**starts, "BERT": bert}
    return [places.get(word, word) for word in RECIPES[name]]


def train(name: str, mirror: Path, runs: Path, bert: str) -> dict[str, object]:
    """Train a run, or resume it, and return its measures."""
    pairs = pairs_of(name, mirror, runs)
    files = [*pairs["train"], *pairs["val"], "--run", runs / name]
    result = klyuch("translation", "train", *files, *recipe(name, runs, bert), *WATCH)
    lines = [line for line in read_progress(runs / name) if "seconds" in line]
    rates = sorted(float(str(line["tokens_per_second"])) for line in lines)
    size = sum(file.stat().st_size for file in (runs / name / "model").iterdir())
    return {
        "recipe": RECIPES[name],
        "steps": result["steps"],
        "parameters": result["parameters"],
        "bytes": size,
        "minutes": round(float(str(lines[-1]["seconds"])) / 60, 1),
        "tokens_per_second": rates[len(rates) // 2],
        "heldout": result["scores"],
    }


def score(name: str, model: Path, mirror: Path, runs: Path) -> dict[str, object]:
    """Return BLEU of every set that a run is judged by, greedy and by beam."""
    scores: dict[str, object] = {}
    for part, pair in pairs_of(name, mirror, runs).items():
        if part == "train":
            continue
        for beam in (1, 5):
            output = runs / name / f"{part}.beam{beam}"
            flags = ["--model", model, "--beam", beam, "--output", output]
            scores[f"{part}, beam {beam}"] = klyuch("translation", "evaluate", *pair, *flags)
    return scores


def ship(mirror: Path, runs: Path, folder: Path, names: list[str]) -> None:
    """Write the plain and the fused model, or those named, at a byte a weight, scored as they ship."""
    commit = clean_commit()
    for name in names or SHIPPED:
        target = SHIPPED[name]
        model = runs / name / "model"
        before = read_json(model / "card.json")
        check_clean(before, target)
        if bert := before.get("bert"):
            check_clean(read_card(find(bert["name"])), bert["name"])
        with atomic_folder(folder / target) as temporary:
            for path in model.iterdir():
                shutil.copyfile(path, temporary / path.name)
            save_translation(open_translation(model), temporary, torch.int8)
            card = {**before, **origin(name, runs, commit), "name": target}
            write_card(temporary, card)
            scores = score(name, temporary, mirror, runs)
            write_card(temporary, {**card, "bleu": scores})
        size = sum(file.stat().st_size for file in (folder / target).iterdir())
        keep(name, {"shipped": {"name": target, "bytes": size, "bleu": scores}})


def origin(name: str, runs: Path, commit: str) -> dict[str, object]:
    """What the card of a shipped model says beside what its training wrote: no path of this machine."""
    lines = [line for line in read_progress(runs / name) if "heldout_loss" in line]
    return {
        "corpus": CORPUS,
        "command": f"python -m benchmarks.translation RUNS {name}; python -m benchmarks.translation RUNS --ship FOLDER",
        "seed": 1,
        "commit": commit,
        "machine": machine(),
        "curve": lines,
    }


def keep(name: str, measures: dict[str, object]) -> None:
    """Put measures of a run into the file of results, beside what it holds."""
    measured = read_results("translation") if RESULT.exists() else {}
    threads = f"{machine()}, {os.environ.get('OMP_NUM_THREADS', 'all')} threads"
    measured |= {
        "command": COMMAND,
        "machine": threads,
        name: {**measured.get(name, {}), **measures},
    }
    write_results(RESULT, translation_experiment(measured), measured)
    print(name, json.dumps(measures))


def translation_experiment(measured: Measurements) -> Experiment:
    """Return BLEU of every run with its signatures, costs, and what fusing BERT brought."""
    runs = {name: run for name, run in measured.items() if isinstance(run, dict) and "bleu" in run}
    order = (*ORDER, *sorted(runs))
    runs = dict(sorted(runs.items(), key=lambda pair: order.index(pair[0])))
    columns = (
        Column("run", "term"),
        Column("parameters"),
        Column("steps"),
        Column("minutes", digits=1),
        Column("tokens_a_second"),
        *(Column(f"{part}_{beam}", digits=1) for part in ("val", "test") for beam in (1, 5)),
    )
    scores = (
        Column("run", "term"),
        Column("test_set", "term"),
        Column("bleu", digits=1),
        Column("bleu_lower", digits=1),
        Column("sentences"),
        Column("signature", "text"),
    )
    bars = tuple(
        Series(
            part,
            tuple(f"run_{name}" for name in runs),
            tuple(_bleu(run, part, 5) for run in runs.values()),
        )
        for part in SETS
    )
    test = {name: _bleu(run, SETS[1], 5) for name, run in runs.items()}
    minutes = sum(run["minutes"] for run in runs.values())
    head = about(measured, "translation")
    return Experiment(
        "translation",
        QUESTION,
        (
            _better(test, "fused_better", "fused", "plain", ZHU, GAIN),
            _better(test, "fused_not_longer", "fused", "longer"),
            _better(test, "tied_better", "tied-short", "untied-short", PAPPAS),
        ),
        (
            Table("runs", columns, tuple(_run_row(name, run) for name, run in runs.items())),
            Table(
                "signatures",
                scores,
                tuple(row for name, run in runs.items() for row in _score_rows(name, run)),
            ),
        ),
        (Drawing("bleu", "bars", "run", "bleu", bars),),
        **(head | {"seconds": head["seconds"] or 60 * minutes}),
    )


def _bleu(run: Measurements, part: str, beam: int) -> float | None:
    """BLEU of a test set."""
    score = run["bleu"].get(f"{part}, beam {beam}")
    return None if score is None else score["score"]


def _run_row(name: str, run: Measurements) -> tuple[Cell, ...]:
    """What a run cost and how good it is."""
    costs = [run.get(key) for key in ("parameters", "steps", "minutes", "tokens_per_second")]
    return (f"run_{name}", *costs, *(_bleu(run, part, beam) for part in SETS for beam in (1, 5)))


def _score_rows(name: str, run: Measurements) -> list[tuple[Cell, ...]]:
    """A row a test set and beam."""
    keys = ("score", "lower_score", "sentences", "signature")
    return [
        (f"run_{name}", part.replace(", ", "|"), *(score[key] for key in keys))
        for part, score in run["bleu"].items()
    ]


def _better(
    test: dict[str, float | None],
    claim: str,
    first: str,
    second: str,
    source: str = "",
    published: float | None = None,
) -> Claim:
    """Whether one run is ahead of another by more than chance."""
    a, b = test.get(first), test.get(second)
    numbers = {"first": a, "second": b, "least": CHANCE}
    if a is None or b is None:
        return make_claim(claim, larger, numbers, source=source, published=published)
    fields = {"first": Measured(a, 1), "second": Measured(b, 1), "by": Measured(a - b, 1)}
    return make_claim(
        claim, larger, numbers, fields, source=source, published=published, ours=a - b
    )


def main() -> None:
    """Train and score what is asked for; keep what the results hold of the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--bert", default="bert-en")
    parser.add_argument("--ship", type=Path, help="Only copy the finished models here.")
    options = parser.parse_args()
    mirror = Path(os.environ["KLYUCH_MIRROR"])
    if options.ship:
        ship(mirror, options.runs, options.ship, options.names)
        return
    names = options.names or list(RECIPES)
    if set(names) & set(SHIPPED):
        clean_commit()
    options.runs.mkdir(parents=True, exist_ok=True)
    for name in names:
        measures = train(name, mirror, options.runs, options.bert)
        scores = score(name, options.runs / name / "model", mirror, options.runs)
        keep(name, {**measures, "bleu": scores})


if __name__ == "__main__":
    main()

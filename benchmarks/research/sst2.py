"""SST-2 as in Kazan 2019: the same network from the shipped BERT and from random weights, what freezing costs, several seeds.

Run: KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.sst2 --work WORK [--seeds 5] [--only ARM ...]
Each run of an arm and a seed is kept in WORK and not made twice; one that was stopped goes on. Writes
benchmarks/results/sst2.json. With --ship FOLDER the best run from the shipped BERT is written there.
The stored results also have arms with a faster token table, with frozen layers and with masked-token training first;
their settings exist at the commit that the results name.
There is no other labelled set than the validation set: the weights of a run are chosen by it, and so were the settings.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import time
from pathlib import Path

from benchmarks.result_files import (
    RESULTS,
    Measurements,
    about,
    gap,
    head_of_run,
    read_results,
    series_of,
    table_of,
    write_results,
)
from benchmarks.source_tree import check_clean, clean_commit, source_commit
from embeddings.corpora.labelled import read_labelled
from embeddings.files import read_json, atomic_folder, write_json
from benchmarks.verdict_rules import make_claim, mean_at_least
from embeddings.networks.classifier import open_classification, save_classifier
from embeddings.networks.huggingface_folder import open_network
from embeddings.model_card import write_card
from embeddings.probing.label_prediction import evaluate, open_classifier
from embeddings.lab.experiment import Claim, Drawing, Experiment, Measured, Series
from embeddings.shelf import find, read_card
from embeddings.run_folder import read_progress
from embeddings.training.classification.fine_tuning_run import LabelledFiles, train_classifier
from embeddings.training.classification.fine_tuning_run import ClassificationTraining
from embeddings.training.tasks import Limits

QUESTION = "What is pretraining worth for telling praise from criticism?"
KAZAN = "Kazan 2019"
SOURCES = {
    "pretrained_over_random": KAZAN,
    "all_layers_over_upper_two": "Lee et al. 2019",
    "mean_over_cls": "Huang et al. 2021",
    "adapted_over_pretrained": "Gururangan et al. 2020",
}
ARM_COLUMNS = {
    "arm": 0,
    "seeds": 0,
    "mean_accuracy": 2,
    "deviation_accuracy": 2,
    "lowest_accuracy": 2,
    "highest_accuracy": 2,
    "last_mean_accuracy": 2,
    "stored": 0,
    "size_bytes": 1,
    "seconds": 0,
}
RUN_COLUMNS = {
    "arm": 0,
    "seed": 0,
    "best_accuracy": 2,
    "last_accuracy": 2,
    "steps": 0,
    "seconds": 0,
}
BERT = "bert-en"
# the best for bert-en of 1e-4, 2e-4, 5e-4, 7e-4 and 1e-3, on a seed or two each
LEARNING_RATE = "7e-4"
ARMS: dict[str, list[str]] = {
    "pretrained": [],
    "random": ["--random"],
    "table_frozen": ["--freeze-table"],
    "random_table_frozen": ["--random", "--freeze-table"],
    "cls": ["--pooling", "cls"],
    "slow": ["--learning-rate", "2e-4"],
    "random_slow": ["--random", "--learning-rate", "2e-4"],
}
SHORT = {"epochs": 1, "evaluations": 1}
SOURCE = {"pretrained_accuracy": 0.7569, "random_accuracy": 0.7018, "tokens": 33_084_465}
CORPUS = {
    "name": "sst2",
    "title": "SST-2: sentences of film reviews, 6 920 to train on and 872 to choose by",
    "licence": "MIT repository, SST free for research",
}


def settings(flags: list[str], seed: int, short: bool) -> tuple[ClassificationTraining, bool]:
    """Return what a run's flags say, as the command line would read them; and whether its weights are random."""
    changed: dict[str, object] = {"seed": seed, **(SHORT if short else {})}
    if "--freeze-table" in flags:
        changed["freeze_table"] = True
    changed["learning_rate"] = float(LEARNING_RATE)
    valued = {
        "--learning-rate": float,
        "--pooling": str,
    }
    for name, kind in valued.items():
        if name in flags:
            changed[name.removeprefix("--").replace("-", "_")] = kind(flags[flags.index(name) + 1])
    return ClassificationTraining(**changed), "--random" in flags


def run(arm: str, seed: int, sets: tuple[Path, Path], work: Path, short: bool) -> dict[str, object]:
    """Make one run, or take it from what is kept of it; return its measures."""
    folder = work / f"{arm}.{seed}"
    record = work / f"{arm}.{seed}.json"
    if record.exists():
        return read_json(record)
    config, is_random = settings(ARMS[arm], seed, short)
    files = LabelledFiles(find(BERT).path, *sets, "en", ("negative", "positive"), random=is_random)
    began = time.perf_counter()
    result = train_classifier(files, folder, config, Limits(), command=command(arm, seed))
    seconds = time.perf_counter() - began
    curve = [line for line in read_progress(work / f"{arm}.{seed}.run") if "heldout_loss" in line]
    measures: dict[str, object] = {
        "arm": arm,
        "seed": seed,
        "best_accuracy": result.confusion.accuracy,
        "last_accuracy": result.last_accuracy,
        "unrounded_accuracy": max(float(str(line["heldout_accuracy"])) for line in curve),
        "confusion": result.confusion.counts.tolist(),
        "steps": result.finished.step,
        "seconds": round(seconds, 1),
        "parameters": result.parameters,
        "stored": result.stored,
        "size_bytes": sum(file.stat().st_size for file in folder.iterdir()),
        "curve": [[line["step"], line["heldout_accuracy"]] for line in curve],
        "settings": read_json(folder / "card.json")["settings"],
        "commit": source_commit(),
    }
    write_json(record, measures)
    shutil.rmtree(work / f"{arm}.{seed}.run" / "checkpoints", ignore_errors=True)
    print(arm, seed, measures["best_accuracy"], measures["last_accuracy"], round(seconds))
    return measures


def read_runs(arm: str, work: Path) -> list[dict[str, object]]:
    """Return what is kept of an arm's runs, by seed."""
    records = [read_json(path) for path in work.glob(f"{arm}.*.json")]
    return sorted(records, key=lambda record: int(str(record["seed"])))


def command(arm: str, seed: int) -> str:
    """Return the command line that does the same as one run."""
    parts = ["klyuch", "classify", "train", "--model", BERT, "--train", "stsa.binary.train"]
    parts += ["--validation", "stsa.binary.dev", "--output", f"{arm}.{seed}", "--language", "en"]
    parts += ["--names", "negative,positive", "--seed", str(seed)]
    rate = [] if "--learning-rate" in ARMS[arm] else ["--learning-rate", LEARNING_RATE]
    return shlex.join([*parts, *rate, *ARMS[arm]])


def summary(arm: str, runs: list[dict[str, object]]) -> dict[str, object]:
    """Return mean and spread of an arm; one seed has no spread."""

    def over(key: str) -> tuple[float, float | None]:
        values = [float(str(record[key])) for record in runs]
        return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else None

    best, last, unrounded, seconds = map(
        over, ("best_accuracy", "last_accuracy", "unrounded_accuracy", "seconds")
    )
    values = [float(str(record["best_accuracy"])) for record in runs]
    return {
        "arm": arm,
        "flags": shlex.join(ARMS[arm]),
        "seeds": len(runs),
        "mean_accuracy": best[0],
        "deviation_accuracy": best[1],
        "lowest_accuracy": min(values),
        "highest_accuracy": max(values),
        "last_mean_accuracy": last[0],
        "last_deviation_accuracy": last[1],
        "unrounded_mean_accuracy": unrounded[0],
        "parameters": runs[0]["parameters"],
        "stored": runs[0]["stored"],
        "size_bytes": runs[0]["size_bytes"],
        "seconds": seconds[0],
    }


def difference(name: str, first: dict, second: dict, source: float | None) -> dict[str, object]:
    """Return how much better an arm is than another, with the standard error of the difference of means."""
    value = first["mean_accuracy"] - second["mean_accuracy"]
    spreads = [(arm["deviation_accuracy"], arm["seeds"]) for arm in (first, second)]
    has_spread = all(spread is not None for spread, _ in spreads)
    error = sum(spread**2 / seeds for spread, seeds in spreads) ** 0.5 if has_spread else None
    ours = {"value": value, "standard_error": error}
    if error:  # degrees of freedom after Welch 1947
        parts = [spread**2 / seeds for spread, seeds in spreads]
        below = sum(p**2 / (seeds - 1) for p, (_, seeds) in zip(parts, spreads, strict=True))
        ours["degrees"] = sum(parts) ** 2 / below
    return {"id": name, "ours": ours, "source": source}


def pretraining() -> dict[str, object]:
    """Return how much text pretrained the BERT, of which English, as its card tells it."""
    card = read_card(find(BERT))
    trained = card["settings"]
    texts = trained["corpus"]["files"]  # type: ignore[index]
    tokens = {text["name"]: int(text["tokens"]) for text in texts}
    english = sum(int(text["tokens"]) for text in texts if text["language"] == "en")
    share = english / sum(tokens.values())
    tokens_seen = int(str(card["tokens_seen"]))
    return {
        "model": BERT,
        "sha256": card["files"]["model.safetensors"],  # type: ignore[index]
        "tokens_seen": tokens_seen,
        "english_share": share,
        "english_tokens_seen": round(share * tokens_seen),
        "english_tokens_of_the_corpus": english,
        "note": "Documents are drawn alike in all languages, so their share of the tokens is that of the corpus. The token table "
        "began as word2vec vectors of all tokens of the corpus, where the card names a warm start.",
        "warm_start": card["stages"][0]["warm_start"],  # type: ignore[index]
    }


def write(runs: dict[str, list[dict[str, object]]], short: bool) -> None:
    """Write the file of results."""
    arms = {arm: summary(arm, records) for arm, records in runs.items() if records}
    pairs = (
        ("pretrained_over_random", "pretrained", "random", 0.0551),
        ("pretrained_over_random_table_frozen", "table_frozen", "random_table_frozen", None),
        ("table_trained_over_frozen", "pretrained", "table_frozen", None),
        ("mean_over_cls", "pretrained", "cls", None),
        ("fast_over_slow", "pretrained", "slow", None),
        ("pretrained_over_random_slow", "slow", "random_slow", None),
    )
    findings = [
        difference(name, arms[first], arms[second], source)
        for name, first, second, source in pairs
        if first in arms and second in arms
    ]
    everything = [record for records in runs.values() for record in records]
    confusion = [
        {"arm": arm, "seed": record["seed"], "is": label, "negative": row[0], "positive": row[1]}
        for arm, records in runs.items()
        for record in records
        for label, row in zip(("negative", "positive"), record["confusion"], strict=True)  # type: ignore[call-overload]
    ]
    measured: Measurements = {
        **head_of_run(
            "KLYUCH_MIRROR=FOLDER OMP_NUM_THREADS=1 python -m benchmarks.research.sst2 --work WORK",
            commit=everything[0]["commit"],
        ),
        "seconds": round(sum(float(str(record["seconds"])) for record in everything), 1),
        "short": short,
        "sentences": {"training": 6920, "validation": 872},
        "chosen_by": "the validation set, as there is no other: settings and weights; last_accuracy is that of the last step",
        "settings": everything[0]["settings"],
        "pretraining": pretraining(),
        "source": SOURCE,
        "tables": {
            "arms": list(arms.values()),
            "runs": [
                {k: v for k, v in record.items() if k not in ("curve", "settings", "confusion")}
                for record in everything
            ],
            "confusion": confusion,
        },
        "curves": {
            f"{record['arm']}.seed{record['seed']}": record["curve"] for record in everything
        },
        "findings": findings,
    }
    write_results(RESULTS / "sst2.json", sst2_experiment(measured), measured)


def sst2_experiment(measured: Measurements) -> Experiment:
    """Return every arm and run, their curves, and what pretraining is worth."""
    tables, terms = measured["tables"], {"arm": "arm_"}
    gaps = (
        gap(row["id"], row, "share", SOURCES.get(row["id"], ""))
        for row in measured["findings"]
    )
    curves = tuple(
        series_of(f"arm_{name.removesuffix('.seed1')}", points, 100)
        for name, points in measured["curves"].items()
        if name.endswith(".seed1")
    )
    return Experiment(
        "sst2",
        QUESTION,
        (*_beats_source(measured), *gaps),
        (
            table_of("arms", tables["arms"], ARM_COLUMNS, terms),
            table_of("runs", tables["runs"], RUN_COLUMNS, terms),
        ),
        (
            Drawing("arms", "bars", "arm", "accuracy", _bars(measured), 50),
            Drawing("curves", "lines", "steps", "accuracy", curves),
        ),
        **about(measured, "sst2"),
    )


def _bars(measured: Measurements) -> tuple[Series, Series]:
    """Mean accuracy of each arm with its deviation, beside the source's two."""
    arms = measured["tables"]["arms"]
    labels = tuple(f"arm_{arm['arm']}" for arm in arms)
    published = [measured["source"].get(f"{arm['arm']}_accuracy") for arm in arms]
    spread = [arm.get("deviation_accuracy") or 0.0 for arm in arms]
    means = tuple(100 * arm["mean_accuracy"] for arm in arms)
    return (
        Series(
            "here", labels, means, tuple(100 * value for value in spread) if any(spread) else ()
        ),
        Series(
            "source", labels, tuple(None if share is None else 100 * share for share in published)
        ),
    )


def _beats_source(measured: Measurements) -> tuple[Claim, ...]:
    """Whether all seeds, or their mean, reach the source's best."""
    published = 100 * measured["source"]["pretrained_accuracy"]
    for arm in measured["tables"]["arms"]:
        if arm["arm"] == "pretrained":
            mean, lowest = 100 * arm["mean_accuracy"], 100 * arm["lowest_accuracy"]
            tokens = measured["pretraining"]["english_tokens_seen"] / 1e6
            fields = {
                "mean": Measured(mean, 2),
                "lowest": Measured(lowest, 2),
                "seeds": Measured(arm["seeds"]),
                "tokens": Measured(tokens, 1),
            }
            numbers = {"lowest": lowest, "mean": mean, "bound": published}
            claim = make_claim(
                "beats_source",
                mean_at_least,
                numbers,
                fields,
                source=KAZAN,
                published=published,
                ours=mean,
            )
            return (claim,)
    return ()


def ship(runs: list[dict[str, object]], held: Path, work: Path, folder: Path) -> None:
    """Write the best run's folder with a card that says where it comes from, scored as it is stored there."""
    best = max(
        runs, key=lambda run_record: (run_record["best_accuracy"], run_record["last_accuracy"])
    )
    source, bert = work / f"{best['arm']}.{best['seed']}", find(BERT).path
    base, card = open_network(bert), read_json(source / "card.json")
    check_clean(card, folder.name)
    check_clean(read_card(find(BERT)), BERT)
    with atomic_folder(folder) as temporary:
        save_classifier(open_classification(source, base), temporary, base)
        corpus = {**dict(card["corpus"]), **CORPUS}  # type: ignore[call-overload]
        card_fields = {key: value for key, value in card.items() if key != "files"}
        card_fields |= {"name": folder.name, "corpus": corpus}
        write_card(temporary, card_fields)
        confusion = evaluate(open_classifier(temporary, bert), read_labelled(held))
        score = dict(card["scores"][held.name])  # type: ignore[index]
        score |= {"accuracy": confusion.accuracy, "confusion": confusion.counts.tolist()}
        write_card(temporary, {**card_fields, "scores": {held.name: score}})


def main() -> None:
    """Read the arguments, make the runs that are missing, write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="Folder of the runs.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--short", action="store_true", help="One pass each: minutes.")
    parser.add_argument("--ship", type=Path, help="Write the best run from BERT there.")
    options = parser.parse_args()
    mirror = os.environ.get("KLYUCH_MIRROR")
    if not mirror:
        raise SystemExit("Set KLYUCH_MIRROR to the folder that holds evaluation/sst2.")
    folder = Path(mirror) / "evaluation" / "sst2"
    sets = (folder / "stsa.binary.train", folder / "stsa.binary.dev")
    if options.ship:
        clean_commit()
    options.work.mkdir(parents=True, exist_ok=True)
    for seed in range(1, options.seeds + 1):
        for arm in options.only:
            run(arm, seed, sets, options.work, options.short)
    runs = {arm: read_runs(arm, options.work) for arm in ARMS}
    write(runs, options.short)
    if options.ship:
        ship(runs["pretrained"], sets[1], options.work, options.ship)
    print(json.dumps(read_results("sst2")["findings"], indent=1))


if __name__ == "__main__":
    main()

"""Try settings for the shipped static models and keep every outcome, good or bad, in benchmarks/results/trials.json.

    python -m benchmarks.research.trials --corpora FOLDER --cache FOLDER            all trials not yet in the file
    python -m benchmarks.research.trials ... --model ru-skipgram window=8 epochs=15 lemmas=true    one trial of one's own

Each trial is a recipe of `data/recipes.toml` with some settings changed, scored in float32 over the 30 000 commonest words. Beside the
settings of training a trial may change what the recipe says of its corpus, spelling, words, components and directions; a model of
``--trained`` (with a card, of a clean commit) is not trained again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import tomllib
from pathlib import Path

from benchmarks.build_models import (
    cut,
    encoded,
    language_of,
    scores,
    summary,
    train,
    trained_already,
)
from benchmarks.quality import rank, trials_experiment, write_static
from benchmarks.result_files import RESULTS, Measurements, read_results, write_results
from benchmarks.source_tree import ROOT, source_commit

RESULT = RESULTS / "trials.json"
COMMAND = "python -m benchmarks.research.trials"
PLAN: list[tuple[str, dict[str, object]]] = [
    *(("ru-skipgram", change) for change in ({}, {"window": 8}, {"lemmas": True})),
    *(("de-skipgram", change) for change in ({}, {"window": 8}, {"lemmas": True})),
    *(("en-skipgram", change) for change in ({}, {"window": 5}, {"vector_size": 100})),
    *((f"{language}-cbow", {}) for language in ("en", "ru", "de")),
    *((f"{language}-glove", {}) for language in ("en", "ru", "de")),
]


# What a trial changes of a recipe itself.
RECIPE = (
    "corpus",
    "words",
    "dictionary_forms",
    "components",
    "directions",
)


def trial(
    name: str, change: dict[str, object], corpora: Path, cache: Path, trained: Path | None = None
) -> dict[str, object]:
    """Train once and score; or score a model of the folder ``trained``, cut as the change says."""
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    recipe = recipes["models"][name]
    changed = dict(change)
    lemmas = language_of(recipe) if changed.pop("lemmas", recipe.get("lemmas")) else ""
    spelling = changed.pop("spelling", None)
    recipe |= {key: changed.pop(key) for key in RECIPE if key in changed}
    recipe["settings"] |= changed
    text, about = recipe["corpus"], recipes["corpora"][recipe["corpus"]]
    if spelling is not None:
        text, about = f"{text}-{spelling}", about | {"spelling": spelling}
    if trained:
        model, settings, seconds = trained_already(trained / name)
    else:
        corpus = encoded(text, about, corpora, cache, lemmas)
        begun = time.monotonic()
        model, settings, _ = train(recipe, corpus)
        seconds = time.monotonic() - begun
        model.spelling = corpus.config.spelling
    vectors = cut(model, name, recipe)
    return {
        "model": name,
        "change": change,
        "commit": source_commit(),
        "settings": settings,
        "seconds": round(seconds, 1),
        "royal_answer_rank": rank(vectors, language_of(recipe)),
        "scores": summary(results := scores(vectors)),
        "covered": {key: value["covered"] for key, value in results.items()},
    }


def _value(text: str) -> object:
    """A setting's value as JSON reads it, or the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def main() -> None:
    """Run the trials asked for and append each as soon as it is done."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--cache", type=Path, required=True)
    ask.add_argument("--trained", type=Path, help="folder of models to cut, instead of training")
    ask.add_argument("--model")
    ask.add_argument("change", nargs="*")
    options = ask.parse_args()
    plan = PLAN
    if options.model:
        pairs = (item.split("=", 1) for item in options.change)
        plan = [(options.model, {key: _value(value) for key, value in pairs})]
    for name, change in plan:
        measured: Measurements = read_results("trials") if RESULT.exists() else {"trials": []}
        done = measured["trials"]
        if not options.model and any(t["model"] == name and t["change"] == change for t in done):
            continue
        outcome = trial(name, change, options.corpora, options.cache, options.trained)
        print(json.dumps({k: v for k, v in outcome.items() if k != "settings"}), flush=True)
        machine = {"cores": os.cpu_count(), "python": platform.python_version()}
        measured |= {"command": COMMAND, "machine": machine, "trials": [*done, outcome]}
        write_results(RESULT, trials_experiment(measured), measured)
        write_static()


if __name__ == "__main__":
    main()

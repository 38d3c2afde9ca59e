"""Build the shipped networks by `data/recipes.toml`: vocabulary, ids, vectors for the warm start, pretraining, a model's folder.

    python -m benchmarks.build_networks --corpora FOLDER --work FOLDER [--output data/models] [--only bert-ru ...]

Each step is left out where ``--work`` holds its result; a pretraining that was stopped goes on. On two cores the whole takes hours:
run it in the background, as often as needed. A recipe of several stages starts from the weights of the stage before, with a rate
of its own, the ``spelling`` of `klyuch bert prepare`, and may name ``corpora`` of its own. ``--onward`` leaves out the
stages that the shipped network has behind it and begins with its weights. Once ids and vectors are there,
``torchrun --nproc-per-node N`` shares the rows of a step among N processes (N divides them), so the weights are those of one
process up to rounding.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.build_models import catalogued, read_recipes
from benchmarks.source_tree import ROOT, check_clean, clean_commit
from embeddings.cli.output import progress_bar
from embeddings.files import read_json
from embeddings.model_card import machine
from embeddings.networks.bert import PretrainingNetwork
from embeddings.networks.bert_config import NETWORK_CONFIGS, NetworkConfig
from embeddings.networks.huggingface_folder import load_weights, open_network
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus
from embeddings.static.word2vec import Word2VecConfig
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_run import export_network, initial_config, pretrain
from embeddings.training.pretraining.warm_start import token_vectors
from embeddings.training.tasks import Limits
from embeddings.vectors.formats import write_native

PROCESSES, RANK = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
OF_TEXTS = ("corpora", "spelling")  # what a stage says of its texts; the rest is its training
POSITIONS = "encoder.inputs.positions.weight"


@dataclass(frozen=True, slots=True)
class Stage:
    """A run of its own rate and batch; the first begins with vectors, each other with the weights before it."""

    run: Path
    training: PretrainingConfig


def vocabulary(place: Path, recipe: dict, texts: list[Path]) -> Tokenizer:
    """The shipped vocabulary of a recipe; learned from its texts only where none ships."""
    folder = place / "wordpiece"
    if not (folder / "tokenizer.json").exists():
        shipped = ROOT / "data" / "models" / recipe["vocabulary"]
        if (shipped / "tokenizer.json").exists():
            Tokenizer.load(shipped).save(folder)
        else:
            size = ["--vocab-size", str(recipe["vocab_size"]), "--output", str(folder)]
            command = ["klyuch", "wordpiece", "train", *map(str, texts), *size]
            subprocess.run(command, check=True)
    return Tokenizer.load(folder)


def ids(place: Path, recipe: dict, texts: list[Path], spelling: str) -> Path:
    """The corpora of a recipe as ids, as a stage has them spelled."""
    folder = place / "-".join(filter(None, ("ids", spelling)))
    if not (folder / "prepared.json").exists():
        wordpiece = vocabulary(place, recipe, texts)
        with progress_bar() as report:
            prepare_corpus(texts, wordpiece, folder, report, spelling)
    return folder


def warm(place: Path, recipe: dict) -> Path:
    """Skip-gram over the subwords, as wide as the recipe's token embedding matrix."""
    size = recipe["network"].get("embedding_size", recipe["network"]["hidden_size"])
    folder = place / f"vectors-{size}"
    if not folder.exists():
        corpus = PreparedCorpus.open(place / "ids")
        config = Word2VecConfig(vector_size=size, epochs=recipe["vector_epochs"])
        tokens = Tokenizer.load(place / "ids").words
        with progress_bar() as report:
            vectors = token_vectors(corpus, tokens, config, report)
        write_native(vectors, folder, dtype="float32")
    return folder


def shortened(network: PretrainingNetwork, positions: int) -> PretrainingNetwork:
    """The network without the positions that no training row was long enough to reach."""
    config: NetworkConfig = replace(network.config, max_position_embeddings=positions)
    state = network.state_dict()
    state[POSITIONS] = state[POSITIONS][:positions].clone()
    small = PretrainingNetwork(config)
    load_weights(small, state)
    return small.eval()


def build(
    name: str, recipes: dict, corpora: Path, work: Path, output: Path, onward: bool = False
) -> dict[str, object]:
    """Make one network, or resume it; return its card."""
    recipe = recipes["networks"][name]
    config = NETWORK_CONFIGS[recipe["method"]](**recipe["network"])
    stages: list[Stage] = []
    shipped = output / name if onward else None
    before = read_json(shipped / "card.json") if shipped else None
    for number, stage in enumerate(recipe["stages"], 1):
        if before and number <= len(before["stages"]):
            continue
        keys = stage.get("corpora", recipe["corpora"])
        abouts = [recipes["corpora"][key] for key in keys]
        texts = [corpora / file for about in abouts for file in about["files"]]
        place = work / "+".join(keys)
        settings = {key: value for key, value in stage.items() if key not in OF_TEXTS}
        training = PretrainingConfig(**{**settings, "rows": settings["rows"] // PROCESSES})
        prepared = ids(place, recipe, texts, stage.get("spelling", ""))
        run = work / f"{name}-{number}"
        if not is_complete(run / "model"):
            latest = stages[-1].run / "model" if stages else shipped
            begin = {"initial": latest} if latest else {"warm": warm(place, recipe)}
            with progress_bar(quiet=RANK > 0) as report:
                limits = Limits(report=report)
                pretrain(prepared, run, config, training, limits, tensorboard=True, **begin)
        stages.append(Stage(run, training))
        config = initial_config(run / "model", recipe["method"])
    corpus = PreparedCorpus.open(prepared)
    return ship(stages, output / name, abouts, corpus, before) if RANK == 0 else {}


def is_complete(model: Path) -> bool:
    """Whether a stage left its model after its last step."""
    return (model / "card.json").exists() and bool(read_json(model / "card.json")["complete"])


def ship(
    stages: list[Stage],
    folder: Path,
    abouts: list[dict],
    corpus: PreparedCorpus,
    earlier: dict | None = None,
) -> dict[str, object]:
    """Write the model's folder: float16, positions cut to those trained, corpora and licences in its card.

    ``earlier``: the card of the network that the stages began with; its stages, tokens and curve come before theirs.
    """
    trained = stages[-1].run / "model"
    training = stages[-1].training
    network = shortened(open_network(trained), training.max_tokens)
    cards = [read_json(stage.run / "model" / "card.json") for stage in stages]
    before = cards[-1]
    files = [file for about in abouts for file in about["files"]]
    languages = list(dict.fromkeys(source.language for source in corpus.sources))
    card = {
        **{key: value for key, value in before.items() if key != "files"},
        "name": folder.name,
        "language": languages[0] if len(languages) == 1 else "",
        "corpus": {
            "name": "+".join(languages),
            "title": "; ".join(about["title"] for about in abouts),
            "licence": "; ".join(about["licence"] for about in abouts),
            "files": {file: catalogued(file) for file in files},
            "tokens": len(corpus.ids),
        },
        "languages": languages,
        "command": f"python -m benchmarks.build_networks --corpora CORPORA --work WORK --only {folder.name}",
        "seed": training.seed,
        "commit": clean_commit(),
        "machine": machine(),
        "tokens_seen": sum(card["tokens_seen"] for card in filter(None, [earlier, *cards])),
        "steps": sum(card["steps"] for card in filter(None, [earlier, *cards])),
        "stages": [*(earlier["stages"] if earlier else []), *map(stage_summary, cards)],
        "curve": curve([stage.run for stage in stages], earlier),
    }
    check_clean(card, folder.name)
    export_network(network, Tokenizer.load(trained), folder, card)
    return card


def stage_summary(card: dict) -> dict[str, object]:
    """What a stage adds to the card of the whole; one that has shipped brings its commit and machine."""
    settings = card["settings"]
    chosen = {key: settings[key] for key in ("training", "processes", "warm_start")}
    spelling = settings["corpus"].get("spelling", "")
    chosen |= {"spelling": spelling} if spelling else {}
    origin = {key: card[key] for key in ("commit", "machine") if key in card}
    return {**chosen, **{key: card[key] for key in ("steps", "tokens_seen", "scores")}, **origin}


def curve(runs: list[Path], earlier: dict | None = None) -> list[dict[str, float]]:
    """Held-out scores by steps and tokens seen, stage after stage, of each `progress.jsonl`, after those of an earlier card."""
    points: list[dict[str, float]] = list(earlier["curve"]) if earlier else []
    for run in runs:
        begun = points[-1] if points else {"step": 0, "tokens": 0}
        for line in map(json.loads, (run / "progress.jsonl").read_text("utf-8").splitlines()):
            if "heldout_mlm_loss" in line:
                rounded = {k: v if isinstance(v, int) else round(v, 4) for k, v in line.items()}
                points.append({**rounded, **{k: line[k] + begun[k] for k in ("step", "tokens")}})
    return points


def main() -> None:
    """Build all networks, or those of ``--only``."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True, help="kept between runs")
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--onward", action="store_true", help="begin with the network that ships")
    options = ask.parse_args()
    clean_commit()
    recipes = read_recipes()
    for name in options.only or recipes["networks"]:
        card = build(name, recipes, options.corpora, options.work, options.output, options.onward)
        if card:
            print(name, json.dumps(card["scores"]), flush=True)


if __name__ == "__main__":
    main()

"""Build the shipped networks by `data/recipes.toml`: vocabulary, ids, vectors for the warm start, pretraining, a model's folder.

    python -m benchmarks.build_networks --corpora FOLDER --work FOLDER [--output data/models] [--only bert-en-ru-de ...]

Each step is left out where ``--work`` holds its result; a pretraining that was stopped goes on. On two cores the whole takes hours:
run it in the background, as often as needed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

from benchmarks.build_models import ROOT, catalogued
from embeddings.cli.output import progress_bar
from embeddings.files import read_json
from embeddings.models.config import KINDS, NetworkConfig
from embeddings.models.folders import fill, open_network
from embeddings.models.heads import PretrainingNetwork
from embeddings.pretraining.prepared import PreparedCorpus, prepare
from embeddings.static.word2vec import Word2VecConfig
from embeddings.text.wordpiece import WordPiece
from embeddings.training.pretraining import PretrainingConfig
from embeddings.training.runs import export, pretrain
from embeddings.training.tasks import Limits
from embeddings.training.warm_start import token_vectors
from embeddings.vectors.formats import write_native
from embeddings.vectors.formats.card import current_commit, machine

POSITIONS = "encoder.inputs.positions.weight"


def vocabulary(work: Path, corpora: Path) -> Path:
    """Folder of the shipped vocabulary; learned anew only where none ships (ties are then broken otherwise)."""
    folder = work / "wordpiece"
    if not (folder / "tokenizer.json").exists():
        shipped = ROOT / "data" / "models" / "bert-en-ru-de"
        if (shipped / "tokenizer.json").exists():
            WordPiece.load(shipped).save(folder)
        else:
            command = ["klyuch", "wordpiece", "train", str(corpora), "--output", str(folder)]
            subprocess.run(command, check=True)
    return folder


def ids(work: Path, corpora: Path, files: list[str]) -> PreparedCorpus:
    """All corpora as ids."""
    folder = work / "ids"
    if not (folder / "prepared.json").exists():
        wordpiece = WordPiece.load(vocabulary(work, corpora))
        with progress_bar() as report:
            prepare([corpora / file for file in files], wordpiece, folder, report)
    return PreparedCorpus.open(folder)


def vectors(work: Path, size: int, epochs: int) -> Path:
    """Skip-gram over the pieces, as wide as the token table."""
    folder = work / f"vectors-{size}"
    if not folder.exists():
        corpus = PreparedCorpus.open(work / "ids")
        config = Word2VecConfig(vector_size=size, epochs=epochs)
        tokens = WordPiece.load(work / "ids").words
        with progress_bar() as report:
            found = token_vectors(corpus, tokens, config, report)
        write_native(found, folder, dtype="float32")
    return folder


def shortened(network: PretrainingNetwork, positions: int) -> PretrainingNetwork:
    """The network without the positions that no training row was long enough to reach."""
    config: NetworkConfig = replace(network.config, max_position_embeddings=positions)
    state = network.state_dict()
    state[POSITIONS] = state[POSITIONS][:positions].clone()
    small = PretrainingNetwork(config)
    fill(small, state)
    return small.eval()


def build(name: str, recipes: dict, corpora: Path, work: Path, output: Path) -> dict[str, object]:
    """Make one network, or go on with it; return its card."""
    recipe = recipes["networks"][name]
    abouts = list(recipes["corpora"].values())
    files = [file for about in abouts for file in about["files"]]
    corpus = ids(work, corpora, files)
    config = KINDS[recipe["method"]](**recipe["network"])
    training = PretrainingConfig(**recipe["training"])
    width = config.embedding_size or config.hidden_size
    warm = vectors(work, width, recipe["vector_epochs"])
    run = work / name
    with progress_bar() as report:
        done = pretrain(work / "ids", run, config, training, Limits(report=report), warm=warm)
    return ship(done.folder, run, output / name, abouts, training, len(corpus.ids))


def ship(
    trained: Path,
    run: Path,
    folder: Path,
    abouts: list[dict],
    training: PretrainingConfig,
    tokens: int,
) -> dict[str, object]:
    """Write the model's folder: float16, positions cut to those trained, corpora and licences in its card."""
    network = shortened(open_network(trained), training.max_tokens)
    before = read_json(trained / "card.json")
    files = [file for about in abouts for file in about["files"]]
    card = {
        **{key: value for key, value in before.items() if key != "files"},
        "name": folder.name,
        "language": "",
        "corpus": {
            "name": "+".join(("en", "ru", "de")),
            "title": "; ".join(about["title"] for about in abouts),
            "licence": "; ".join(about["licence"] for about in abouts),
            "files": {file: catalogued(file) for file in files},
            "tokens": tokens,
        },
        "languages": ["en", "ru", "de"],
        "command": f"python -m benchmarks.build_networks --corpora CORPORA --work WORK --only {folder.name}",
        "seed": training.seed,
        "commit": current_commit(),
        "machine": machine(),
        "curve": curve(run),
    }
    export(network, WordPiece.load(trained), folder, card)
    return card


def curve(run: Path) -> list[dict[str, float]]:
    """Held-out scores by tokens seen, of `progress.jsonl`."""
    lines = map(json.loads, (run / "progress.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        {key: value if isinstance(value, int) else round(value, 4) for key, value in line.items()}
        for line in lines
        if "heldout_mlm_loss" in line
    ]


def main() -> None:
    """Build all networks, or those of ``--only``."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--work", type=Path, required=True, help="kept between runs")
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--only", nargs="*", default=[])
    said = ask.parse_args()
    recipes = tomllib.loads((ROOT / "data" / "recipes.toml").read_text(encoding="utf-8"))
    for name in said.only or recipes["networks"]:
        card = build(name, recipes, said.corpora, said.work, said.output)
        print(name, json.dumps(card["scores"]), flush=True)


if __name__ == "__main__":
    main()

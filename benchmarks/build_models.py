"""Build the shipped static models by `data/recipes.toml`: encode, train, keep 30 000 words, write, score what was written.

    python -m benchmarks.build_models --corpora FOLDER [--output data/models] [--only en-glove ...]

The corpora are those of `data/catalogue.toml` (a folder of .txt.xz files). Test sets that are not in this repository are read from
``KLYUCH_MIRROR/evaluation`` and left out of the card, with a word on screen, where they are missing.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.source_tree import ROOT, check_clean, clean_commit
from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
from embeddings.analysis.pca import PCA
from embeddings.cli.output import progress_bar
from embeddings.configuration import to_json
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import (
    FREQUENT_WORDS_FILE,
    EncodedCorpus,
    EncodingConfig,
)
from embeddings.files import atomic_file, read_json
from embeddings.model_card import build_card
from embeddings.results import plain
from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
from embeddings.static.fasttext import FastTextConfig, train_fasttext
from embeddings.static.glove import GloveConfig, train_glove
from embeddings.static.word2vec import Word2VecConfig, train_word2vec
from embeddings.text.lemmas import lemma_key
from embeddings.text.spelling_rules import respell
from embeddings.vectors.cooccurrence_table import COOCCURRENCE_FILE, save_cooccurrence
from embeddings.vectors.formats import read_native, write_native
from embeddings.vectors.table import Vectors

RECIPES = ROOT / "data" / "recipes.toml"
KEPT = 30_000
MIN_USES = 25  # uses below which a vector says little of its word
COMMONEST = 5_000  # words whose directions a model has in common
DIRECTIONS = "without the mean and the first {} principal components of its 5 000 commonest words (Mu and Viswanath 2018)"
SETS = {
    "en": {
        "analogies": ("evaluation/analogies_en/questions-words.txt",),
        "pairs": (
            "evaluation/similarity_en/EN-WS-353-ALL.txt",
            "evaluation/similarity_en/EN-SIMLEX-999.txt",
        ),
    },
    "ru": {
        "analogies": ("data/analogies/ru.txt",),
        "pairs": (
            "evaluation/similarity_ru/wordsim353-russian.txt",
            "evaluation/similarity_ru/simlex-russian.txt",
        ),
    },
    "de": {
        "analogies": (
            "evaluation/analogies_de/syntactic.questions",
            "evaluation/analogies_de/semantic_bm.questions",
        ),
        "pairs": (
            "evaluation/similarity_de/wordsim353-german.txt",
            "evaluation/similarity_de/simlex-german.txt",
        ),
    },
}


def read_recipes() -> dict:
    """Return corpora and settings of all that ships."""
    return tomllib.loads(RECIPES.read_text(encoding="utf-8"))


def encoded(name: str, recipe: dict, corpora: Path, cache: Path, lemmas: str = "") -> EncodedCorpus:
    """The corpus as ids, made once per cache folder."""
    folder = cache / (f"{name}-lemmas" if lemmas else name)
    if not (folder / "config.json").exists():
        config = EncodingConfig(
            min_count=recipe["min_count"], lemmas=lemmas, spelling=recipe.get("spelling", "")
        )
        sources = [corpus_file(corpora, file) for file in recipe["files"]]
        with progress_bar() as report:
            encode(sources, folder, config, report)
    return EncodedCorpus.open(folder)


def language_of(recipe: dict) -> str:
    """The language of a model's corpus: de for the corpora de and de-2026."""
    return str(recipe["corpus"]).partition("-")[0]


def corpus_file(corpora: Path, name: str) -> Path:
    """The compressed file of the catalogue, or the same one unpacked beside it."""
    unpacked = corpora / name.removesuffix(".xz")
    return unpacked if unpacked.exists() else corpora / name


def catalogued(file: str) -> str:
    """The sha256 that the catalogue has for a corpus file."""
    catalogue = tomllib.loads((ROOT / "data" / "catalogue.toml").read_text(encoding="utf-8"))
    rows = [row for entry in catalogue["entry"] for row in entry["files"]]
    return next(row["sha256"] for row in rows if row.get("mirror") == f"corpora/{file}")


def scores(vectors: Vectors) -> dict[str, object]:
    """Every test set of the model's language that is at hand, with coverage."""
    mirror = os.environ.get("KLYUCH_MIRROR")
    results: dict[str, object] = {}
    for kind, evaluate in (("analogies", evaluate_analogies), ("pairs", evaluate_pairs)):
        for relative in SETS[vectors.language][kind]:
            home = ROOT if relative.startswith("data/") else Path(mirror or "/nonexistent")
            if not (home / relative).exists():
                print(f"not scored, not at hand: {relative}")
                continue
            score = plain(evaluate(vectors, home / relative))
            sections = {s["name"]: s for s in score.pop("sections", [])}
            score.pop("file", None)
            results[Path(relative).name] = score | ({"sections": sections} if sections else {})
    return results


def train(recipe: dict, corpus: EncodedCorpus) -> tuple[Vectors, dict[str, object], object]:
    """Train one model; return all its vectors, the settings used, and for GloVe what ratios need."""
    with progress_bar() as report:
        if recipe["method"] == "glove":
            settings = dict(recipe["settings"])
            window = CooccurrenceConfig(window=settings.pop("window"))
            config = GloveConfig(**settings)
            counts = count_cooccurrences(corpus, window, report)
            model = train_glove(counts, corpus.vocabulary, config, report=report)
            model.vectors.spelling = corpus.config.spelling
            return model.vectors, to_json(window) | to_json(config), (counts, model)
        if recipe["method"] == "fasttext":
            subword_config = FastTextConfig(**recipe["settings"])
            composed = train_fasttext(corpus, subword_config, report=report)
            return composed.vectors, to_json(subword_config), None
        config = Word2VecConfig(sg=recipe["method"] == "skipgram", **recipe["settings"])
        trained = train_word2vec(corpus, config, report=report)
        return trained.vectors, to_json(config), None


def trained_already(folder: Path) -> tuple[Vectors, dict[str, object], float]:
    """A model of the same recipe with no fewer words, instead of training it again: vectors, settings, seconds."""
    card = read_json(folder / "card.json")
    check_clean(card, folder.name)
    return read_native(folder), dict(card["settings"]), float(card["seconds"])


def without_common_directions(matrix: NDArray[np.float32], directions: int) -> NDArray[np.float32]:
    """Return vectors less the mean and the first principal components of the commonest words, which tell kinds of text apart.

    Mu and Viswanath (2018), algorithm 1, who take those of all words; rows by falling frequency.
    """
    pca = PCA(directions, standardize=False).fit(matrix[:COMMONEST])
    common = pca.components_.astype(np.float32)
    centred = matrix - pca.mean_.astype(np.float32)
    remaining: NDArray[np.float32] = centred - centred @ common.T @ common
    return remaining


def copier(file: Path) -> Callable[[Path], None]:
    """Return what copies ``file`` into a model's folder."""

    def copy(folder: Path) -> None:
        shutil.copy(file, folder)

    return copy


def kept_rows(vectors: Vectors, recipe: dict) -> NDArray[np.int64]:
    """Rows of the words that are kept, rising: the commonest 30 000, or as many as the recipe says.

    ``dictionary_forms``: a dictionary form counts with all forms of its word, since that is what people look up: избушка (41 uses) is kept
    before дожидается (70). One of fewer than `MIN_USES` uses counts as it stands.
    """
    size = recipe.get("words", KEPT)
    if not recipe.get("dictionary_forms") or vectors.counts is None:
        return np.arange(min(size, len(vectors.words)))
    language, spelling = language_of(recipe), vectors.spelling
    lemmas = [respell(lemma_key(word, language), spelling) for word in vectors.words]
    together: Counter[str] = Counter()
    for lemma, count in zip(lemmas, vectors.counts, strict=True):
        together[lemma] += int(count)
    rated = [
        together[lemma] if lemma == word and count >= MIN_USES else int(count)
        for word, lemma, count in zip(vectors.words, lemmas, vectors.counts, strict=True)
    ]
    return np.sort(np.argsort(-np.array(rated), kind="stable")[:size])


def cut(vectors: Vectors, name: str, recipe: dict) -> Vectors:
    """The words of `kept_rows`, under the model's name.

    ``components`` of a recipe: so many principal components of the unit vectors are kept; cosines are then those of centred vectors.
    ``directions``: so many are taken out of the vectors by `without_common_directions`.
    ``ngrams``: so many n-grams are kept, those of the most tokens.
    """
    kept = kept_rows(vectors, recipe)
    matrix = vectors.matrix[kept]
    if directions := recipe.get("directions"):
        matrix = without_common_directions(matrix, directions)
    if size := recipe.get("components"):
        matrix = PCA(size, standardize=False).fit_transform(vectors.unit[kept]).astype(np.float32)
    shortened = Vectors(
        tuple(vectors.words[row] for row in kept),
        matrix,
        None if vectors.counts is None else vectors.counts[kept],
        name=name,
        language=language_of(recipe),
        method="lemmas" if recipe.get("lemmas") else recipe["method"],
    )
    shortened.spelling = vectors.spelling
    if vectors.subwords is not None and vectors.counts is not None:
        words = [word.encode() for word in vectors.words]
        shortened.subwords = vectors.subwords.commonest(words, vectors.counts, recipe["ngrams"])
    return shortened


def build(
    name: str, recipes: dict, corpora: Path, output: Path, cache: Path, trained: Path | None = None
) -> dict[str, object]:
    """Make one model and return its card; ``trained`` holds models that are cut instead of training anew."""
    recipe = recipes["models"][name]
    about = recipes["corpora"][recipe["corpus"]]
    lemmas = language_of(recipe) if recipe.get("lemmas") else ""
    corpus = encoded(recipe["corpus"], about, corpora, cache, lemmas)
    begun, ratios = time.monotonic(), None
    if trained:
        whole, settings, seconds = trained_already(trained / name)
    else:
        whole, settings, ratios = train(recipe, corpus)
        seconds = time.monotonic() - begun
    whole.spelling = corpus.config.spelling
    vectors = cut(whole, name, recipe)
    card = build_card(
        vectors,
        corpus={
            "name": recipe["corpus"],
            "title": about["title"],
            "licence": about["licence"],
            "files": {file: catalogued(file) for file in about["files"]},
            "words": len(corpus.ids),
            "vocabulary": len(corpus.vocabulary),
            "min_count": about["min_count"],
            "lemmas": lemmas,
            "spelling": corpus.config.spelling,
        },
        settings=settings,
        command=f"python -m benchmarks.build_models --corpora CORPORA --only {name}",
    )
    card |= {"commit": clean_commit(), "seconds": round(seconds, 1)}
    if directions := recipe.get("directions"):
        card["note"] = DIRECTIONS.format(directions)
    if size := recipe.get("components"):
        card["components"] = {"kept": size, "of": whole.vector_size}
    extra: Callable[[Path], None] | None = None
    if ratios is not None:
        from embeddings.static.glove import cooccurrence_table

        words = recipes["ratio_words"][vectors.language]
        extra = partial(save_cooccurrence, cooccurrence_table(*ratios, corpus.vocabulary, words))
    elif trained and (counts := trained / name / COOCCURRENCE_FILE).exists():
        extra = copier(counts)
    with tempfile.TemporaryDirectory() as trial:  # scores are those of the numbers on disk
        write_native(vectors, Path(trial) / name, config=settings, card=card)
        card["scores"] = scores(read_native(Path(trial) / name))
        card["scores_before_int8"] = summary(scores(vectors))
    write_native(vectors, output / name, config=settings, card=card, extra=extra)
    return card


def summary(results: dict) -> dict[str, float]:
    """One number a test set."""
    return {
        key: round(v.get("accuracy", v.get("spearman")) or 0.0, 4) for key, v in results.items()
    }


def write_rare_words(corpus: EncodedCorpus, kept: Collection[str], path: Path) -> None:
    """Ship the counts of all words beside ``kept`` that were seen at least twice, ``word<TAB>count`` a line."""
    with lzma.open(
        corpus.folder / FREQUENT_WORDS_FILE, "rt", encoding="utf-8", newline="\n"
    ) as file:
        lines = "".join(line for line in file if line.split("\t")[0] not in kept)
    with atomic_file(path) as temporary:
        temporary.write_bytes(lzma.compress(lines.encode(), preset=9))


def main() -> None:
    """Build all models, or those of ``--only``."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--corpora", type=Path, required=True)
    ask.add_argument("--output", type=Path, default=ROOT / "data" / "models")
    ask.add_argument("--cache", type=Path, help="where encoded corpora are kept between runs")
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--trained", type=Path, help="folder of models to cut, instead of training")
    options = ask.parse_args()
    clean_commit()
    recipes = read_recipes()
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        shipped = [name for name, made in recipes["models"].items() if made.get("ships", True)]
        names = options.only or shipped
        for name in names:
            card = build(name, recipes, options.corpora, options.output, cache, options.trained)
            print(name, json.dumps(summary(card["scores"])), f"{card['seconds']} s", flush=True)
        forms = [name for name in names if not recipes["models"][name].get("lemmas")]
        for name, model in {recipes["models"][model]["corpus"]: model for model in forms}.items():
            corpus = encoded(name, recipes["corpora"][name], options.corpora, cache)
            kept = set(read_native(options.output / model).words)
            list_file = options.output.parent / "vocabularies" / f"{name}.txt.xz"
            write_rare_words(corpus, kept, list_file)


if __name__ == "__main__":
    main()

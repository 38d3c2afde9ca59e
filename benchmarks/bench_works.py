"""The works of `benchmarks.bench`: each by this project and, where one installs, by a well-known program, on the same input.

A program runs in a process of its own: ``program(folder, scale)`` returns ``seconds`` of the work alone, without imports and compiling,
``memory_mb``, the peak meanwhile, and ``amount``, in the unit of the work; some bring ``quality`` (a share), so that speed that costs
accuracy is seen. `costs` counts the operations and bytes that the method asks for, the same for both programs: each row of a table that
is touched counts as read, and as written where it changes, as though no cache held it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gensim_speed import CONTESTS, SETTINGS, train_gensim, train_klyuch
from benchmarks.speed import Figures, peak_mb, reset_peak, seconds_of
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodedCorpus, EncodingConfig

WINDOW = 10  # of co-occurrences
MEAN_CONTEXTS = SETTINGS["window"] + 1  # the window of word2vec shrinks at random
TARGETS = SETTINGS["negative"] + 1
DIMENSIONS = SETTINGS["vector_size"]
MASKED = 0.15
LENGTH = 128  # tokens of a text that networks read


@dataclass(frozen=True, slots=True)
class Scale:
    """How much each work does."""

    text_bytes: int = 10**8
    epochs: int = 2
    iterations: int = 5
    bucket: int = 2_000_000
    pca_rows: int = 200_000
    pca_columns: int = 300
    words: int = 1_000_000
    vector_size: int = 300
    queries: int = 20
    layers: int = 4
    hidden_size: int = 256
    vocabulary: int = 32_000
    steps: int = 6
    texts: int = 128
    contexts: int = 200
    clicks: int = 9
    questions: str = ""  # a file of analogies; "" scores nothing


TINY = Scale(
    text_bytes=10**6,
    epochs=1,
    iterations=1,
    bucket=500,
    pca_rows=300,
    pca_columns=8,
    words=2_000,
    vector_size=16,
    queries=2,
    layers=1,
    hidden_size=32,
    vocabulary=200,
    steps=1,
    texts=4,
    contexts=4,
    clicks=1,
)


def measured(action: Callable[[], object]) -> Figures:
    """Seconds of the clock that a call takes, and the peak of this process's memory meanwhile."""
    reset_peak()
    figures = seconds_of(action)
    return {**figures, "memory_mb": peak_mb()}


def encode_ours(folder: Path, _: Scale) -> Figures:
    """Text to ids on disk."""
    figures = measured(
        lambda: encode([folder / "text.txt"], folder / "again", EncodingConfig(min_count=5))
    )
    return {**figures, "amount": float(_words_of_text(folder))}


def encode_gensim(folder: Path, _: Scale) -> Figures:
    """Words counted, none encoded."""
    from gensim.models.word2vec import Word2Vec

    model = Word2Vec(min_count=5, workers=2)
    figures = measured(lambda: model.scan_vocab(corpus_file=str(folder / "text.txt")))
    return {**figures, "amount": float(_words_of_text(folder))}


def _words_of_text(folder: Path) -> int:
    """Words that `encode` finds, for both programs, so that ratios are those of time."""
    return int(EncodedCorpus.open(folder / "ids").vocabulary.counts.sum())


def train_static(method: str, system: str, folder: Path, scale: Scale) -> Figures:
    """Train skip-gram, CBOW or fastText (skip-gram with n-grams)."""
    contest = CONTESTS["word2vec"]
    if method == "fasttext":
        contest = CONTESTS[method]
        contest = replace(contest, settings={**contest.settings, "bucket": scale.bucket})
    train = {"klyuch": train_klyuch, "gensim": train_gensim}[system]
    reset_peak()
    matrix, seconds = train(contest, folder, method != "cbow", scale.epochs)
    figures = {"seconds": seconds, "memory_mb": peak_mb()}  # vocabulary and tables included
    corpus = EncodedCorpus.open(folder / "ids")
    figures["amount"] = float(len(corpus.ids) * scale.epochs)
    return figures | _quality(corpus, matrix, scale)


def _quality(corpus: EncodedCorpus, matrix: np.ndarray, scale: Scale) -> Figures:
    """Accuracy on analogies among the 30 000 commonest words, in [0, 1]."""
    if not scale.questions:
        return {}
    from embeddings.analysis.evaluation import evaluate_analogies
    from embeddings.vectors.table import Vectors

    vectors = Vectors(corpus.vocabulary.words, matrix)
    score = evaluate_analogies(vectors, Path(scale.questions), 30_000)
    return {"quality": float(score.accuracy or 0.0)}


def count_ours(folder: Path, _: Scale) -> Figures:
    """Co-occurrences, symmetric, weighted by 1 / distance."""
    from benchmarks.glove_speed import warm_up
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences

    warm_up(folder)
    corpus = EncodedCorpus.open(folder / "ids")
    figures = measured(lambda: count_cooccurrences(corpus, CooccurrenceConfig(window=WINDOW)))
    return {**figures, "amount": float(len(corpus.ids))}


def glove_ours(folder: Path, scale: Scale) -> Figures:
    """GloVe over counts that are there."""
    from benchmarks.glove_speed import warm_up
    from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences
    from embeddings.static.glove import GloveConfig, train_glove

    warm_up(folder)
    corpus = EncodedCorpus.open(folder / "ids")
    counts = count_cooccurrences(corpus, CooccurrenceConfig(window=WINDOW))
    settings = GloveConfig(vector_size=DIMENSIONS, iterations=scale.iterations)
    models = []
    figures = measured(
        lambda: models.append(train_glove(counts, corpus.vocabulary, settings).vectors)
    )
    figures["amount"] = float(counts.pairs * scale.iterations)
    return figures | _quality(corpus, models[0].matrix, scale)


def pca(system: str, _: Path, scale: Scale) -> Figures:
    """Two components."""
    from sklearn import decomposition

    from embeddings import PCA

    random = np.random.default_rng(1)
    rows = random.standard_normal((scale.pca_rows, scale.pca_columns), dtype=np.float32) + 20
    ours, theirs = PCA(2, standardize=False), decomposition.PCA(2, svd_solver="covariance_eigh")
    fitted = {"klyuch": ours, "scikit-learn": theirs}[system]
    fitted.fit(rows)  # not counted
    return {**measured(lambda: fitted.fit(rows)), "amount": float(scale.pca_rows)}


def neighbours(system: str, _: Path, scale: Scale) -> Figures:
    """Ten nearest words, exact, over a table in memory."""
    from embeddings.vectors.cosine_search import nearest
    from embeddings.vectors.table import Vectors

    random = np.random.default_rng(1)
    matrix = random.standard_normal((scale.words, scale.vector_size), dtype=np.float32)
    words = [f"w{row}" for row in range(scale.words)]
    asked = range(1, scale.queries + 1)
    if system == "klyuch":
        vectors = Vectors(words, matrix)

        def ask(row: int) -> object:
            return nearest(vectors, matrix[row], 10, excluded=[row])
    else:
        from gensim.models import KeyedVectors

        table = KeyedVectors(scale.vector_size)
        table.add_vectors(words, matrix)

        def ask(row: int) -> object:
            return table.most_similar(words[row], topn=10)

    ask(0)  # not counted: norms are computed once
    figures = measured(lambda: [ask(row) for row in asked])
    return {**figures, "amount": float(scale.queries)}


def _config(kind: str, scale: Scale) -> Any:
    """The sizes of a network."""
    from embeddings.networks.bert_config import AlbertConfig, BertConfig

    sizes: dict[str, Any] = {
        "vocab_size": scale.vocabulary,
        "hidden_size": scale.hidden_size,
        "num_hidden_layers": scale.layers,
        "num_attention_heads": 4,
        "intermediate_size": 4 * scale.hidden_size,
        "max_position_embeddings": LENGTH,
    }
    return AlbertConfig(**sizes) if kind == "albert" else BertConfig(**sizes)


def pretrain(kind: str, system: str, _: Path, scale: Scale) -> Figures:
    """Steps of pretraining in bf16 on the same pairs, masks and weights."""
    import torch
    import transformers

    from benchmarks import bert_speed
    from embeddings.networks.bert import new_network
    from embeddings.networks.huggingface_folder import save_network
    from embeddings.pretraining.packing import SpecialIds
    from embeddings.training.loop_config import LoopConfig
    from embeddings.training.optimisation import make_optimizer
    from embeddings.training.pretraining.pretraining_task import make_pretraining_batch

    packed = bert_speed.batch_of_pairs(1, scale.vocabulary)
    noise = torch.rand(3, *packed.ids.shape, generator=torch.Generator().manual_seed(1))

    def batch() -> Any:
        return make_pretraining_batch(packed, noise, MASKED, scale.vocabulary, SpecialIds())

    network: torch.nn.Module = new_network(_config(kind, scale)).train()
    if system == "transformers":
        names = {"bert": "BertForPreTraining", "albert": "AlbertForPreTraining"}
        opened = getattr(transformers, names[kind])
        network = bert_speed.without_dropout(_as_theirs(network, opened, save_network))
        inputs = bert_speed.theirs_from(batch(), packed)
        if kind == "albert":
            inputs["sentence_order_label"] = inputs.pop("next_sentence_label")
        loss = lambda: network(**inputs).loss  # noqa: E731
    else:
        loss = lambda: bert_speed.our_loss(network, batch())  # noqa: E731
    optimizer = make_optimizer(network, LoopConfig())
    step = partial(bert_speed.step, network, optimizer, loss, time.perf_counter)
    step()  # not counted
    reset_peak()
    taken = [step() for _ in range(scale.steps)]
    figures = {"seconds": float(np.median(taken)), "memory_mb": peak_mb()}
    return {**figures, "amount": float(packed.tokens)}


def _as_theirs(network: Any, opened: Any, save: Callable[..., object]) -> Any:
    """Open our weights with their class."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        save(network, Path(folder))
        return opened.from_pretrained(folder)


def infer(kind: str, system: str, _: Path, scale: Scale) -> Figures:
    """Last states of texts of `LENGTH` tokens in float32, 32 texts at a time."""
    import torch
    import transformers

    from embeddings.networks.bert import new_network
    from embeddings.networks.huggingface_folder import save_network

    network = new_network(_config(kind, scale)).eval()
    ids = torch.randint(5, scale.vocabulary, (scale.texts, LENGTH))
    if system == "klyuch":
        model: Callable[[torch.Tensor], object] = network.encoder
    else:
        opened = transformers.AlbertModel if kind == "albert" else transformers.BertModel
        model = _as_theirs(network, opened, save_network).eval()

    def read() -> None:
        with torch.inference_mode():
            for part in ids.split(32):
                model(part)

    read()  # not counted
    return {**measured(read), "amount": float(ids.numel())}


def contexts_of_a_word(system: str, folder: Path, scale: Scale) -> Figures:
    """Vectors of one word in its sentences, at all layers, by the English BERT that ships."""
    import torch
    import transformers

    from embeddings import shelf
    from embeddings.probing.context_states import word_states
    from embeddings.probing.network import open_reader

    path = shelf.find("bert-en").path
    found = _contexts(folder, scale.contexts)
    texts = [text for text, _ in found]
    if system == "klyuch":
        reader = open_reader(path)
        read: Callable[[], object] = partial(word_states, reader, found)
    else:
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(path / "tokenizer.json"), pad_token="[PAD]"
        )
        model = transformers.BertModel.from_pretrained(path).eval()

        def read() -> object:
            with torch.inference_mode():
                for start in range(0, len(texts), 32):
                    given = tokenizer(
                        texts[start : start + 32],
                        padding=True,
                        truncation=True,
                        max_length=LENGTH,
                        return_tensors="pt",
                    )
                    model(**given, output_hidden_states=True)
            return None

    read()  # not counted
    return {**measured(read), "amount": float(len(texts))}


def _contexts(folder: Path, count: int) -> list[tuple[str, tuple[int, int]]]:
    """Lines of the text with its commonest word of four letters or more, cut to 300 characters around it."""
    corpus = EncodedCorpus.open(folder / "ids")
    word = next(word for word in corpus.vocabulary.words if len(word) > 3)
    found: list[tuple[str, tuple[int, int]]] = []
    for line in (folder / "text.txt").read_text(encoding="utf-8").lower().split("\n"):
        at = f" {line} ".find(f" {word} ")
        if at >= 0 and len(found) < count:
            start = max(0, at - 150)
            text = line[start : at + 150]
            found.append((text, (at - start, at - start + len(word))))
    return found


def page(name: str, _: Path, scale: Scale) -> Figures:
    """A run of a page's script after a new word, in this process (Streamlit's AppTest)."""
    from streamlit.testing.v1 import AppTest  # noqa: TID251 - measures the pages

    from benchmarks.page_speed import WORDS
    from benchmarks.source_tree import ROOT

    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=120).run()
    key, form = ("word", "{}") if name == "explore" else ("formula", "{} - man + woman")
    if name != "explore":
        app.switch_page(f"views/{name}/{name}.py").run()

    def ask(word: str) -> object:
        return app.text_input(key=key).set_value(form.format(word)).run()

    ask("house")  # not counted
    reset_peak()
    taken = [seconds_of(partial(ask, word))["seconds"] for word in WORDS[: scale.clicks]]
    return {"seconds": float(np.median(taken)), "memory_mb": peak_mb(), "amount": 1.0}


def start_of_the_app(folder: Path, _: Scale) -> Figures:
    """Seconds from the command to a server that answers; the memory that it then holds."""
    from benchmarks.servers import memory_of, served

    begun = time.perf_counter()
    with served(folder / "home") as (_port, process):
        seconds = time.perf_counter() - begun
        return {"seconds": seconds, "amount": 1.0, "memory_mb": memory_of(process) / 2**20}


Program = Callable[[Path, Scale], Figures]


@dataclass(frozen=True, slots=True)
class Work:
    """A work: the unit of its rate (millions or thousands a second, or s), its programs, ours first, and a remark on the peer.

    ``precision``: of the products that it is held to, "fp32" or "bf16".
    """

    unit: str
    programs: Mapping[str, Program]
    remark: str = ""
    precision: str = "fp32"


def _both(function: Callable[..., Figures], peer: str, *arguments: str) -> dict[str, Program]:
    """One function by this project and by a peer."""
    return {system: partial(function, *arguments, system) for system in ("klyuch", peer)}


WORKS: dict[str, Work] = {
    "encode": Work(
        "M words/s", {"klyuch": encode_ours, "gensim": encode_gensim}, remark="only_counts"
    ),
    "skipgram": Work("M words/s", _both(train_static, "gensim", "skipgram")),
    "cbow": Work("M words/s", _both(train_static, "gensim", "cbow")),
    "fasttext": Work("M words/s", _both(train_static, "gensim", "fasttext")),
    "glove_count": Work("M words/s", {"klyuch": count_ours}),
    "glove_train": Work("M pairs/s", {"klyuch": glove_ours}),
    "pca": Work("s", _both(pca, "scikit-learn")),
    "neighbours": Work("s", _both(neighbours, "gensim")),
    "bert": Work("k tokens/s", _both(pretrain, "transformers", "bert"), "same_steps", "bf16"),
    "albert": Work("k tokens/s", _both(pretrain, "transformers", "albert"), "same_steps", "bf16"),
    "bert_read": Work("k tokens/s", _both(infer, "transformers", "bert")),
    "albert_read": Work("k tokens/s", _both(infer, "transformers", "albert")),
    "contexts": Work("s", _both(contexts_of_a_word, "transformers")),
    "page_explore": Work("s", {"klyuch": partial(page, "explore")}),
    "page_analogies": Work("s", {"klyuch": partial(page, "analogies")}),
    "start": Work("s", {"klyuch": start_of_the_app}),
}


def _kept(corpus: EncodedCorpus) -> np.ndarray:
    """Tokens of each word that subsampling keeps, expected."""
    counts = corpus.vocabulary.counts.astype(np.float64)
    rate = SETTINGS["sample"] * counts.sum() / counts
    kept: np.ndarray = counts * np.minimum(1, np.sqrt(rate) + rate)
    return kept


def _ngrams(corpus: EncodedCorpus) -> np.ndarray:
    """N-grams of each word, as fastText takes them."""
    from embeddings.vectors.character_ngrams import WordBuckets

    words = [word.encode() for word in corpus.vocabulary.words]
    return np.diff(WordBuckets.of(words, 3, 6, 2_000_000).offsets)


def costs(name: str, folder: Path, scale: Scale) -> tuple[float, float] | None:
    """Return operations (multiplications and additions) and bytes that one run of a work asks for; None where they are not counted."""
    corpus = EncodedCorpus.open(folder / "ids")
    d, words = DIMENSIONS, float(len(corpus.ids))
    kept = float(_kept(corpus).sum()) * scale.epochs
    pairs = kept * MEAN_CONTEXTS
    # a target: its product with the input (2 d), its own update and that of the input (2 d each)
    target_work, target_bytes = 6.0 * d * TARGETS, 8.0 * d * TARGETS
    hidden, rows, n = scale.hidden_size, scale.pca_rows, scale.pca_columns
    table = float(scale.words * scale.vector_size)
    layer = 24.0 * hidden**2 + 4 * LENGTH * hidden  # of a token, forward
    read = scale.texts * LENGTH * scale.layers * layer
    if name in ("fasttext",):
        ngrams = 1 + _ngrams(corpus)
        touched = float((_kept(corpus) * ngrams).sum()) * scale.epochs
        return (pairs * target_work + 3 * d * touched, pairs * target_bytes + 12 * d * touched)
    if name in ("bert", "albert"):
        from benchmarks.bert_speed import batch_of_pairs

        tokens = float(batch_of_pairs(1, scale.vocabulary).tokens)
        scored = 2 * MASKED * (scale.vocabulary + hidden) * hidden
        return 3 * tokens * (scale.layers * layer + scored), 0.0
    counted = {
        "encode": (0.0, float((folder / "text.txt").stat().st_size) + 4 * words),
        "skipgram": (pairs * target_work, pairs * (target_bytes + 8 * d)),
        "cbow": (
            kept * (target_work + 3 * d * MEAN_CONTEXTS),
            kept * (target_bytes + 12 * d * MEAN_CONTEXTS),
        ),
        "glove_count": (words * 2 * WINDOW, words * 2 * WINDOW * 12.0),
        "pca": (float(rows) * n * n, 4.0 * rows * n),
        "neighbours": (2 * table * scale.queries, 4 * table * scale.queries),
        "bert_read": (read, 0.0),
        "albert_read": (read, 0.0),
    }
    return counted.get(name)


def pair_costs(amount: float) -> tuple[float, float]:
    """Return operations and bytes of GloVe over so many pairs: two vectors and their AdaGrad sums, read and written."""
    return amount * 14 * DIMENSIONS, amount * 4 * 8.0 * DIMENSIONS


def limits(size: int = 1 << 26, side: int = 2048, times: int = 5) -> dict[str, float]:
    """Measure what the machine can do: bytes/s of a copy (read and written), fp32 and bf16 products in operations/s.

    Parameters
    ----------
    size : int
        Numbers that are copied.
    side : int
        Of the square matrices.
    times : int
        The best of so many.
    """
    import torch

    source, target = np.ones(size, np.float32), np.empty(size, np.float32)
    best = {"bytes": math.inf, "fp32": math.inf, "bf16": math.inf}
    single = torch.ones(side, side)
    double = single.to(torch.bfloat16)
    for _ in range(times + 1):
        for key, action in (
            ("bytes", lambda: np.copyto(target, source)),
            ("fp32", lambda: single @ single),
            ("bf16", lambda: double @ double),
        ):
            best[key] = min(best[key], seconds_of(action)["seconds"])
    work = 2.0 * side**3
    return {
        "bytes": 8.0 * size / best["bytes"],
        "fp32": work / best["fp32"],
        "bf16": work / best["bf16"],
    }

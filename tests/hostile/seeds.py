"""Sound inputs of every reader, small, from which the fuzzer begins, and every input that once broke one."""

import gzip
import io
import json
import lzma
import shutil
import zipfile
from pathlib import Path

import numpy as np

from tests.hostile.cases import CASES
from tests.hostile.hostile_inputs import put
from tests.hostile.mutations import LARGEST, Seed
from tests.hostile.sound_inputs import sound_network

FOUND = Path(__file__).parent / "found"
LARGE = {  # hostile inputs that cost seconds to write: they are read as they are (test_hostile_files.py)
    *("short_rows", "equal_rows_packed", "quotes", "columns_without_end", "counts_of_words_without_end"),
    *("seen_words_of_a_gibibyte", "frequent_words_of_a_gibibyte", "classifier_many_labels"),
}  # fmt: skip
SOUND_SHARE = 5  # a sound input is taken so much more often than one that is hostile already
WORDS = ("key", "lock", "door", "ключ", "Tür", "a")


def of(path: Path, main: str = "") -> Seed:
    """What lies at a path."""
    if path.is_file():
        return Seed({path.name: path.read_bytes()}, path.name)
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    return Seed({str(file.relative_to(path)): file.read_bytes() for file in files}, main)


def zipped(seed: Seed, name: str = "a.zip") -> Seed:
    """The same as a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in seed.files.items():
            archive.writestr(file, content)
    return Seed({name: made.getvalue()}, name)


def vector_files(folder: Path) -> list[Seed]:
    """A table in every format that is written, plain and packed; n-grams with it where a format has them."""
    from embeddings.vectors.character_ngrams import Subwords
    from embeddings.vectors.formats import write, write_native
    from embeddings.vectors.table import Vectors

    matrix = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)
    table = Vectors(WORDS, matrix, np.arange(9, 3, -1), name="t", method="cbow")
    grams = Vectors(WORDS, matrix, np.arange(9, 3, -1), method="fasttext")
    grams.subwords = Subwords(3, 5, 12, np.ones((12, 4), np.float32))
    made = []
    for format, name in (
        *(("word2vec", "a.txt"), ("glove", "b.txt"), ("fasttext", "a.vec"), ("projector", "p")),
        *(("word2vec-binary", "a.bin"), ("numpy", "a.npy"), ("parquet", "a.parquet")),
        *(("gensim", "g"), ("native", "n")),
    ):
        place = folder / format
        place.mkdir()
        write(table, place / name, format=format)
        is_folder = (place / name).is_dir()
        made.append(of(place / name) if is_folder else Seed(of(place).files, name))
        if name.endswith((".txt", ".bin", ".vec")):
            content = (place / name).read_bytes()
            made.append(Seed({name + ".gz": gzip.compress(content)}, name + ".gz"))
            made.append(Seed({name + ".xz": lzma.compress(content)}, name + ".xz"))
    write(grams, folder / "f.bin", format="fasttext-binary")
    made += [of(folder / "f.bin")] * 4
    write_native(grams, folder / "grams", dtype="int8")
    for native in (of(folder / "grams"), of(folder / "native" / "n")):
        made.append(native)
        bare = {name: data for name, data in native.files.items() if name != "card.json"}
        made += [Seed(bare)] * 3  # without a card nothing is held to a checksum
    return made


def tables(folder: Path) -> dict[str, list[Seed]]:
    """Co-occurrence counts and contexts."""
    from embeddings.vectors.context_table import ContextTable, save_contexts
    from embeddings.vectors.cooccurrence_table import CooccurrenceTable, save_cooccurrence

    size = len(WORDS)
    counts = np.random.default_rng(1).integers(0, 9, (size, size)).astype(np.float32)
    rows, biases = [np.ones((size, 4), np.float32)] * 2, [np.ones(size, np.float32)] * 2
    table = CooccurrenceTable(WORDS, counts + counts.T, counts.sum(1) + 1, *rows, *biases)
    (folder / "counts").mkdir()
    save_cooccurrence(table, folder / "counts")
    starts = np.arange(size + 1) * 2
    columns = np.tile(np.array([1, 4], np.uint16), size)
    ones = np.ones(size)
    met = np.full(2 * size, 3, np.uint32)
    contexts = ContextTable(WORDS, starts, columns, met, ones * 6, 9.0, 36.0, ones, 5, True)
    (folder / "contexts").mkdir()
    save_contexts(contexts, folder / "contexts")
    return {
        "cooccurrence": [of(folder / "counts")],
        "context_table": [of(folder / "contexts")],
    }


def measured(folder: Path) -> dict[str, list[Seed]]:
    """What trainings say of a model's words: its spread, a report of changes; lists of an association test."""
    from embeddings.results.vector_answers import ChangeReport, WordChange
    from embeddings.shelf.change_reports import save_report
    from embeddings.static.retraining import measure_spread
    from embeddings.static.settings import SpreadConfig
    from embeddings.vectors.run_spread import save_spread
    from embeddings.vectors.table import normalize_rows

    draw = np.random.default_rng(1)
    tables = [
        normalize_rows(draw.normal(size=(len(WORDS), 4)).astype(np.float32)) for _ in range(3)
    ]
    config = SpreadConfig(runs=3, rows=4, nearest=3, kept=3)
    save_spread(measure_spread(tables, WORDS, config)[0], folder / "spread", {"name": "m"})
    word = WordChange("key", 0.5, 0.1, 0.01, 0.02, 9, 8, ("lock",), ("door",))
    report = ChangeReport("change", "a", "b", (2, 3), (20, 30), 20, 4, (word,), {"epochs": 5})
    save_report(report, folder / "change.json", {})
    bare = json.loads((folder / "change.json").read_text(encoding="utf-8"))
    del bare["self_sha256"]  # else no mutation gets past the seal
    lists = 'X = ["key", "lock"]\nY = ["door", "gate"]\nA = "a, b"\nB = ["c", "d"]\n'
    whole = of(folder / "spread")
    return {
        "spread": [whole, *[Seed({**whole.files, "card.json": b"{}"})] * 3],
        "change_report": [
            of(folder / "change.json"),
            *[Seed({"a.json": json.dumps(bare).encode()}, "a.json")] * 3,
        ],
        "associations": [Seed({"a.toml": lists.encode()}, "a.toml")],
    }


def annotated() -> dict[str, list[Seed]]:
    """What people annotate: labelled sentences, blanks, minimal pairs, words in two contexts, senses, dates, questions."""
    contexts = "context_id\tword\tgold_sense_id\tpredict_sense_id\tpositions\tcontext\n"
    contexts += "1\tkey\t1\t\t4-7\tThe key opens the door.\n2\tkey\t2\t\t\tThe «key» of C.\n"
    wic = "lemma\tsentence1\tstart1\tend1\tsentence2\tstart2\tend2\tsame\n"
    texts = {
        "contexts": {"a.tsv": contexts},
        "labelled": {
            "a.txt": "1 a fine film\n0 a dull one\n",
            "a.tsv": "label\tsentence\n1\ta fine film\n0\tdull\n",
            "a.csv": 'label,sentence\n1,"a fine, long film"\n0,"a ""dull"" one"\n',
        },
        "blanks": {"a.tsv": "The key opens the [MASK].\tdoor|lock\nA [MASK] sings.\tbird\n"},
        "minimal_pairs": {"a.tsv": "good\tbad\tphenomenon\nThe dog runs.\tThe dog run.\tagr\n"},
        "word_in_context": {"a.tsv": wic + "key\tThe key.\t4\t7\tA key.\t2\t5\tT\n"},
        "dated": {
            "a.tsv": "date\tdocuments\n1790\t1,3-4\n1850-03-01\t2\n",
            "a.csv": 'documents;date\n"1,3";1790\n2;1850\n',
        },
        "analogies": {"a.txt": ": capitals\nathens greece paris france\na b c d\n"},
        "word_pairs": {"a.tsv": "key\tlock\t0.5\ndoor\tgate\t9.25\n", "b.csv": "a,b,1\nc,d,2\n"},
        "text": {
            "a.txt": "The key opens the door.\n\nКлюч и Tür.\n",
            "utf-16.txt": "The key.\n",
        },
    }
    seeds = {
        reader: [Seed({name: text.encode()}, name) for name, text in files.items()]
        for reader, files in texts.items()
    }
    plain = "The key opens the door.\nКлюч.\n".encode()
    seeds["text"] = [
        seeds["text"][0],
        Seed({"utf-16.txt": "The key.\n".encode("utf-16")}, "utf-16.txt"),
        Seed({"a.txt.gz": gzip.compress(plain)}, "a.txt.gz"),
        Seed({"a.txt.xz": lzma.compress(plain)}, "a.txt.xz"),
        zipped(Seed({"a.txt": plain, "b.txt.gz": gzip.compress(plain)})),
    ]
    return seeds


def runs(folder: Path) -> dict[str, list[Seed]]:
    """Checkpoints of a static training and of a pretraining; a home with a model and a job."""
    import torch

    from embeddings.networks.bert import PretrainingNetwork, new_network
    from embeddings.networks.bert_config import NetworkConfig
    from embeddings.static.static_checkpoint import StaticCheckpoint
    from embeddings.training.checkpoints import TrainingFolder
    from embeddings.vectors.formats import write_native
    from embeddings.vectors.table import Vectors
    from tests.hostile.readers import NETWORK, STATIC

    tensors = {name: np.ones((2, 2), np.float32) for name in ("inputs", "outputs")}
    StaticCheckpoint(folder / "static", "word2vec", STATIC).save("c", [0.5], tensors)
    network = new_network(NetworkConfig(**NETWORK))
    assert isinstance(network, PretrainingNetwork)
    optimizer = torch.optim.AdamW(network.parameters())
    run = TrainingFolder(folder / "run", {"a": 1})
    run.log({"step": 1, "loss": 1.0})
    run.save(1, network, optimizer, {"position": 3})
    home = folder / "home"
    write_native(Vectors(("a", "b"), np.eye(2, dtype=np.float32)), home / "models" / "m")
    job = home / "jobs" / "20260101-000000-ab"
    steps = [["word2vec", "train", "x", "--output", "y"]]
    put(
        job / "job.json", {"title": "t", "method": "cbow", "name": "m", "passes": 2, "steps": steps}
    )
    put(job / "ended.json", {"code": 2, "name": "m"})
    put(job / "error.json", {"code": "file_room", "fields": {"path": "x"}})
    put(job / "turn.json", {"group": 1, "before": ["x"]})
    put(job / "finished.json", {"steps": 1})
    line = {"phase": "train", "epoch": 1, "done": 1, "total": 2, "loss": 1.0}
    line |= {"per_second": 1.0, "seconds_left": 1.0}
    put(job / "progress-0.jsonl", (json.dumps(line) + "\n") * 2)
    shutil.copytree(folder / "static", job / "run")
    return {
        "static_checkpoint": [of(folder / "static")],
        "training_checkpoint": [of(folder / "run")],
        "shelf": [of(home)],
    }


def corpora(folder: Path) -> dict[str, list[Seed]]:
    """Encoded and prepared corpora, the words that were seen, a concordance."""
    from embeddings.corpora.concordance_index import build_concordance
    from embeddings.corpora.encoded_corpus import EncodingConfig, encode

    text = put(folder / "text.txt", "The key opens the door.\n\nThe key of C.\n" * 4)
    encode([text], folder / "ids", EncodingConfig(min_count=1))
    put(folder / "seen" / "seen.txt.xz", lzma.compress("key\t3\nлюк\t1\n".encode()))
    put(folder / "seen" / "card.json", {"corpus": {"folder": "x"}})
    build_concordance([text], folder / "c.db")
    source = {"name": "a", "language": "en", "tokens": 2, "sentences": 1, "documents": 1}
    put(folder / "prep" / "prepared.json", {"dtype": "<u2", "vocab_size": 6, "files": [source]})
    put(folder / "prep" / "a.ids", np.array([5, 5], "<u2").tobytes())
    put(folder / "prep" / "a.sentences", np.array([2], "<u2").tobytes())
    put(folder / "prep" / "a.documents", np.array([1], "<u4").tobytes())
    return {
        "encoded": [of(folder / "ids")],
        "prepared": [of(folder / "prep")],
        "seen": [of(folder / "seen")],
        "concordance": [of(folder / "c.db")],
    }


def networks(folder: Path) -> dict[str, list[Seed]]:
    """A BERT, its tokenizer alone, a classifier and a translator."""
    import torch

    from embeddings.networks.bert import PretrainingNetwork
    from embeddings.networks.classifier import ClassificationConfig, new_classifier, save_classifier
    from embeddings.networks.encoder_decoder import (
        TranslationConfig,
        new_translation_network,
        save_translation,
    )
    from embeddings.networks.huggingface_folder import open_network
    from embeddings.text.subwords import train_subwords

    net = of(sound_network(folder / "net"))
    wordpiece = Seed({"tokenizer.json": net.files["tokenizer.json"]})
    vocabulary = "\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ab")).encode()
    older = {name: data for name, data in net.files.items() if name != "tokenizer.json"}
    subwords = train_subwords(["ab ba", "the key"] * 3, 20)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = TranslationConfig(vocab_size=len(subwords), intermediate_size=8, **sizes)
    for dtype in (torch.float16, torch.int8):
        (place := folder / f"translator-{dtype}").mkdir()
        save_translation(new_translation_network(config), place, dtype)
        subwords.save(place)
    shutil.copytree(folder / "net", folder / "classifier" / "base")
    (folder / "classifier" / "head").mkdir()
    base = open_network(folder / "net")
    assert isinstance(base, PretrainingNetwork)
    classifier = new_classifier(base, ClassificationConfig(labels=("a", "b")))
    with torch.no_grad():
        next(classifier.encoder.layers.parameters()).add_(0.5)
    save_classifier(classifier, folder / "classifier" / "head", base)
    translators = [of(path) for path in sorted(folder.glob("translator-*"))]
    card = b"---\nlanguage:\n- ru\nlicense: mit\n---\n# Net\n"
    on_hub = {f"a/net/{name}": data for name, data in {**net.files, "README.md": card}.items()}
    return {
        "hub_network": [Seed(on_hub)] * 2,
        "network": [net, net, Seed({**older, "vocab.txt": vocabulary})],
        "wordpiece": [wordpiece],
        "translator": translators,
        "classifier": [of(folder / "classifier")] * 2,
    }


def all_seeds(folder: Path) -> dict[str, list[Seed]]:
    """Seeds by reader; they are written below an empty folder first."""
    seeds: dict[str, list[Seed]] = {}
    parts = {}
    for part in (tables, measured, runs, corpora, networks):
        (place := folder / part.__name__).mkdir()
        parts |= part(place)
    (place := folder / "vectors").mkdir()
    vectors = vector_files(place)
    models = [*vectors, *(zipped(seed) for seed in vectors), *map(zipped, parts["network"][:1])]
    for more in (parts, annotated(), {"vectors": vectors, "model": models}):
        for reader, listed in more.items():
            seeds.setdefault(reader, []).extend(listed * SOUND_SHARE)
    for number, (name, (reader, write)) in enumerate(CASES.items()):
        if name in LARGE:
            continue
        (place := folder / f"case-{number}").mkdir()
        path = write(place)
        seed = of(place, path.name) if path.parent == place and path.is_file() else of(path)
        if seed.files and sum(map(len, seed.files.values())) <= LARGEST:
            seeds.setdefault(reader, []).append(seed)
    for path in sorted(FOUND.glob("*/*")):
        seeds.setdefault(path.parent.name, []).append(kept(path))
    return seeds


def kept(path: Path) -> Seed:
    """An input that was kept: a zip of its files, the comment of which names what the reader is given."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        return Seed(files, archive.comment.decode())


def keep(seed: Seed, path: Path) -> None:
    """Keep an input that broke a reader."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.comment = seed.main.encode()
        for name, content in sorted(seed.files.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_LZMA)

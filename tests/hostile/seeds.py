"""Sound inputs of every reader, small, and every input that once broke one: a fuzzer begins from these."""

import gzip
import io
import lzma
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.hostile.sound_inputs import sound_network

FOUND = Path(__file__).parent / "found"
WORDS = ("key", "lock", "door", "ключ", "Tür", "a")


@dataclass(frozen=True)
class Seed:
    """An input: bytes by name, and which of them the reader is given ("" for the folder)."""

    files: dict[str, bytes]
    main: str = ""

    def write(self, folder: Path) -> Path:
        """Write it below a folder; return what the reader is given."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / self.main


def of(path: Path) -> Seed:
    """What lies at a path."""
    if path.is_file():
        return Seed({path.name: path.read_bytes()}, path.name)
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    return Seed({str(file.relative_to(path)): file.read_bytes() for file in files})


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
    write_native(grams, folder / "grams", dtype="int8")
    made += [of(folder / "f.bin"), of(folder / "grams")]
    for native in made[-2:]:
        # without a card nothing is held to a checksum
        made.append(Seed({n: data for n, data in native.files.items() if n != "card.json"}, native.main))  # fmt: skip
    return made


def annotated() -> dict[str, list[Seed]]:
    """What people annotate: labelled sentences, blanks, minimal pairs, words in two contexts, senses, dates, questions."""
    contexts = "context_id\tword\tgold_sense_id\tpredict_sense_id\tpositions\tcontext\n"
    contexts += "1\tkey\t1\t\t4-7\tThe key opens the door.\n2\tkey\t2\t\t\tThe «key» of C.\n"
    wic = "lemma\tsentence1\tstart1\tend1\tsentence2\tstart2\tend2\tsame\n"
    lists = 'X = ["key", "lock"]\nY = ["door", "gate"]\nA = "a, b"\nB = ["c", "d"]\n'
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
        "associations": {"a.toml": lists},
    }
    return {
        reader: [Seed({name: text.encode()}, name) for name, text in files.items()]
        for reader, files in texts.items()
    }


def text_files() -> list[Seed]:
    """A text, plain and packed."""
    plain = "The key opens the door.\n\nКлюч и Tür.\n".encode()
    return [
        Seed({"a.txt": plain}, "a.txt"),
        Seed({"utf-16.txt": "The key.\n".encode("utf-16")}, "utf-16.txt"),
        Seed({"a.txt.gz": gzip.compress(plain)}, "a.txt.gz"),
        Seed({"a.txt.xz": lzma.compress(plain)}, "a.txt.xz"),
        zipped(Seed({"a.txt": plain, "b.txt.gz": gzip.compress(plain)})),
    ]


def all_seeds(folder: Path) -> dict[str, list[Seed]]:
    """Seeds by reader; they are written below an empty folder first."""
    net = of(sound_network(folder / "net"))
    card = b"---\nlanguage:\n- ru\nlicense: mit\n---\n# Net\n"
    on_hub = {f"a/net/{name}": data for name, data in {**net.files, "README.md": card}.items()}
    vectors = vector_files(folder)
    home = {f"models/m/{name}": data for name, data in of(folder / "grams").files.items()}
    seeds = annotated() | {
        "vectors": vectors,
        "model": [*vectors, *map(zipped, vectors), zipped(net)],
        "text": text_files(),
        "network": [net],
        "hub_network": [Seed(on_hub)],
        "wordpiece": [Seed({"tokenizer.json": net.files["tokenizer.json"]})],
        "shelf": [Seed(home)],
    }
    for path in sorted(FOUND.glob("*/*")):
        seeds[path.parent.name].append(kept(path))
    return seeds


def kept(path: Path) -> Seed:
    """An input that was kept: a zip of its files, the comment of which names what the reader is given."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        return Seed(files, archive.comment.decode())

"""Small sound inputs of what a visitor of a server can bring, from which the fuzzer begins, and the inputs that once broke a reader."""

import gzip
import io
import lzma
import zipfile
from dataclasses import dataclass
from pathlib import Path

FOUND = Path(__file__).parent / "found"


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


def zipped(seed: Seed, name: str = "a.zip") -> Seed:
    """The same as a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in seed.files.items():
            archive.writestr(file, content)
    return Seed({name: made.getvalue()}, name)


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


def all_seeds() -> dict[str, list[Seed]]:
    """Seeds of the readers of what a visitor of a server can bring: texts, also packed, and what people annotate."""
    return annotated() | {"text": text_files()}


def kept(path: Path) -> Seed:
    """An input that was kept: a zip of its files, the comment of which names what the reader is given."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        return Seed(files, archive.comment.decode())

"""What differs on Windows: line ends, paths with backslashes and a drive, and modules that Python lacks there.

Files of vectors: tests/vectors/test_foreign_files.py.
"""

import io
import json

import pytest

from app.access import _cut
from embeddings.analysis.evaluation import read_analogies, read_word_pairs
from embeddings.corpora.evaluation_sets import (
    read_blanks,
    read_minimal_pairs,
    read_word_in_context,
)
from embeddings.corpora.labelled import read_labelled, read_lines
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.corpora.text_files import text_lines
from embeddings.sources.pasted_and_uploaded import IncomingFile, corpus_name, store_texts
from tests.blocked import run_without
from tests.hostile.seeds import annotated

READERS = {
    "labelled": read_labelled,
    "blanks": read_blanks,
    "minimal_pairs": read_minimal_pairs,
    "word_in_context": read_word_in_context,
    "analogies": read_analogies,
    "word_pairs": read_word_pairs,
    "contexts": read_contexts,
}
FILES = [
    (reader, name)
    for reader, seeds in annotated().items()
    if reader in READERS
    for seed in seeds
    for name in seed.files
]


@pytest.mark.parametrize(("reader", "name"), FILES)
def test_line_ends_of_windows_mean_the_same(reader, name, tmp_path):
    content = next(seed for seed in annotated()[reader] if name in seed.files).files[name]
    values = []
    for text in (content, content.replace(b"\n", b"\r\n")):
        path = tmp_path / name
        path.write_bytes(text)
        values.append(READERS[reader](path))
    assert values[0] == values[1]
    assert values[0]


def test_texts_with_line_ends_of_windows_mean_the_same(tmp_path):
    lines = []
    for end in ("\n", "\r\n"):
        path = tmp_path / "a.txt"
        path.write_bytes(end.join(["The key.", "", "The door.", ""]).encode())
        lines.append(([line.strip() for line in text_lines(path)], read_lines(path)))
    assert lines[0] == lines[1]
    stored = store_texts([IncomingFile("C:\\texts\\a.txt", io.BytesIO(b"The key.\r\n"), 10)], tmp_path, "c")  # fmt: skip
    assert [(tmp_path / "c" / name).read_bytes() for name in stored.files] == [b"The key.\n"]
    assert stored.files == ("a.txt",)


def test_paths_of_windows_are_cut_to_their_names():
    assert corpus_name("C:\\My texts\\novel.txt.gz") == "novel"
    assert _cut("C:\\srv\\klyuch\\card.json cannot be read") == "card.json cannot be read"


TRAIN = """
import sys
from embeddings.cli import main
from pathlib import Path
Path("t.txt").write_text("the cat sees the dog in the yard\\n" * 50)
def run(*arguments):
    sys.argv = ["klyuch", *arguments]
    try:
        main()
    except SystemExit as ended:
        return ended.code
print(run("word2vec", "train", "t.txt", "--output", "m", "--vector-size", "4", "--epochs", "1", "--min-count", "1"))
print(run("words", "neighbours", "cat", "--model", "m", "--json"))
print(run("doctor", "--json", "--no-checksums"))
print(run("jobs", "list"))
from tests.app.visits import open_page
print("page:", [info.value for info in open_page("train", lang="en").info])
"""


def test_without_the_modules_of_posix_training_works_and_jobs_and_page_say_what_they_need(tmp_path):
    home = {"KLYUCH_HOME": str(tmp_path / "home")}
    out, err = run_without({"fcntl", "resource"}, TRAIN, cwd=tmp_path, **home)
    codes = [line for line in out.splitlines() if len(line) < 5]
    assert codes == ["0", "0", "0", "2"], out + err
    assert json.loads(next(line for line in out.splitlines() if line.startswith("{")))
    assert "needs Linux or macOS" in err
    assert "needs Linux or macOS" in out.partition("page:")[2]
    assert "Traceback" not in err

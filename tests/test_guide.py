"""Pages of the documentation whose blocks run, in the order of each page."""

import random
import re
import shlex
from pathlib import Path

import pytest

from embeddings.cli import main

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = (
    "tutorials/vectors.md",
    "howto/train.md",
    "howto/import_export.md",
    "tutorials/inside_bert.md",
    "howto/gensim.md",
    "../README.md",
    "howto/corpus.md",
    "howto/figure.md",
    "formats.md",
)
EXAMPLE = re.compile(r"^```(python|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PEOPLE = ["king", "queen", "man", "woman", "boy", "girl"]
REST = "the old opened door with a key in lock and went home spring ice water"


def blocks(page):
    """Language, line and text of each block of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(m[1], text.count("\n", 0, m.start()) + 2, m[2]) for m in EXAMPLE.finditer(text)]


def write_novels(folder):
    """A folder of text in which every word of the page stands often enough."""
    rng = random.Random(1)
    folder.mkdir()
    lines = [" ".join(rng.choices(PEOPLE + REST.split(), k=12)) for _ in range(600)]
    (folder / "one.txt").write_text("\n".join(lines[:300]), encoding="utf-8")
    (folder / "two.txt").write_text("\n".join(lines[300:]), encoding="utf-8")
    return lines


def run_command(line, monkeypatch):
    """Run one klyuch command in this process."""
    monkeypatch.setattr("sys.argv", shlex.split(line, comments=True))
    code = None
    try:
        main()
    except SystemExit as stopped:
        code = stopped.code
    assert not code, line


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    write_novels(tmp_path / "novels")
    (tmp_path / "data").symlink_to(DOCS.parent / "data")
    space: dict[str, object] = {}
    assert blocks(page)
    for kind, line, text in blocks(page):
        if kind == "python":
            exec(compile("\n" * (line - 1) + text, page, "exec"), space)
        else:
            for command in text.strip().split("\n"):
                run_command(command, monkeypatch)
    assert "Traceback" not in capsys.readouterr().out


def test_the_first_block_of_the_python_tutorial_is_ten_lines_at_most():
    kind, _, text = blocks(PAGES[0])[0]
    assert kind == "python"
    assert len([line for line in text.split("\n") if line.strip()]) <= 10

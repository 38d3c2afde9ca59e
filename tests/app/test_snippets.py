"""The same in Python: pasted code runs and prints what the page shows."""

import subprocess
import sys

import pytest

from app.widgets import snippets
from app.widgets.inputs import split_list


def printed(code, capsys):
    exec(compile(code, "<pasted>", "exec"), {})
    return capsys.readouterr().out


def test_neighbours_and_map_run_when_pasted(shelf, capsys):
    filters = {"topn": 4, "pattern": "o", "min_count": 2, "fold": "en"}
    code = snippets.neighbours("small-en-glove", "music", filters, ["music", "wolf", "dog", "pear"])
    lines = printed(code, capsys).splitlines()
    assert len(lines) == 4 + 4 + 1
    assert all("o" in line.split()[1] for line in lines[:4])


def test_a_list_runs_when_pasted(shelf, capsys):
    words = ["волк", "собака", "кошка"]
    out = printed(snippets.listed("small-ru-cbow", words), capsys)
    assert all(word in out for word in words)


@pytest.mark.parametrize("method", ["add", "mul"])
def test_a_formula_runs_when_pasted(shelf, capsys, method):
    code = snippets.analogy("small-de-skipgram", "König - Mann + Frau", method, False)
    assert printed(code, capsys).splitlines()[0].split()[1] == "königin"


def test_quotes_in_a_formula_survive(shelf, capsys):
    code = snippets.analogy("small-en-glove", "'king' - \"man\" + woman", "add", True)
    assert printed(code, capsys)


def test_ratios_run_when_pasted(shelf, capsys):
    code = snippets.ratios("small-en-glove", ("ice", "steam"), ("solid", "gas"))
    lines = printed(code, capsys).splitlines()
    assert lines[0].split()[:4] == ["solid", "0.008", "0.001", "8.0"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wolf dog", ("wolf", "dog")),
        ("New York, Paris,,Paris", ("New York", "Paris")),
        ("a\tb\nc;d", ("a", "b", "c", "d")),
        ("  ", ()),
    ],
)
def test_lists_are_parted_by_commas_else_by_spaces(text, words):
    assert split_list(text) == words


BLOCKED = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "transformers"}:
            raise ImportError("torch is blocked here: " + name)
sys.meta_path.insert(0, Refuse())
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app/main.py", default_timeout=60).run()
for page in ("analogies", "ratios"):
    assert not app.exception, app.exception
    app.switch_page(f"views/{page}.py").run()
assert not app.exception, app.exception
slow = {"torch", "sklearn", "umap", "gensim"} & set(sys.modules)
assert not slow, slow
print("ok")
"""


def test_pages_need_no_torch_and_import_nothing_slow_on_first_load(models):
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BLOCKED],
        cwd=root,
        env={"KLYUCH_HOME": str(models), "KLYUCH_DATA": str(models), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "ok", done.stderr[-2000:]

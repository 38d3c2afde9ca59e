"""The base install trains and answers; each other library is asked for by name, with the extra that brings it."""

import json
import re
import sys
import tomllib

import pytest

from app.wording import LANGUAGES, wording
from embeddings.errors import MissingLibraryError
from embeddings.optional import DISTRIBUTIONS, EXTRAS, optional, require
from tests.blocked import ROOT, run_without

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"app", "embeddings"}
BASE = {
    "charset_normalizer",
    "numba",
    "numpy",
    "rich",
    "safetensors",
    "scipy",
    "threadpoolctl",
    "typer",
}
BROUGHT = {"llvmlite", "joblib"}  # by numba, by scikit-learn
COMMANDS = ("typer.core", "typer.main")
NETWORKS = {name for name, extra in EXTRAS.items() if extra in ("networks", "hub", "formats")}
ON_NETWORKS = ("contexts", "attention", "fill", "translate", "classify", "inside")


def names(requirements):
    """Distributions that a list of requirements names."""
    return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}


def test_the_base_install_is_the_eight_libraries():
    assert {name.replace("-", "_") for name in names(PROJECT["dependencies"])} == BASE


@pytest.mark.bookkeeping
@pytest.mark.parametrize("library", EXTRAS)
def test_the_extra_that_a_refusal_names_brings_the_library(library):
    listed = names(PROJECT["optional-dependencies"][EXTRAS[library]])
    assert DISTRIBUTIONS.get(library, library) in listed


@pytest.mark.parametrize("extra", ["app", "networks", "formats", "hub"])
def test_every_library_of_an_extra_can_be_missed_by_name(extra):
    known = {DISTRIBUTIONS.get(library, library) for library in EXTRAS}
    assert names(PROJECT["optional-dependencies"][extra]) - {"klyuch"} <= known


def test_every_import_belongs_to_the_base_or_to_an_extra():
    allowed = BASE | BROUGHT | set(EXTRAS) | OURS | set(sys.stdlib_module_names)
    statement = re.compile(r"^ *(?:from (\w+)[\w.]* import|import (\w+)[\w., ]*$)", re.MULTILINE)
    for top in OURS:
        for path in (ROOT / top).rglob("*.py"):
            found = statement.findall(path.read_text(encoding="utf-8"))
            assert {name for names in found for name in names if name} <= allowed, path


def test_a_missing_library_of_no_extra_stays_a_plain_error():
    with pytest.raises(ModuleNotFoundError, match="mine") as raised, optional():
        raise ModuleNotFoundError("No module named 'mine'", name="mine")
    assert not isinstance(raised.value, MissingLibraryError)


def test_a_library_is_required_without_being_imported():
    require("streamlit", "pandas")
    with pytest.raises(MissingLibraryError, match=r"umap-learn.*\.\[app\]"), optional():
        raise ModuleNotFoundError("No module named 'umap.umap_'", name="umap.umap_")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_refusal_names_library_and_extra_in_each_language(language):
    error = MissingLibraryError("library_missing", library="torch", extra="networks")
    sentence = wording(language).error(error)
    assert "torch" in sentence
    assert 'pip install ".[networks]"' in sentence


TRAINED = """
import contextlib, io, json, random
from embeddings.cli import main

def klyuch(*arguments):
    sys.argv = ["klyuch", *arguments]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            main()
        except SystemExit as ended:
            assert not ended.code, (arguments, ended.code)
    return said.getvalue()

draw = random.Random(1)
with open("text.txt", "w", encoding="utf-8") as text:
    for _ in range(400):
        royal = draw.choice(["king rules the castle", "queen rules the castle"])
        text.write(f"the {royal} and the man walks beside the woman in the garden\\n")
klyuch("corpus", "encode", "text.txt", "--output", "ids", "--min-count", "2")
klyuch("word2vec", "train", "ids", "--output", "words", "--vector-size", "8", "--epochs", "2")
klyuch("glove", "train", "ids", "--output", "counted", "--vector-size", "8", "--iterations", "2")
for model in ("words", "counted"):
    assert len(json.loads(klyuch("words", "neighbours", "king", "-m", model, "--json"))) == 10
    assert json.loads(klyuch("words", "analogy", "king - man + woman", "-m", model, "--json"))
klyuch("words", "axis", "man", "woman", "castle", "garden", "-m", "words", "--json")
with open("set.txt", "w") as questions:
    questions.write(": royal\\nking queen man woman\\n")
klyuch("words", "evaluate", "-m", "words", "--analogies", "set.txt", "--json")
for name in ("w.txt", "w.bin", "w.vec"):
    klyuch("words", "convert", "words", name)
klyuch("models", "import", "w.txt", "--name", "mine", "--language", "en")
assert "mine" in {m["name"] for m in json.loads(klyuch("models", "list", "--json"))}
klyuch("models", "export", "mine", "out.txt")
assert json.loads(klyuch("words", "analogy", "king - man + woman", "-m", "mine", "--json"))  # English, without lemmas

import embeddings
vectors = embeddings.train("text.txt", vector_size=8, epochs=1, min_count=2)
assert vectors.most_similar("king", topn=3) and embeddings.project(vectors, ["king", "queen", "man"])
assert embeddings.solve(vectors, "king - man + woman").answers
print("done")
"""


@pytest.mark.slow  # in .ci/run
def test_the_base_install_trains_and_answers(tmp_path):
    out, errors = run_without(EXTRAS, TRAINED, cwd=tmp_path, KLYUCH_HOME=str(tmp_path / "home"))
    assert out.strip() == "done", errors[-3000:]


ASKED = """
import contextlib, io, json, embeddings
from embeddings.cli import main
from embeddings.errors import MissingLibraryError
from embeddings.shelf import loading
vectors = embeddings.train([["a", "key"], ["a", "door"]] * 9, vector_size=4, epochs=1, sample=0)
said = []
for question in {questions!r}:
    try:
        eval(question)
    except MissingLibraryError as error:
        said.append(str(error))
for arguments in {commands!r}:
    sys.argv, out, errors = ["klyuch", *arguments], io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            main()
        except SystemExit as ended:
            said.append([ended.code, out.getvalue(), errors.getvalue()])
print(json.dumps(said))
"""
QUESTIONS = {
    "embeddings.load('bert-en')": ("t", "networks"),  # torch or tokenizers, whichever comes first
    "embeddings.train([['a', 'key']] * 9, method='bert')": ("t", "networks"),
    "embeddings.fill": ("t", "networks"),
    "loading.load_translator('en-de-transformer')": ("t", "networks"),
    "embeddings.to_gensim(vectors)": ("gensim", "formats"),
    "embeddings.export_model('en-skipgram', 'v.parquet', 'parquet')": ("pyarrow", "formats"),
    "vectors.to_frame()": ("pandas", "app"),
    "embeddings.project(vectors, ['a', 'key', 'door']).figure()": ("plotly", "app"),
}


COMMANDS_ON_EXTRAS = {
    ("bert", "pretrain", "--help"): "networks",
    ("fill", "The [MASK].", "-m", "bert-en"): "networks",
    ("classify", "predict", "--help"): "networks",
    ("words", "neighbours", "king", "-m", "en-skipgram", "--fold"): "app",
    ("words", "convert", str(ROOT / "data/models/en-skipgram"), "v.parquet"): "formats",
    ("models", "get", "hf:google-bert/bert-base-uncased"): "hub",
    ("app",): "app",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each question and command is refused with, asked one after the other where no extra is installed."""
    program = ASKED.format(questions=list(QUESTIONS), commands=list(COMMANDS_ON_EXTRAS))
    out, errors = run_without(EXTRAS, program, cwd=tmp_path_factory.mktemp("asked"))
    assert out, errors[-3000:]
    return dict(zip([*QUESTIONS, *COMMANDS_ON_EXTRAS], json.loads(out), strict=True))


@pytest.mark.parametrize(("question", "missing"), QUESTIONS.items())
def test_the_python_side_says_which_extra_is_missing(said, question, missing):
    library, extra = missing
    assert re.fullmatch(
        rf'This needs {library}\S*, which .*: pip install "\.\[{extra}\]"', said[question]
    )


@pytest.mark.parametrize(("arguments", "extra"), COMMANDS_ON_EXTRAS.items())
def test_a_command_says_which_extra_is_missing(said, arguments, extra):
    code, out, errors = said[arguments]
    assert (code, out) == (2, "")
    assert re.fullmatch(rf'This needs \S+, which .*: pip install "\.\[{extra}\]"\n', errors)


PAGES = """
import warnings
warnings.simplefilter("ignore")
from tests.app.visits import open_page, page_text
for page in ("explore", "analogies", "compare", "change", "ratios", "lab", "train", "shelf", *{on_networks!r}):
    text = page_text(open_page(page, timeout=120))
    print(page, "This needs" in text and "networks" in text)
"""


@pytest.mark.slow  # in .ci/run
def test_pages_start_without_networks_and_those_on_them_say_what_is_missing(tmp_path):
    program = PAGES.format(on_networks=ON_NETWORKS)
    out, errors = run_without(NETWORKS - {"pyarrow"}, program, KLYUCH_HOME=str(tmp_path))
    refused = dict(line.split() for line in out.splitlines())
    assert len(refused) == 14, errors[-3000:]
    assert {page for page, is_refused in refused.items() if is_refused == "True"} == set(
        ON_NETWORKS
    )

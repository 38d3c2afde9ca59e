"""Imports point one way (tests/import_table.toml), and the numpy side runs without torch."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = tomllib.loads((ROOT / "tests" / "import_table.toml").read_text(encoding="utf-8"))
EVERYONE = set(TABLE["everyone"])
ALLOWED = {layer: set(names) for layer, names in TABLE["may_import"].items()}
OURS = {"embeddings", "app", "benchmarks", "tests"}


def layer_of(module: str) -> str | None:
    """The longest layer of the table that ``module`` belongs to."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        if (name := ".".join(parts[:length])) in ALLOWED:
            return name
    return None


def imported(path: Path) -> set[str]:
    """Modules of this project that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:  # "from embeddings import results" names a module too
                whole = f"{node.module}.{alias.name}"
                is_module = (ROOT / (whole.replace(".", "/") + ".py")).exists()
                is_package = (ROOT / whole.replace(".", "/")).is_dir()
                names.add(whole if is_module or is_package else node.module)
    return {name for name in names if name.split(".")[0] in OURS}


def sources() -> list[Path]:
    return sorted(p for top in ("embeddings", "app") for p in (ROOT / top).rglob("*.py"))


def may_import(here: str, name: str) -> bool:
    """Whether the table lets a module of the layer ``here`` import ``name``."""
    there = layer_of(name)
    if "embeddings.*" in ALLOWED[here] and name.split(".")[0] == "embeddings":
        return True
    return there is not None and (there == here or there in EVERYONE | ALLOWED[here])


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    relative = path.relative_to(ROOT).with_suffix("")
    module = ".".join(relative.parts).removesuffix(".__init__")
    here = layer_of(module)
    known = here is not None and ("." in here or here == module)  # a root is a layer of its own
    assert known, f"{module} is in no layer of tests/import_table.toml"
    for name in imported(path):
        assert may_import(here, name), (
            f"{module} imports {name}: {here} may not (tests/import_table.toml)"
        )


@pytest.mark.parametrize(
    ("layer", "name", "allowed"),
    [
        ("embeddings.text", "embeddings.text.words", True),
        ("embeddings.text", "embeddings.errors", True),
        ("embeddings.text", "embeddings.vectors.table", False),
        ("embeddings.analysis", "embeddings.vectors.table", True),
        ("embeddings.vectors", "embeddings.analysis.pca", False),
        ("embeddings.vectors", "embeddings", False),
        ("embeddings.cli", "embeddings.training.loop", True),
        ("embeddings.cli", "app.main", False),
        ("app.figures", "embeddings.analysis.vector_answers", True),
        ("app.figures", "embeddings.analysis", False),
        ("app.views", "embeddings.training.loop", False),
        ("app.views", "benchmarks.report", False),
    ],
)
def test_the_table_is_read_as_written(layer, name, allowed):
    assert may_import(layer, name) == allowed


def test_every_layer_of_the_table_exists():
    for layer in {*ALLOWED, *EVERYONE, *set().union(*ALLOWED.values())} - {"embeddings.*"}:
        path = ROOT / layer.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"there is no {layer}"
        assert layer in ALLOWED, f"{layer} has no row"


def test_nothing_in_app_is_named_like_another_module():
    names = {p.stem for p in (ROOT / "app").glob("*.py")} | {
        p.name for p in (ROOT / "app").iterdir() if p.is_dir()
    }
    assert not names & set(sys.stdlib_module_names)
    assert "app" not in names


WITHOUT_TORCH = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "transformers", "tensorflow"}:
            raise ImportError("torch is blocked in this test: " + name)
sys.meta_path.insert(0, Refuse())
from embeddings import PCA, Vectors, verbs
import ast, importlib, pathlib, pkgutil
import embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static, embeddings.shelf
import app.figures, app.loaders, app.widgets, app.views, app.wording
packages = (
    embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static,
    app.figures, app.loaders, app.widgets, app.views,
)
for room in packages:
    for found in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        if len(set(found.name.split('.')[-2:])) == 2:  # app.views.fill.fill is a page's script
            importlib.import_module(found.name)
for name in ("words_commands", "corpus_commands", "static_training", "models_commands"):
    importlib.import_module(f"embeddings.cli.{name}")
# The page and its scripts run only under a server: what they import is imported instead.
for script in [pathlib.Path("app/main.py"), *(p for p in pathlib.Path("app/views").glob("*/*.py") if p.stem == p.parent.name)]:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(ast.unparse(node))
for name, verb in vars(verbs.VectorVerbs).items():
    if isinstance(verb, verbs.Verb):
        getattr(Vectors, name)
assert "torch" not in sys.modules
print("ok")
"""


def test_the_numpy_side_imports_no_torch():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "ok", done.stderr

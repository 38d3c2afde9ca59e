"""Imports point one way (docs/architecture.md), and the numpy side runs without torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# room -> rooms of this project that it may import; a room is the longest matching prefix of a module's name
EVERYONE = {
    "embeddings.errors",
    "embeddings.results",
    "embeddings.configuration",
    "embeddings.files",
}
ALLOWED = {
    "embeddings.errors": set(),
    "embeddings.results": set(),
    "embeddings.configuration": set(),
    "embeddings.files": set(),
    "embeddings._version": set(),
    "embeddings": {"embeddings.analysis", "embeddings.vectors", "embeddings._version"},
    "embeddings.runtime": set(),
    "embeddings.text": set(),
    "embeddings.vectors": {"embeddings._version"},
    "embeddings.transformer": set(),
    "embeddings.static": {"embeddings.text", "embeddings.vectors"},
    "embeddings.pretraining": {"embeddings.text"},
    "embeddings.analysis": {"embeddings.vectors"},
    "embeddings.models": {"embeddings.transformer", "embeddings.runtime", "embeddings._version"},
    "embeddings.training": {
        "embeddings.transformer",
        "embeddings.text",
        "embeddings.vectors",
        "embeddings.static",
        "embeddings.models",
        "embeddings.pretraining",
        "embeddings.runtime",
        "embeddings._version",
    },
    "embeddings.probing": {
        "embeddings.text",
        "embeddings.models",
        "embeddings.analysis",
        "embeddings.runtime",
    },
    "embeddings.library": {"embeddings.vectors", "embeddings.text", "embeddings.models"},
    "embeddings.jobs": {"embeddings.library", "embeddings.training"},
    "embeddings.cli": {"embeddings"},  # all of it
    "app.figures": {"embeddings.results"},
    "app.resources": {"embeddings.library", "embeddings.analysis", "embeddings.vectors"},
    "app.wording": set(),
    "app.widgets": {"app.wording", "app.resources", "app.figures", "embeddings.library"},
    "app.main": {"app.wording", "app.widgets", "app.resources"},
    "app.views": {
        "app.resources",
        "app.widgets",
        "app.wording",
        "app.figures",
        "embeddings.analysis",
        "embeddings.probing",
        "embeddings.text",
        "embeddings.vectors",
        "embeddings.jobs",
        "embeddings.library",
    },
    "app": set(),
}


def room_of(module: str) -> str | None:
    """The longest room of the table that ``module`` lies in."""
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
    return {
        name for name in names if name.split(".")[0] in {"embeddings", "app", "benchmarks", "tests"}
    }


def sources() -> list[Path]:
    return sorted(p for top in ("embeddings", "app") for p in (ROOT / top).rglob("*.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    relative = path.relative_to(ROOT).with_suffix("")
    module = ".".join(relative.parts).removesuffix(".__init__")
    here = room_of(module)
    assert here, f"{module} lies in no room of the table"
    for name in imported(path):
        there = room_of(name)
        fine = there == here or there in EVERYONE or there in ALLOWED[here]
        fine = fine or (here == "embeddings.cli" and name.startswith("embeddings"))
        fine = fine or (here.startswith("app") and there in {"app", "embeddings"} | EVERYONE)
        assert fine, f"{module} imports {name}: {here} may not import {there}"


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
from embeddings import PCA, Vectors
import embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static, embeddings.library
import importlib, pkgutil
for room in (embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static):
    for found in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        importlib.import_module(found.name)
import app.figures
for found in pkgutil.walk_packages(app.figures.__path__, "app.figures."):
    importlib.import_module(found.name)
assert "torch" not in sys.modules
print("ok")
"""


def test_the_numpy_side_imports_no_torch():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "ok", done.stderr

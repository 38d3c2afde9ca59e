"""Imports point one way (docs/architecture.md), and the numpy side runs without torch."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
OURS = {"embeddings", "app", "benchmarks", "tests"}
ROW = re.compile(r"^\| `([\w.]+)` \| (.+) \|$")


def read_table() -> tuple[set[str], dict[str, set[str]]]:
    """Rooms that everyone may import, and room -> rooms that it may import, as the page has them."""
    lines = PAGE.read_text(encoding="utf-8").split("## Which way imports point")[1].split("\n")
    head = next(place for place, line in enumerate(lines) if line.startswith("| room |"))
    allowed = {}
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        row = ROW.match(line)
        assert row, f"not a row of one room: {line}"
        assert row[1] not in allowed, f"two rows for {row[1]}"
        names = re.findall(r"`([\w.*]+)`", row[2])
        assert (", ".join(f"`{name}`" for name in names) or "nothing") == row[2], line
        allowed[row[1]] = set(names)
    return set(re.findall(r"`([\w.]+)`", lines[head])), allowed


EVERYONE, ALLOWED = read_table()


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
    return {name for name in names if name.split(".")[0] in OURS}


def sources() -> list[Path]:
    return sorted(p for top in ("embeddings", "app") for p in (ROOT / top).rglob("*.py"))


def may_import(here: str, name: str) -> bool:
    """Whether the table lets a module of the room ``here`` import ``name``."""
    there = room_of(name)
    if "embeddings.*" in ALLOWED[here] and name.split(".")[0] == "embeddings":
        return True
    return there is not None and (there == here or there in EVERYONE | ALLOWED[here])


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    relative = path.relative_to(ROOT).with_suffix("")
    module = ".".join(relative.parts).removesuffix(".__init__")
    here = room_of(module)
    known = here is not None and ("." in here or here == module)  # a root is a room of its own
    assert known, f"{module} lies in no room of the table"
    for name in imported(path):
        assert may_import(here, name), f"{module} imports {name}: {here} may not"


@pytest.mark.parametrize(
    ("room", "name", "allowed"),
    [
        ("embeddings.text", "embeddings.text.words", True),
        ("embeddings.text", "embeddings.errors", True),
        ("embeddings.text", "embeddings.vectors.table", False),
        ("embeddings.analysis", "embeddings.vectors.table", True),
        ("embeddings.vectors", "embeddings.analysis.pca", False),
        ("embeddings.vectors", "embeddings", False),
        ("embeddings.cli", "embeddings.training.loop", True),
        ("embeddings.cli", "app.main", False),
        ("app.figures", "embeddings.results", True),
        ("app.figures", "embeddings.analysis", False),
        ("app.views", "embeddings.training.loop", False),
        ("app.views", "benchmarks.report", False),
    ],
)
def test_the_table_is_held_to(room, name, allowed):
    assert may_import(room, name) == allowed


def test_every_room_of_the_page_stands():
    for room in {*ALLOWED, *EVERYONE, *set().union(*ALLOWED.values())} - {"embeddings.*"}:
        path = ROOT / room.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"there is no {room}"
        assert room in ALLOWED, f"{room} has no row"


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
for noun in ("words", "corpus", "word2vec", "glove", "models"):
    importlib.import_module(f"embeddings.cli.{noun}_commands")
# The page and its scripts run only under a server: what they import is imported instead.
for script in [pathlib.Path("app/main.py"), *(p for p in pathlib.Path("app/views").glob("*/*.py") if p.stem == p.parent.name)]:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(ast.unparse(node))
assert "torch" not in sys.modules
print("ok")
"""


def test_the_numpy_side_imports_no_torch():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "ok", done.stderr

"""Imports point one way (tests/import_table.toml) and form no cycle, and the numpy side runs without torch."""

import ast
import re
import sys
import tomllib
from collections import defaultdict

import pytest

from tests.blocked import run_without
from tests.product_sources import (
    PRODUCT,
    ROOT,
    constants_of,
    imports_at_run_time,
    module,
    module_name,
    paths,
)

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


def may_import(here: str, name: str) -> bool:
    """Whether the table lets a module of the layer ``here`` import ``name``."""
    there = layer_of(name)
    if "embeddings.*" in ALLOWED[here] and name.split(".")[0] == "embeddings":
        return True
    return there is not None and (there == here or there in EVERYONE | ALLOWED[here])


def test_imports_point_one_way():
    wrong = []
    for path in paths(*PRODUCT):
        name = module_name(path)
        here = layer_of(name)
        known = here is not None and ("." in here or here == name)  # a root is a layer of its own
        assert known, f"{name} is in no layer of tests/import_table.toml"
        ours = {other for other in module(path).imports if other.split(".")[0] in OURS}
        wrong += [(name, other) for other in sorted(ours) if not may_import(here, other)]
    assert wrong == []  # of tests/import_table.toml


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
    names = {path.stem for path in (ROOT / "app").iterdir()}
    assert not names & {*sys.stdlib_module_names, "app"}


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """What is left when modules that import nothing that is left are taken away, again and again."""
    left = dict(graph)
    while ends := [name for name, others in left.items() if not (others - {name}) & left.keys()]:
        for name in ends:
            del left[name]
    return sorted(left)


def test_a_cycle_is_found():
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_no_modules_import_each_other():
    """Imports in functions count too, those for types alone do not."""
    graph = {module_name(path): {*module(path).at_run_time} for path in paths(*PRODUCT)}
    assert cycle_in(graph) == []


def test_imports_in_functions_are_those_of_run_time_and_those_for_types_are_not():
    source = """
if TYPE_CHECKING:
    import a
else:
    import b
class C:
    def f():
        try:
            from c import d
        except ImportError:
            import e
"""
    assert imports_at_run_time(ast.parse(source)) == {"b", "c", "e"}


SMALL = 80  # code lines up to which a module that one neighbour alone imports belongs into it


def test_a_module_with_one_importer_in_its_own_folder_is_not_small():
    """A package's ``__init__`` is a door, which counts as no importer; a command's module may be opened by its name alone."""
    importers = {path: set() for path in paths(*PRODUCT) if path.name != "__init__.py"}
    by_name = {module_name(path): path for path in importers}
    for path in paths(*PRODUCT):
        if path.name != "__init__.py":
            for name in module(path).imports & by_name.keys():
                importers[by_name[name]].add(path)
    alone = {
        module_name(path)
        for path, users in importers.items()
        if len(users) == 1
        and {user.parent for user in users} == {path.parent}
        and module(path).lines <= SMALL
    }
    assert alone == set()


USED_ONCE = {  # as Python writes it: a text or a name
    "'card.json'": "embeddings/model_card.py",
    "'skipgram'": "embeddings/method_registry.py",
    "write_model": "embeddings/training/recipes.py",  # these two write the folder of a trained model
    "pretrain": "embeddings/training/recipes.py",
}


@pytest.mark.parametrize(("used", "place"), USED_ONCE.items())
def test_a_formats_name_and_what_writes_a_trained_models_folder_are_used_in_one_module(used, place):
    """So the command line, jobs and `embeddings.train` have no way from a text to a model but the recipes."""
    places = [
        path.relative_to(ROOT).as_posix()
        for path in paths(*PRODUCT)
        if used.strip("'") in (source := path.read_text(encoding="utf-8"))
        and any(
            isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.alias)
            and re.search(rf"(^|\.){re.escape(used)}( as |$)", ast.unparse(node))
            for node in ast.walk(ast.parse(source))
        )
    ]
    assert places == [place]


def test_a_constants_name_is_defined_in_at_most_three_modules():
    modules = defaultdict(list)
    for path in paths(*PRODUCT):
        for name in module(path).constants:
            modules[name].append(module_name(path))
    assert {name: found for name, found in modules.items() if len(found) > 3} == {}


def test_constants_are_names_in_capitals_at_the_top_of_a_module():
    source = """
A, (_B, c) = 1, (2, 3)
D: int = 4
E = F = G[0] = 5
T = TypeVar("T")
P = ParamSpec("P")
def f():
    H = 6
"""
    assert constants_of(ast.parse(source).body) == {"A", "_B", "D", "E", "F"}


WITHOUT_TORCH = """
from embeddings import PCA, Vectors, verbs
import ast, importlib, pathlib, pkgutil
import embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static, embeddings.shelf
import app.figures, app.widgets, app.views, app.wording
packages = (
    embeddings.analysis, embeddings.text, embeddings.vectors, embeddings.static,
    app.figures, app.widgets, app.views,
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
    out, errors = run_without({"torch", "transformers", "tensorflow"}, WITHOUT_TORCH)
    assert out.strip() == "ok", errors

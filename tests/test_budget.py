"""How large the product may be, and what keeps it readable: no cycle of imports, one place for the name of the card's file."""

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGET = tomllib.loads((ROOT / "tests" / "budget.toml").read_text(encoding="utf-8"))
PRODUCT = ("embeddings", "app")


def modules(*tops: str) -> list[Path]:
    return sorted(path for top in tops for path in (ROOT / top).rglob("*.py"))


@cache
def code_lines(source: str) -> int:
    """Lines that are neither blank nor comment nor docstring."""
    described: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                described |= {*range(first.lineno, (first.end_lineno or first.lineno) + 1)}
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in described
        for number, line in enumerate(source.splitlines(), 1)
    )


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) == 2 or parts[0] not in PRODUCT else "/".join(parts[:2])


def test_code_lines_are_counted_without_blanks_comments_and_docstrings():
    source = (
        '"""What."""\n\n# why\nx = 1  # one\n\n\ndef f():\n    """Say\n    more."""\n    return x\n'
    )
    assert code_lines(source) == 3


def test_no_package_is_larger_than_its_budget():
    """Raise a number of budget.toml in the commit that needs it; lower it with what a commit deletes."""
    sizes, lines = Counter(), Counter()
    research = ROOT / "benchmarks" / "research"
    for path in modules(*PRODUCT, "tests", "benchmarks"):
        if not path.is_relative_to(research):
            sizes[package_of(path)] += 1
            lines[package_of(path)] += code_lines(path.read_text(encoding="utf-8"))
    assert set(BUDGET) == set(sizes)
    over = {
        name: (sizes[name], lines[name])
        for name, bound in BUDGET.items()
        if sizes[name] > bound["modules"] or lines[name] > bound["lines"]
    }
    assert not over


def imports_when_loaded(path: Path, known: set[str]) -> set[str]:
    """Modules of the product that a module imports as it is loaded: not inside functions, not for types alone."""
    found: set[str] = set()

    def visit(body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                found.update((whole & known) or {node.module} & known)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
                visit([*node.body, *node.orelse])
            elif isinstance(node, ast.Try | ast.With):
                visit(node.body)

    visit(ast.parse(path.read_text(encoding="utf-8")).body)
    return found


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
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules(*PRODUCT)
    }
    graph = {name: imports_when_loaded(path, set(names)) for name, path in names.items()}
    assert cycle_in(graph) == []


SMALL = 80  # code lines up to which a module that one neighbour alone imports belongs into it
STILL_ALONE = {  # take out what is merged; nothing is added
    "embeddings.saved_page.widget",
}


def imports_anywhere(path: Path) -> set[str]:
    """Every module that a module names in an import, inside functions and for types too, and what it may be a name of."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def test_a_module_with_one_importer_in_its_own_folder_is_not_small():
    """A package's ``__init__`` is a door, which counts as no importer; a command's module may be opened by its name alone."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in modules("embeddings")
    }
    importers: dict[str, set[str]] = {name: set() for name in paths}
    for path in modules(*PRODUCT):
        if path.name != "__init__.py":
            for name in imports_anywhere(path) & paths.keys():
                importers[name].add(".".join(path.relative_to(ROOT).with_suffix("").parts))
    alone = {
        name
        for name, users in importers.items()
        if len(users - {name}) == 1
        and {user.rpartition(".")[0] for user in users} == {name.rpartition(".")[0]}
        and code_lines(paths[name].read_text(encoding="utf-8")) <= SMALL
    }
    assert alone <= STILL_ALONE


def test_the_name_of_the_format_is_written_in_one_module():
    written = [
        path.relative_to(ROOT).as_posix()
        for path in modules(*PRODUCT)
        if '"card.json"' in path.read_text(encoding="utf-8")
    ]
    assert written == ["embeddings/files.py"]

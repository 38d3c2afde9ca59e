"""What tests ask of the project's own modules; each is parsed once for all tests of one process."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("embeddings", "app")


@dataclass(frozen=True)
class Module:
    """What stands in a module: lines of code, neither blank nor comment nor docstring, and the modules that it imports,
    anywhere in it, or as it is loaded: not inside functions, not for types alone."""

    lines: int
    imports: frozenset[str]
    loaded: frozenset[str]


def paths(*tops: str) -> list[Path]:
    return sorted(path for top in tops for path in (ROOT / top).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def module(path: Path) -> Module:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    described, names = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                described |= {*range(first.lineno, (first.end_lineno or first.lineno) + 1)}
        names |= _imported(node)
    lines = sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in described
        for number, line in enumerate(source.splitlines(), 1)
    )
    return Module(lines, frozenset(names), frozenset(_loaded(tree.body)))


def _imported(node: ast.AST) -> set[str]:
    """Modules that one import names; "from embeddings import results" names a module too."""
    if isinstance(node, ast.ImportFrom) and node.module:
        wholes = {f"{node.module}.{alias.name}" for alias in node.names}
        return {whole if _is_ours(whole) else node.module for whole in wholes}
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


@cache
def _is_ours(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def _loaded(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for node in body:
        found |= _imported(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            found |= _loaded([*node.body, *node.orelse])
        elif isinstance(node, ast.Try | ast.With):
            found |= _loaded(node.body)
    return found

"""What tests ask of the project's own modules."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("embeddings", "app")


@dataclass(frozen=True)
class Module:
    """What stands in a module: lines of code, neither blank nor comment nor docstring, the modules that it imports,
    anywhere in it, or at run time: in functions too, but not for types alone, and its constants."""

    lines: int
    imports: frozenset[str]
    at_run_time: frozenset[str]
    constants: frozenset[str]


def paths(*tops: str) -> list[Path]:
    return sorted(path for top in tops for path in (ROOT / top).rglob("*.py"))


def nodes(*tops: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node of the code below some folders, with its file."""
    for path in paths(*tops):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


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
    constants = frozenset(constants_of(tree.body))
    return Module(lines, frozenset(names), frozenset(imports_at_run_time(tree)), constants)


def _imported(node: ast.AST) -> set[str]:
    """Modules that one import names; "from embeddings import results" names a module too."""
    if isinstance(node, ast.ImportFrom) and node.module:
        wholes = {f"{node.module}.{alias.name}" for alias in node.names}
        return {whole if _is_ours(whole) else node.module for whole in wholes}
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


def constants_of(body: list[ast.stmt]) -> set[str]:
    """Names in capitals that the top of a module assigns; type variables are none."""
    found = set()
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and not _is_type_variable(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in ast.walk(target)]
            names = [part for part in parts if isinstance(part, ast.Name)]
            found |= {n.id for n in names if n.id.isupper() and isinstance(n.ctx, ast.Store)}
    return found


def _is_type_variable(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in {"TypeVar", "ParamSpec"}


@cache
def _is_ours(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports_at_run_time(node: ast.AST) -> set[str]:
    """Modules that a part of a module imports, in functions too, but not for types alone."""
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        parts = list(node.orelse)
    return _imported(node).union(*map(imports_at_run_time, parts))

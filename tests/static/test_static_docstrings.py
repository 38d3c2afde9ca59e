"""Every function of the trainers says what it does, those within others too, which ruff does not look at."""

import ast
from pathlib import Path

import pytest

import embeddings.static

ROOT = Path(embeddings.static.__file__).parent


@pytest.mark.bookkeeping
@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.stem)
def test_every_function_has_a_docstring(path):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, functions)
    ]
    bare = [node.name for node in found if not ast.get_docstring(node)]
    assert [name for name in bare if not name.startswith("__")] == []

"""How large the product may be, package by package."""

import tomllib
from collections import Counter
from pathlib import Path

from tests.product_sources import PRODUCT, ROOT, module, paths

BUDGET = tomllib.loads((ROOT / "tests" / "budget.toml").read_text(encoding="utf-8"))


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) == 2 or parts[0] not in PRODUCT else "/".join(parts[:2])


def sizes() -> tuple[Counter[str], Counter[str]]:
    """Modules and lines of code by package; finished research is not counted."""
    modules, lines = Counter(), Counter()
    research = ROOT / "benchmarks" / "research"
    for path in paths(*PRODUCT, "tests", "benchmarks"):
        if not path.is_relative_to(research):
            modules[package_of(path)] += 1
            lines[package_of(path)] += module(path).lines
    return modules, lines


def test_code_lines_are_counted_without_blanks_comments_and_docstrings(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        '"""What."""\n\n# why\nx = 1  # one\n\n\ndef f():\n    """Say\n    more."""\n    return x\n'
    )
    assert module(path).lines == 3


def test_no_package_is_larger_than_its_budget():
    """Raise a number of budget.toml in the commit that needs it; lower it with what a commit deletes."""
    modules, lines = sizes()
    assert set(BUDGET) == set(modules)
    over = {
        name: (modules[name], lines[name])
        for name, bound in BUDGET.items()
        if modules[name] > bound["modules"] or lines[name] > bound["lines"]
    }
    assert not over

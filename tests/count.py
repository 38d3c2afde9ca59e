"""How many tests there are: claims (test functions), how often they run, and the bookkeeping apart.

    python -m tests.count [arguments of pytest, as -m "slow or mirror"]

Bookkeeping holds one claim to every entry of a list of this project (refusals, modules, formulas, files of results):
it grows with the list, not with what is claimed.
"""

import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest


class Collected:
    """Keep what pytest collects."""

    def pytest_collection_finish(self, session):
        """Called with the tests that would run."""
        self.items = session.items


def summary(items):
    """One line for claims and one for bookkeeping."""
    lines = []
    for name, is_bookkeeping in (("claims", False), ("bookkeeping", True)):
        runs = [
            i.nodeid for i in items if bool(i.get_closest_marker("bookkeeping")) == is_bookkeeping
        ]
        functions = {run.partition("[")[0] for run in runs}
        lines.append(f"{name}: {len(functions)} functions, run {len(runs)} times")
    return "\n".join(lines)


if __name__ == "__main__":
    collected = Collected()
    with redirect_stdout(StringIO()):
        code = pytest.main(["--collect-only", "-qq", *sys.argv[1:]], plugins=[collected])
    if code:
        raise SystemExit(f"pytest ended with code {int(code)}")
    sys.stdout.write(summary(collected.items) + "\n")

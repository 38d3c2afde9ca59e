"""The commit that a result or a model is made from, and that nothing beside it was changed."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# what the commands here write
OUTPUTS = ("benchmarks/results", "data/changes", "data/models", "data/spreads", "data/vocabularies")
DIRTY = "-dirty"


def source_commit(root: Path = ROOT) -> str:
    """Return the commit of the source tree, with "-dirty" if tracked files beside `OUTPUTS` were changed; "" outside a checkout.

    What these commands write is left out: the second of two results in a row is made from the same source as the first.
    """
    try:
        commit = _git(root, "rev-parse", "HEAD")
        outputs = (f":(exclude){path}" for path in OUTPUTS)
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *outputs)
    except (OSError, subprocess.SubprocessError):
        return ""
    return commit + DIRTY if changed else commit


@cache
def clean_commit(root: Path = ROOT) -> str:
    """Return the commit that a model to be shipped is made from, for its card; that of the first call, so ask before the work begins.

    Raises
    ------
    SystemExit
        If the source tree is changed or is no checkout: a card has to name the commit that makes the model again.
    """
    commit = source_commit(root)
    if not commit or commit.endswith(DIRTY):
        state = "has changes that are not committed" if commit else "is no git checkout"
        raise SystemExit(
            f"{root} {state}: a model that ships names the commit that makes it again. Commit first, then build."
        )
    return commit


def check_clean(card: dict, name: str) -> None:
    """Refuse to ship a model whose card names a commit with uncommitted changes, in one of its stages too.

    Raises
    ------
    SystemExit
        The sentence says which.
    """
    for part in (card, *card.get("stages", ())):
        if str(part.get("commit") or "").endswith(DIRTY):
            raise SystemExit(
                f"{name} cannot ship: its card names the commit {part['commit']}, which no one can check out. "
                "Train it again from a clean tree."
            )


def _git(root: Path, *arguments: str) -> str:
    """What git prints."""
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.strip()

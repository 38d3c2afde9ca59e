"""Writes docs/licences.md: licences of the libraries that are installed with Klyuch, by their metadata, and of the data, by their cards.

``python -m benchmarks.licences``, in an environment made from requirements.txt.
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks.source_tree import ROOT
from embeddings.files import atomic_file, read_json

PAGE = ROOT / "docs" / "licences.md"
INTRODUCTION = """# Licences

Klyuch itself is under the MIT licence (`LICENSE`). `python -m benchmarks.licences` writes this page from the metadata of the installed
libraries and from the cards and the catalogue of `data/`.
"""
LONGEST = 80  # characters; some libraries put the whole text of their licence there


def licence_of(distribution: metadata.Distribution) -> str:
    """Return what the metadata of a library say of its licence, in one line."""
    about = distribution.metadata
    said = about.get("License-Expression") or ""
    classifiers = [c for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
    listed = ", ".join(c.rpartition(" :: ")[2] for c in classifiers)
    free = (about.get("License") or "").strip().split("\n")[0]
    is_name = 0 < len(free) <= LONGEST and not free.startswith("Copyright")
    return said or (free if is_name else "") or listed or "not stated"


def direct() -> list[str]:
    """Return the libraries that requirements.txt pins."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line.partition("==")[0] for line in lines if "==" in line]


def closure(names: list[str]) -> dict[str, metadata.Distribution]:
    """Return these libraries and all that they need, by name in lower case."""
    found: dict[str, metadata.Distribution] = {}
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        for line in found[name].requires or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                waiting.append(need.name)
    return dict(sorted(found.items()))


def row(*cells: object) -> str:
    """Return a row of a table."""
    written = (str(cell or "–").replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(written)} |"


def table(heads: tuple[str, ...], rows: list[str]) -> str:
    """Return a table."""
    return "\n".join([row(*heads), row(*("---" for _ in heads)), *rows])


def models() -> list[str]:
    """Return a row a model that ships: what it was trained on, under which licence."""
    rows = []
    for path in sorted((ROOT / "data" / "models").glob("*/card.json")):
        card = read_json(path)
        corpus = card.get("corpus")
        about = corpus if isinstance(corpus, dict) else {}
        rows.append(row(path.parent.name, about.get("title") or about.get("name"), about.get("licence")))  # fmt: skip
    return rows


def texts() -> list[str]:
    """Return a row an entry of the catalogue: it is downloaded, and does not ship."""
    catalogue = tomllib.loads((ROOT / "data" / "catalogue.toml").read_text(encoding="utf-8"))
    return [row(e["name"], e.get("title"), e.get("licence")) for e in catalogue["entry"]]


def page() -> str:
    """Return the whole page."""
    named = direct()
    wanted = {re.sub(r"[-_.]+", "-", name).lower() for name in named}
    known = closure(named)
    libraries = {True: [], False: []}
    for name, distribution in known.items():
        libraries[name in wanted].append(row(name, licence_of(distribution)))
    heads = ("library", "licence")
    return "\n\n".join(
        [
            INTRODUCTION.rstrip(),
            "## Libraries that Klyuch uses",
            table(heads, libraries[True]),
            "## Libraries that these need",
            table(heads, libraries[False]),
            "## Models that ship",
            table(("model", "trained on", "licence of the text"), models()),
            "## Texts that can be downloaded by name",
            table(("name", "title", "licence"), texts()),
        ]
    )


def main() -> None:
    with atomic_file(Path(PAGE)) as temporary:
        temporary.write_text(page() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

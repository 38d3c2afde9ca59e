"""What the project cites stands in its bibliography, docs/sources.md."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CITATION = re.compile(r"\b([A-ZÖ]\w+) et al\.,? \(?((?:19|20)\d\d)\b")
PAIR = re.compile(r"\b([A-ZÖ]\w+) and [A-ZÖ]\w+ \(?((?:19|20)\d\d)\b")
ENDINGS = (".py", ".md", ".toml")


def cited() -> dict[tuple[str, str], str]:
    """First author and year of every citation -> a file that has it."""
    places = {}
    for folder in ("app", "benchmarks", "data", "docs", "embeddings"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in ENDINGS and path.name != "sources.md":
                text = path.read_text(encoding="utf-8")
                for pattern in (CITATION, PAIR):
                    places |= dict.fromkeys(pattern.findall(text), str(path.relative_to(ROOT)))
    return places


def test_every_work_that_is_cited_is_in_the_bibliography():
    entries = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8").split("\n- ")
    known = {(author, entry) for entry in entries for author in re.findall(r"\w+", entry[:80])}
    missing = {
        f"{author} {year} ({path})"
        for (author, year), path in cited().items()
        if not any(author == name and year in entry[:90] for name, entry in known)
    }
    assert not missing

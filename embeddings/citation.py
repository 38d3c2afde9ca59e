"""How Klyuch is cited: a sentence and a BibTeX entry. CITATION.cff says the same (tests/test_citation.py)."""

from __future__ import annotations

from embeddings._version import __version__

AUTHOR, TITLE, YEAR = "The Klyuch authors", "Klyuch: see what language models learn from text", 2026
ADDRESS = ""  # the repository has no public one yet


def sentence() -> str:
    """Return author, year, title, version and, where there is one, the address."""
    return f"{AUTHOR} ({YEAR}). {TITLE}. Version {__version__}. {ADDRESS}".strip()


def bibtex() -> str:
    """Return the entry for BibTeX: braces keep the author one name and the title's capital."""
    name, _, rest = TITLE.partition(":")
    fields = {
        "author": f"{{{AUTHOR}}}",
        "title": f"{{{name}}}:{rest}",
        "year": str(YEAR),
        "note": f"Software, version {__version__}",
        "url": ADDRESS,
    }
    lines = [f"  {key} = {{{value}}}," for key, value in fields.items() if value]
    return "\n".join(["@misc{klyuch,", *lines, "}"])


def lines(models: list[str], settings: list[str]) -> list[str]:
    """Return the sentence, then where the numbers come from: a line a model, and one of what they share."""
    shared = "; ".join([*settings, f"Klyuch {__version__}"])
    return [sentence(), *models, f"{shared}."] if models or settings else [sentence()]

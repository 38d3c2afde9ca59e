"""How a word's frequency is said beside it, in lists and in tables."""

from __future__ import annotations

from app.wording import Wording
from embeddings.analysis.frequency import per_million, tier
from embeddings.results import Neighbour
from embeddings.vectors.table import Vectors

DOTS = ("", "●○○", "●●○", "●●●")


def note(say: Wording, vectors: Vectors, count: int | None) -> str:
    """Return the tier as dots and the count, ``●●○ 1,234``; nothing where not known."""
    dots = DOTS[tier(per_million(vectors, count))]
    return f"{dots} {say.number(count)}" if dots else ""


def frequency_of(say: Wording, word: str, vectors: Vectors) -> dict[str, object]:
    """Return the first cells of a table's line: a word and its frequency."""
    count = vectors.count(vectors.row(word))
    rate = per_million(vectors, count)
    return {
        say("common.word"): word,
        say("common.count"): count,
        say("common.per_million"): rate,
        say("common.tier"): say.get(f"tier.{tier(rate)}"),
    }


def row_of(
    say: Wording, model: str, rank: int, row: Neighbour, vectors: Vectors, score: str = "similarity"
) -> dict[str, object]:
    """Return a line of a table of neighbours."""
    rate = per_million(vectors, row.count)
    return {
        say("common.model"): model,
        say("common.rank"): rank,
        say("common.word"): row.word,
        say(f"common.{score}"): row.similarity,
        say("common.count"): row.count,
        say("common.per_million"): rate,
        say("common.tier"): say.get(f"tier.{tier(rate)}"),
        say("common.forms"): ", ".join(row.forms),
    }

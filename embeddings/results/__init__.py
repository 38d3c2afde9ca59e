"""What analysis and probing return: frozen values of plain Python and numpy, ready to be drawn, printed or saved.

`app/figures/` draws from these alone. Those on words and static vectors can be had from here; the others
have a module a subject.
"""

from embeddings.results.display import Rows
from embeddings.results.trainings import Progress, Report
from embeddings.results.vector_answers import (
    Analogy,
    AnalogyScore,
    AnalogyStep,
    AxisPosition,
    Neighbour,
    NeighbourTable,
    Ngram,
    PairScore,
    Projection,
    Ratio,
    Ratios,
    SectionScore,
    Term,
    WordParts,
)

__all__ = [
    "Analogy",
    "AnalogyScore",
    "AnalogyStep",
    "AxisPosition",
    "Neighbour",
    "NeighbourTable",
    "Ngram",
    "PairScore",
    "Progress",
    "Projection",
    "Ratio",
    "Ratios",
    "Report",
    "Rows",
    "SectionScore",
    "Term",
    "WordParts",
]

"""Klyuch: train static and contextual word vectors on the same text, and look inside them.

Open a model, and ask it::

    import embeddings

    embeddings.list_models()                          # every model, those that ship and your own
    vectors = embeddings.load("en-skipgram")          # words with vectors
    vectors.neighbours("spring")
    vectors.analogy("king - man + woman")
    network = embeddings.load("bert-en")              # a network with its tokenizer
    network.fill("The key opens the [MASK].")
    contexts = network.contexts("key", ["He turned the key.", "The keys hung here.", "In the key of G."])
    contexts.senses()
    vectors = embeddings.train("novels/", name="novels", vector_size=100)

`list_models`, `load`, `train` and `card` (where a model comes from) are the beginning. `load` returns `Vectors`, a `Network` (weights and
tokenizer), a `Classifier` or a `Translator`; questions are their methods, all listed in `embeddings.verbs`, and those of `WordInContexts`.
`Vectors` have gensim's methods too; `PCA` is the project's own, used as in scikit-learn, `Word2Vec` the trainer as gensim calls it.
The same questions as functions of a model: `neighbours`, `neighbour_table`, `similarity`, `similarity_matrix`, `odd_one_out`,
`axis`, `solve` (king - man + woman), `project` (a map), `evaluate_analogies`, `evaluate_pairs`; of a network `fill`, `attention`,
`word_states`. What changed between two texts: `compare_texts`, `leave_out`. In and out: `get_corpus` (a public text), `import_model`
(with what a file does not say, `About`), `export_model`, `from_gensim`, `to_gensim`. `AssociationSets` are the word lists of an
association test of your own, a `ConcordanceQuery` asks a concordance (`shelf.open_concordance`) for sentences.
`Parts` of a network or `TranslatorHeads` are what ``ablate`` switches off; a `Replacement` says what they give then.

Each question also takes the name of a model: ``embeddings.neighbours("en-skipgram", "king")``.

``help(embeddings.project)`` explains the rest; docs/tutorials/vectors.md is a tutorial. An answer prints itself as a table, and turns
into a pandas frame by ``to_frame()`` and into JSON by ``to_json()``.

Importing this needs numpy alone; torch, pandas and the others are imported when they are needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from embeddings._version import __version__
from embeddings.analysis.pca import PCA
from embeddings.model_names import by_name
from embeddings.optional import optional
from embeddings.vectors.table import Vectors

if TYPE_CHECKING:
    from embeddings.analysis.analogies import solve
    from embeddings.analysis.evaluation import evaluate_analogies, evaluate_pairs
    from embeddings.analysis.projection import project
    from embeddings.analysis.similarity import (
        axis,
        neighbour_table,
        neighbours,
        odd_one_out,
        similarity,
        similarity_matrix,
    )
    from embeddings.analysis.vector_answers import AssociationSets
    from embeddings.corpora.concordance_search import ConcordanceQuery
    from embeddings.gensim_model import Word2Vec
    from embeddings.notebook import card, get_corpus, load, train
    from embeddings.probing.ablation_answers import Parts, Replacement, TranslatorHeads
    from embeddings.probing.attention_weights import attention
    from embeddings.probing.context_states import word_states
    from embeddings.probing.contexts import WordInContexts
    from embeddings.probing.fill_mask import fill
    from embeddings.probing.label_prediction import Classifier
    from embeddings.probing.network import Network
    from embeddings.probing.translator import Translator
    from embeddings.shelf import About, export_model, import_model, list_models
    from embeddings.text_comparison import compare_texts, leave_out
    from embeddings.vectors.formats import from_gensim, to_gensim

_ROOMS = {
    "analysis.vector_answers": ("AssociationSets",),
    "corpora.concordance_search": ("ConcordanceQuery",),
    "analysis.analogies": ("solve",),
    "analysis.evaluation": ("evaluate_analogies", "evaluate_pairs"),
    "analysis.projection": ("project",),
    "analysis.similarity": (
        *("axis", "neighbour_table", "neighbours", "odd_one_out"),
        *("similarity", "similarity_matrix"),
    ),
    "shelf": ("About", "export_model", "import_model", "list_models"),
    "notebook": ("card", "get_corpus", "load", "train"),
    "text_comparison": ("compare_texts", "leave_out"),
    "gensim_model": ("Word2Vec",),
    "probing.ablation_answers": ("Parts", "Replacement", "TranslatorHeads"),
    "probing.attention_weights": ("attention",),
    "probing.fill_mask": ("fill",),
    "probing.context_states": ("word_states",),
    "probing.contexts": ("WordInContexts",),
    "probing.label_prediction": ("Classifier",),
    "probing.network": ("Network",),
    "probing.translator": ("Translator",),
    "vectors.formats": ("from_gensim", "to_gensim"),
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "PCA",
    "About",
    "AssociationSets",
    "Classifier",
    "ConcordanceQuery",
    "Network",
    "Parts",
    "Replacement",
    "Translator",
    "TranslatorHeads",
    "Vectors",
    "Word2Vec",
    "WordInContexts",
    "__version__",
    "attention",
    "axis",
    "card",
    "compare_texts",
    "evaluate_analogies",
    "evaluate_pairs",
    "export_model",
    "fill",
    "from_gensim",
    "get_corpus",
    "import_model",
    "leave_out",
    "list_models",
    "load",
    "neighbour_table",
    "neighbours",
    "odd_one_out",
    "project",
    "similarity",
    "similarity_matrix",
    "solve",
    "to_gensim",
    "train",
    "word_states",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module 'embeddings' has no attribute {name!r}")
    with optional():
        value = by_name(getattr(importlib.import_module(f"embeddings.{_PLACES[name]}"), name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All public names, imported or not."""
    return sorted({*globals(), *__all__})

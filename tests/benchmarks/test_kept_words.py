"""Which words a shipped model keeps: the commonest forms, or dictionary forms for all forms of their word."""

import numpy as np

from benchmarks.build_models import LEAST, kept_rows
from embeddings.vectors.table import Vectors

COUNTS = {"и": 900, "дом": 300, "сказал": 90, "автобуса": 60, "автобусе": 50, "автобус": 40}
RARE = {"рояля": 36, "роялем": 35, "рояль": LEAST - 1}


def kept(counts, **recipe):
    """Return the words that a recipe keeps of a Russian model with these counts, written as ``ru-e`` has them."""
    model = Vectors(
        tuple(counts), np.eye(len(counts), dtype=np.float32), np.array(list(counts.values()))
    )
    model.spelling = "ru-e"
    rows = kept_rows(model, {"corpus": "ru-network"} | recipe)
    return [model.words[row] for row in rows]


def test_the_commonest_forms_are_kept_where_a_recipe_says_no_more():
    assert kept(COUNTS, words=4) == ["и", "дом", "сказал", "автобуса"]


def test_a_dictionary_form_counts_with_all_forms_of_its_word_and_order_stays_that_of_counts():
    """The bus: 60 + 50 + 40 uses are more than the 90 of a verb's form."""
    assert kept(COUNTS, words=3, dictionary_forms=True) == ["и", "дом", "автобус"]
    assert kept(COUNTS, words=4, dictionary_forms=True) == ["и", "дом", "сказал", "автобус"]


def test_a_dictionary_form_of_few_uses_counts_as_it_stands():
    """The piano has 95 uses together, its dictionary form one too few."""
    counts = COUNTS | RARE
    assert "рояль" not in kept(counts, words=4, dictionary_forms=True)
    assert "рояль" in kept(counts | {"рояль": LEAST}, words=4, dictionary_forms=True)


def test_a_dictionary_form_is_found_though_the_dictionary_writes_it_with_ё():
    """Of учетных the lemma is учётный, which a model that reads ё as е has as учетный."""
    counts = {"и": 900, "учетных": 60, "сказал": 50, "учетный": 40}
    assert kept(counts, words=2, dictionary_forms=True) == ["и", "учетный"]

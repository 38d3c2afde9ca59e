"""The spreads that ship: of a model that ships, of its recipe, small, and around the model's own cosines."""

import numpy as np
import pytest

from benchmarks.build_data import kept_words
from benchmarks.build_models import read_recipes
from benchmarks.source_tree import check_clean
from embeddings.files import read_sealed
from embeddings.model_card import CARD
from embeddings.shelf import data, find, load_vectors
from embeddings.shelf.loading import find_spread, open_spread

LARGEST = 1_750_000  # bytes: ten trainings, each some 150 kB of cosines and of vectors of the association tests, and what is kept once
NAMES = tuple(read_recipes()["spreads"])


@pytest.mark.parametrize("name", NAMES)
def test_a_spread_that_ships_is_that_of_its_model_and_recipe(name, monkeypatch, tmp_path):
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    entry, folder = find(name), data() / "spreads" / name
    assert find_spread(entry) == folder
    assert sum(file.stat().st_size for file in folder.iterdir()) <= LARGEST
    card = read_sealed(folder / CARD)
    check_clean(card, name)
    recipe = read_recipes()["spreads"][name]
    assert {key: card["spread"][key] for key in recipe} == recipe
    assert open_spread(entry).runs == recipe["runs"]


@pytest.mark.parametrize("name", NAMES)
def test_a_spread_that_ships_lies_around_the_models_own_cosines(name):
    entry = find(name)
    spread, vectors = open_spread(entry), load_vectors(entry.path)
    rows = [row for word in kept_words(entry.language) if (row := spread.row(word)) is not None]
    assert len(rows) > 100
    differences = []
    for row in rows:
        at = vectors.row(spread.words[row])
        near = [vectors.row(spread.words[number]) for number in spread.neighbours[row]]
        own = np.array([vectors.matrix[at] @ vectors.matrix[other] for other in near])
        own /= np.linalg.norm(vectors.matrix[at]) * np.linalg.norm(vectors.matrix[near], axis=1)
        differences.append(own - spread.cosines[row].mean(axis=-1))
    # Bootstraps repeat documents, so cosines in them are not the model's own; they are near.
    assert abs(np.concatenate(differences)).mean() < 0.1

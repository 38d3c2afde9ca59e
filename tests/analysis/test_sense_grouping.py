"""Senses arranged by hand: numbers worked out on paper, trees against scipy."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from embeddings.analysis.sense_grouping import (
    cut_into,
    frequencies,
    merge,
    move,
    rename,
    sense_tree,
    split,
)
from embeddings.errors import InputError
from embeddings.results.induced_senses import SenseGrouping

SIX = SenseGrouping((0, 0, 0, 1, 1, 2), ("money", "", "river"))
# two pairs that agree at 0.9 and 0.8, apart from each other at 0.1, and a fifth context apart from all
FIVE = np.array(
    [
        [1.0, 0.9, 0.1, 0.1, 0.0],
        [0.9, 1.0, 0.1, 0.1, 0.0],
        [0.1, 0.1, 1.0, 0.8, 0.0],
        [0.1, 0.1, 0.8, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
    ],
    np.float32,
)


def blocks(sizes, seed=0):
    """Contexts of some senses that mostly stand together."""
    senses = np.repeat(np.arange(len(sizes)), sizes)
    near = np.random.default_rng(seed).uniform(0, 0.2, (len(senses), len(senses)))
    near = (near + near.T) / 2
    together = np.where(senses[:, None] == senses, 1 - near, near).astype(np.float32)
    np.fill_diagonal(together, 1)
    return together, senses


@pytest.mark.parametrize("number", range(1, 13))
def test_as_many_senses_come_out_as_are_asked_for(number):
    labels = cut_into(blocks((5, 4, 3))[0], number)
    assert sorted(set(labels.tolist())) == list(range(number))


def test_the_number_that_the_contexts_have_gives_their_senses():
    together, senses = blocks((9, 7, 6, 5))
    assert cut_into(together, 4).tolist() == senses.tolist()


def test_contexts_that_no_clustering_separated_can_be_cut_all_the_same():
    assert len(set(cut_into(np.ones((6, 6), np.float32), 3).tolist())) == 3


@pytest.mark.parametrize("number", [0, 13])
def test_a_number_of_senses_that_cannot_be_had_is_refused(number):
    with pytest.raises(InputError, match=f"{number} senses cannot be had of 12 contexts"):
        cut_into(blocks((5, 4, 3))[0], number)


def test_merging_keeps_the_first_name_or_takes_the_second():
    assert merge(SIX, 0, 2) == SenseGrouping((0, 0, 0, 1, 1, 0), ("money", ""))
    assert merge(SIX, 1, 2) == SenseGrouping((0, 0, 0, 1, 1, 1), ("money", "river"))
    with pytest.raises(InputError, match="merged with itself"):
        merge(SIX, 1, 1)


def test_splitting_parts_a_sense_where_its_contexts_agree_least():
    whole = SenseGrouping((0, 0, 0, 0, 0), ("key",))
    first = split(whole, 0, FIVE)
    assert first == SenseGrouping((0, 0, 0, 0, 1), ("key", ""))
    assert split(first, 0, FIVE) == SenseGrouping((0, 0, 2, 2, 1), ("key", "", ""))
    with pytest.raises(InputError, match="Sense 2 has a single context"):
        split(first, 1, FIVE)


def test_moving_the_last_context_away_drops_its_sense():
    assert move(SIX, {5}, 0) == SenseGrouping((0, 0, 0, 1, 1, 0), ("money", ""))
    assert move(SIX, {0, 3}, 3) == SenseGrouping((3, 0, 0, 3, 1, 2), ("money", "", "river", ""))


def test_a_name_is_one_senses_alone():
    assert rename(SIX, 1, "  bench  press ").names == ("money", "bench press", "river")
    assert rename(SIX, 0, "").names == ("", "", "river")
    with pytest.raises(InputError, match="called «river» already"):
        rename(SIX, 0, "river")
    with pytest.raises(InputError, match="61 characters; at most 60"):
        rename(SIX, 0, "x" * 61)


def test_the_tree_is_that_of_scipy():
    together, _ = blocks((5, 4, 3))
    tree = sense_tree(together)
    linked = linkage(1 - together[np.triu_indices(12, 1)].astype(float), "average")
    assert sorted(top for _, (_, top), _, _ in tree.links) == pytest.approx(
        sorted(linked[:, 2].tolist())
    )
    by_height = sorted(zip(tree.links, tree.members, strict=True), key=lambda pair: pair[0][1][1])
    cut = fcluster(linked, 3, "maxclust")
    joined = {tuple(sorted(members)) for _, members in by_height[: 12 - 3]}
    for sense in set(cut):
        rows = tuple(np.flatnonzero(cut == sense).tolist())
        assert rows in joined
    for link, members in zip(tree.links, tree.members, strict=True):
        places = sorted(tree.leaves.index(leaf) for leaf in members)
        assert places == list(range(places[0], places[0] + len(places)))  # they stand side by side
        assert places[0] <= link[0][0] < link[3][0] <= places[-1]


def test_dates_stand_in_their_order_and_documents_by_frequency():
    dated = frequencies([0, 1, 0, 1], ["1999-03", "1870", "1999-01", ""])
    assert dated.values == ("1870", "1999-01", "1999-03")
    assert dated.counts == ((0, 1), (1, 0), (1, 0))
    named = frequencies([0, 0, 1, 1, 1], ["b", "a", "a", "a", "b"])
    assert (named.values, named.counts) == (("a", "b"), ((1, 2), (1, 1)))
    with pytest.raises(InputError, match="1001 different values"):
        frequencies([0] * 1001, [f"d{n}" for n in range(1001)])

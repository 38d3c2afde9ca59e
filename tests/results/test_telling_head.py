"""The head that Attention opens on: the one whose words attend most to another word further away."""

import numpy as np

from embeddings.results.network_answers import AttentionMap, Side

LABELS = ("[CLS]", "dogs", "that", "bark", ".", "[SEP]")


def attention_map(*heads):
    """A map of one layer, its heads given by the column that each row attends to."""
    count = len(LABELS)
    special = tuple(label.startswith("[") for label in LABELS)
    side = Side(LABELS, ((0, 0),) * count, (0,) * count, tuple(range(count)), LABELS, special)
    weights = np.zeros((1, len(heads), count, count), np.float32)
    for head, columns in enumerate(heads):
        weights[0, head, range(count), columns] = 1
    return AttentionMap("m", side, side, weights, tuple(str(n + 1) for n in range(len(heads))))


def test_a_head_that_links_distant_words_is_preferred_to_neighbours_special_tokens_and_signs():
    following = [1, 2, 3, 4, 5, 5]
    to_cls, to_sign = [0] * 6, [4] * 6
    linking = [0, 3, 3, 1, 1, 0]  # dogs and bark attend to each other
    shown = attention_map(following, to_cls, to_sign, linking)
    assert shown.telling_head() == (1, "4")


def test_without_two_words_apart_it_is_the_first_head():
    side = Side(("a",), ((0, 1),), (0,), (0,), ("a",), (False,))
    shown = AttentionMap("m", side, side, np.ones((2, 2, 1, 1), np.float32), ("1", "2"))
    assert shown.telling_head() == (1, "1")

"""Substitutes: the guess at the blank and the nearness to the word by hand, and their product; refusals."""

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.probing.network import token_names, whole_words
from embeddings.probing.substitutes import substitutes
from tests.probing.conftest import mask_of

CONTEXTS = [
    ("Из-под камня бил ключ.", (17, 21)),
    ("She sat on the bank of the river.", (15, 19)),
    ("Он потерял электростанция, ключ.", (11, 25)),
]


def at_mask(reader, text):
    """Probabilities of whole words at the only mask of a text."""
    allowed = torch.from_numpy(whole_words(reader))
    with torch.inference_mode():
        last = reader.network.encoder(torch.tensor([reader.wordpiece.encode(text).ids])).last
        logits = reader.network.tokens(last)[0]
    return logits[mask_of(reader, text)][allowed].softmax(-1).numpy()


def sources(reader, context, temperature=0.1):
    """The guess at the blank and nearness to the word by hand, over whole words."""
    text, (start, end) = context
    allowed = whole_words(reader)
    tokens = reader.wordpiece.encode(text)
    places = list(tokens.covering(start, end))
    table = reader.network.encoder.inputs.tokens.weight.detach().numpy()
    word_row = table[[tokens.ids[i] for i in places]].mean(0)
    rows = table[allowed]
    cosines = rows @ word_row / np.linalg.norm(rows, axis=1) / np.linalg.norm(word_row)
    near = np.exp(cosines / temperature)
    return {
        "masked": at_mask(reader, f"{text[:start]}[MASK]{text[end:]}"),
        "embedding": near / near.sum(),
    }


def whole(reader, embedding, contexts=CONTEXTS):
    """The whole distribution as the code has it, in the order of the vocabulary."""
    size = int(whole_words(reader).sum())
    proposals = substitutes(reader, contexts, size, embedding)
    rows = np.zeros((len(contexts), len(token_names(reader))), np.float32)
    np.put_along_axis(rows, proposals.ids.astype(np.int64), proposals.probabilities, 1)
    return rows[:, whole_words(reader)]


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
def test_the_guess_at_the_blank_is_multiplied_by_nearness_to_the_power_of_its_weight(
    reader, weight
):
    by_hand = [sources(reader, context) for context in CONTEXTS]
    joined = np.array([one["masked"] * one["embedding"] ** weight for one in by_hand])
    expected = joined / joined.sum(1, keepdims=True)
    np.testing.assert_allclose(whole(reader, weight), expected, rtol=5e-3, atol=1e-7)


def test_the_likeliest_come_first_are_words_and_do_not_hang_on_other_contexts(reader):
    found = substitutes(reader, CONTEXTS, 20)
    assert found.ids.shape == found.probabilities.shape == (3, 20)
    assert (np.diff(found.probabilities) <= 0).all()
    assert (found.probabilities.sum(1) < 1).all()
    guesses = found.guesses(0, 5)
    assert len(guesses) == 5
    assert all(guess.token.isalpha() for guess in guesses)
    for row, context in enumerate(CONTEXTS):  # a context alone has what it has among others
        np.testing.assert_array_equal(substitutes(reader, [context], 20).ids[0], found.ids[row])
    long = ("ключ " + "вода " * 100, (0, 4))
    assert substitutes(reader, [CONTEXTS[0], long], 5).truncated.tolist() == [False, True]


def test_numbers_that_cannot_be_are_refused(reader):
    with pytest.raises(InputError, match="embedding=-1"):
        substitutes(reader, CONTEXTS, 5, -1.0)
    with pytest.raises(InputError, match="topn=100000 is out of range"):
        substitutes(reader, CONTEXTS, 100_000)

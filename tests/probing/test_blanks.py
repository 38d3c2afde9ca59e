"""The blank in a word's place: where the mask stands, and what blanks have in common."""

import numpy as np
import pytest

from embeddings.errors import InputError
from embeddings.probing.anisotropy import blank_baseline, blanked
from embeddings.probing.context_states import word_states
from embeddings.probing.network import open_reader

TEXTS = ("Старый ключ лежал на столе.", "The key was lost.", "…", "Der Schlüssel liegt hier.")


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


def test_the_mask_takes_the_place_of_the_word(reader):
    text = "Старый ключ лежал."
    ((written, (start, end)),) = blanked(reader, [(text, (7, 11))])
    assert written == "Старый [MASK] лежал."
    assert written[start:end] == "[MASK]"
    states = word_states(reader, [(written, (start, end))])
    assert states.tokens == (("[MASK]",),)


def test_blanks_of_different_words_at_one_place_are_one_at_layer_0_only(reader):
    asked = blanked(reader, [("Bank gone.", (0, 4)), ("Keys broke.", (0, 4))])
    found = word_states(reader, asked).vectors
    assert np.allclose(found[0, 0], found[1, 0], atol=1e-6)
    assert not np.allclose(found[0, -1], found[1, -1], atol=1e-2)


def test_the_baseline_is_the_mean_cosine_of_all_pairs(reader):
    texts = ("ключ", "дом", "bank")  # one word each, so that nothing is drawn
    base = blank_baseline(reader, texts)
    rows = word_states(reader, blanked(reader, [(t, (0, len(t))) for t in texts])).vectors
    for layer in range(rows.shape[1]):
        for values, shift in ((base.cosine, 0), (base.centred, base.mean[layer])):
            moved = (rows[:, layer] - shift).astype(np.float64)
            unit = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-30)
            pairs = [unit[a] @ unit[b] for a, b in ((0, 1), (0, 2), (1, 2))]
            assert values[layer] == pytest.approx(np.mean(pairs), abs=2e-3)
    assert (base.words, base.sentences) == (3, 3)


def test_texts_without_words_are_left_out_and_too_few_refused(reader):
    assert blank_baseline(reader, TEXTS).sentences == 3
    with pytest.raises(InputError, match="At least two sentences with words"):
        blank_baseline(reader, ["…", "one"])

"""What each word does for a guess at a blank: against masking by hand, and the attention read off the network."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from embeddings.errors import InputError
from embeddings.probing.attention_weights import attention
from embeddings.probing.attribution import word_removals
from embeddings.probing.fill_mask import fill

TEXT = "The cat sat by the [MASK] and waited."


def test_an_effect_is_the_fall_of_log_p_when_the_word_is_masked_too(reader):
    removals = word_removals(reader, TEXT, "the")
    assert removals.words == ("The", "cat", "sat", "by", "the", "and", "waited")
    whole = fill(reader, TEXT, 1, words=("the",)).masks[0].requested[0].probability
    before = fill(reader, "The [MASK] sat by the [MASK] and waited.", 1, words=("the",)).masks[1]
    behind = fill(reader, "The cat sat by the [MASK] [MASK] waited.", 1, words=("the",)).masks[0]
    assert removals.effects[1] == pytest.approx(np.log(whole / before.requested[0].probability))
    assert removals.effects[5] == pytest.approx(np.log(whole / behind.requested[0].probability))


def test_attention_is_the_mean_over_layers_and_heads_summed_over_the_tokens_of_a_word(reader):
    removals = word_removals(reader, TEXT, "the")
    weights = attention(reader, TEXT)
    row = weights.tokens.index("[MASK]")
    start = TEXT.index("waited")
    columns = [
        i for i, (a, b) in enumerate(weights.offsets) if a >= start and b <= start + 6 and b > a
    ]
    by_hand = weights.weights[:, :, row][:, :, columns].sum(-1).mean()
    assert removals.attention[-1] == pytest.approx(by_hand, abs=1e-6)
    expected = spearmanr(removals.effects, removals.attention).statistic
    assert removals.spearman == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "word", "code"),
    [
        ("no mask at all", "the", "removal_text"),
        ("[MASK] and [MASK] too", "the", "removal_text"),
        ("[MASK] alone", "the", "removal_text"),
        (TEXT, "Ω", "removal_word"),
    ],
)
def test_a_text_that_cannot_be_asked_is_refused(reader, text, word, code):
    with pytest.raises(InputError) as refusal:
        word_removals(reader, text, word)
    assert refusal.value.code == code

"""Attribution of a guess: words add up to its log p; the same as a plain loop over the path; occlusion is the text masked by hand."""

import math

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.probing.attribution import attribute_guess
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import pad

TEXT = "The old man walks over [MASK] snow, and the boy's garden"


def log_p(reader, text, word, mask=0, second=""):
    requested = fill(reader, text, 1, second=second, words=(word,)).masks[mask].requested
    return math.log(requested[0].probability)


def plain_path(reader, text, word, points=200):
    """Midpoint rule over the path, with the rows put in by a hook: shares of the tokens of a text, and log p at both ends."""
    tokens = reader.wordpiece.encode(text)
    ids, segments, real = pad(reader, [tokens])
    kept = torch.tensor(
        [i in (reader.wordpiece.cls_id, reader.wordpiece.sep_id) for i in tokens.ids]
    )
    table, encoder = reader.network.encoder.inputs.tokens, reader.network.encoder
    end = table(ids).detach()
    start = table(torch.where(kept, ids, reader.wordpiece.mask_id)).detach()
    position = tokens.ids.index(reader.wordpiece.mask_id)
    (target,) = reader.wordpiece.word_ids(word, spaced=True)

    def value(rows):
        handle = table.register_forward_hook(lambda *_: rows)
        try:
            hidden = encoder(ids, segments, real).last
        finally:
            handle.remove()
        return reader.network.tokens(hidden)[0, position].log_softmax(-1)[target]

    total = torch.zeros_like(end, dtype=torch.float64)
    for point in range(points):
        rows = (start + (point + 0.5) / points * (end - start)).requires_grad_()
        (slope,) = torch.autograd.grad(value(rows), rows)
        total += slope.double() / points
    shares = (total * (end - start)).sum(-1)[0].numpy()
    return tokens, shares, value(start).item(), value(end).item()


def test_shares_are_those_of_a_plain_loop_over_the_path(reader):
    tokens, shares, start, end = plain_path(reader, TEXT, "he")
    attribution = attribute_guess(reader, TEXT, "he")
    assert attribution.log_probability == pytest.approx(end, abs=1e-5)
    assert attribution.baseline == pytest.approx(start, abs=1e-5)
    for word in attribution.words:
        by_hand = sum(shares[i] for i in tokens.covering(word.start, word.end))
        assert word.attribution == pytest.approx(by_hand, abs=2e-4)
    assert max(abs(word.attribution) for word in attribution.words) > 0.02


@pytest.mark.parametrize(
    ("text", "second", "word"),
    [
        (TEXT, "", ""),
        ("[MASK] sleeps.", "The dog walks over snow.", "and"),
        (TEXT, "", "grandmother"),  # several tokens
    ],
)
def test_words_add_up_to_log_p_of_the_guess(reader, text, second, word):
    attribution = attribute_guess(reader, text, word, second=second)
    total = sum(word.attribution for word in attribution.words)
    assert attribution.baseline + total + attribution.residual == pytest.approx(
        attribution.log_probability, abs=1e-6
    )
    assert abs(attribution.residual) <= 0.05 * len(attribution.tokens)
    guess = word or attribution.guess
    assert attribution.log_probability == pytest.approx(
        log_p(reader, text, guess, second=second), abs=1e-4
    )


def test_the_baseline_of_several_tokens_is_the_product_over_a_masked_text(reader):
    attribution = attribute_guess(reader, "the [MASK] and", "grandmother")
    assert len(attribution.tokens) > 1
    expected = log_p(reader, "[MASK] [MASK] [MASK]", "grandmother", mask=1)
    assert attribution.baseline == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("word", ["he", "grandmother"])
def test_occlusion_is_the_network_run_with_one_word_masked(reader, word):
    text, second = "he and the man over [MASK] the snow", "the dog and he"
    attribution = attribute_guess(reader, text, word, second=second)
    whole = log_p(reader, text, word, second=second)
    both = f"{text} {second}"
    assert [both[w.start : w.end] for w in attribution.words] == [w.word for w in attribution.words]
    for share in attribution.words:
        masks = "[MASK]" * (len(reader.wordpiece.encode(share.word).ids) - 2)
        masked = both[: share.start] + masks + both[share.end :]
        cut = len(text) + (len(masks) - len(share.word)) * (share.start < len(text))
        first, follows = masked[:cut], masked[cut + 1 :]
        mask = masks.count("[") if share.start < text.index("[MASK]") else 0
        without = log_p(reader, first, word, mask, follows)
        assert share.occlusion == pytest.approx(whole - without, abs=1e-4)
    assert max(abs(share.occlusion) for share in attribution.words) > 0.01


def test_the_blank_is_no_word_and_attention_sums_to_1(reader):
    attribution = attribute_guess(reader, TEXT, "he")
    start, end = attribution.blank
    assert attribution.text[start:end] == "[MASK]"
    assert "[MASK]" not in [word.word for word in attribution.words]
    total = sum(word.attention for word in attribution.words) + attribution.other_attention
    assert total == pytest.approx(1, abs=1e-5)


def test_without_a_guess_the_likeliest_token_is_taken_and_a_tail_of_the_list_as_it_is(reader):
    best = fill(reader, TEXT, 1, only_words=False).masks[0].guesses[0]
    attribution = attribute_guess(reader, TEXT)
    assert attribution.guess == best.token
    assert math.exp(attribution.log_probability) == pytest.approx(best.probability, rel=1e-4)
    tokens = [guess.token for guess in fill(reader, TEXT, 500, only_words=False).masks[0].guesses]
    tail = next(token for token in tokens if token.startswith("##"))
    assert attribute_guess(reader, TEXT, token=tail).tokens == (tail,)


def test_each_of_several_blanks_has_words_of_its_own(reader):
    text = "the [MASK] walks over the [MASK] snow"
    first, second = (attribute_guess(reader, text, "he", blank=number) for number in (1, 2))
    assert first.blank != second.blank
    assert not np.allclose(
        [word.attribution for word in first.words], [word.attribution for word in second.words]
    )


@pytest.mark.parametrize(
    ("text", "options", "match"),
    [
        ("no blank", {}, "MASK"),
        ("[MASK]", {}, "no word next to the blank"),
        (TEXT, {"word": "银行"}, "银行"),
        (TEXT, {"token": "##銀"}, "銀"),
        (TEXT, {"blank": 2}, "blank=2"),
    ],
)
def test_what_cannot_be_asked_is_refused(reader, text, options, match):
    with pytest.raises(InputError, match=match):
        attribute_guess(reader, text, **options)

"""Fill the blank: transformers' own probabilities, the logit lens by hand, words of several tokens, refusals."""

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.probing.context_states import blanked, word_states
from embeddings.probing.fill_mask import fill
from embeddings.probing.network import open_reader, token_names, whole_words
from tests.probing.conftest import mask_of

TEXT, SECOND = "Старик вынул [MASK] и отпер [MASK].", "Die [MASK] ist offen."


@pytest.fixture(scope="module")
def read(their_tokenizer):
    return their_tokenizer(TEXT, SECOND, return_tensors="pt")


def test_probabilities_are_those_of_transformers(reader, theirs, read):
    found = fill(reader, TEXT, 7, second=SECOND, only_words=False)
    with torch.inference_mode():
        expected = theirs(**read).logits[0].softmax(-1)
    masks = (read["input_ids"][0] == reader.wordpiece.mask_id).nonzero()[:, 0]
    assert len(found.masks) == len(masks) == 3
    for mask, position in zip(found.masks, masks, strict=True):
        values, ids = expected[position].topk(7)
        assert [g.token for g in mask.guesses] == [token_names(reader)[i] for i in ids]
        np.testing.assert_allclose([g.probability for g in mask.guesses], values, rtol=1e-4)
    assert [mask.segment for mask in found.masks] == [0, 0, 1]
    assert [(TEXT, TEXT, SECOND)[i][m.start : m.end] for i, m in enumerate(found.masks)] == [
        "[MASK]"
    ] * 3


def test_the_logit_lens_reads_every_layer_with_the_last_ones_head(reader, theirs, read):
    found = fill(reader, TEXT, 5, second=SECOND, only_words=False).masks[0]
    position = mask_of(reader, TEXT)
    with torch.inference_mode():
        states = theirs(**read, output_hidden_states=True).hidden_states
        layers = [theirs.cls(state)[0, position].softmax(-1).numpy() for state in states]
    names = token_names(reader)
    for layer, guesses in zip(layers, found.by_layer, strict=True):
        best = np.argsort(-layer)[:5]
        assert [g.token for g in guesses] == [names[i] for i in best]
        np.testing.assert_allclose([g.probability for g in guesses], layer[best], rtol=1e-4)
    assert found.by_layer[-1] == found.guesses
    ids = [names.index(g.token) for g in found.guesses]
    np.testing.assert_allclose(found.trace, [layer[ids] for layer in layers], rtol=1e-4)
    entropy = [-(layer * np.log(layer)).sum() for layer in layers]
    np.testing.assert_allclose(found.entropy, entropy, rtol=1e-4)


def test_a_words_probability_rank_and_rise_by_layer_are_told(reader, theirs):
    read = reader.wordpiece.encode(TEXT)
    with torch.inference_mode():
        scores = theirs(torch.tensor([read.ids])).logits[0]
    expected = scores[mask_of(reader, TEXT)].softmax(-1)
    names = token_names(reader)
    order = [names[i] for i in expected.argsort(descending=True)]
    word = next(t for t in order[20:] if t.isalpha() and t.isascii())
    asked = fill(reader, TEXT, 3, words=[word]).masks[0].requested[0]
    assert (asked.tokens, asked.rank) == ((word,), order.index(word) + 1)
    assert asked.probability == pytest.approx(float(expected[names.index(word)]), rel=1e-4)
    assert asked.by_layer[-1] == asked.probability
    assert len(asked.by_layer) == 3


def test_a_word_of_several_tokens_is_read_from_left_to_right(reader):
    pieces = reader.wordpiece.ids(["электростанция"])[0]
    assert len(pieces) > 2
    asked = fill(reader, "Это [MASK].", 1, words=["электростанция"]).masks[0].requested[0]
    before, after = reader.wordpiece.ids(["Это", "."])
    wordpiece, expected = reader.wordpiece, 0.0
    for done, piece in enumerate(pieces):
        masks = [wordpiece.mask_id] * (len(pieces) - done)
        ids = [wordpiece.cls_id, *before, *pieces[:done], *masks, *after, wordpiece.sep_id]
        with torch.inference_mode():
            scores = reader.network.tokens(reader.network.encoder(torch.tensor([ids])).last)
        expected += scores[0, 1 + len(before) + done].log_softmax(-1)[piece].item()
    assert asked.probability == pytest.approx(np.exp(expected), rel=1e-4)
    assert (asked.rank, asked.by_layer) == (0, ())


def test_only_words_leaves_out_tails_signs_and_digits(reader):
    found = fill(reader, TEXT, 50, only_words=True).masks[0]
    everything = {
        g.token: g.probability for g in fill(reader, TEXT, 700, only_words=False).masks[0].guesses
    }
    assert all(g.token.isalpha() for g in found.guesses)
    assert all(everything[g.token] == g.probability for g in found.guesses)
    kept = [token_names(reader)[i] for i in np.flatnonzero(whole_words(reader))]
    assert {"##а", "[MASK]", ".", "1"}.isdisjoint(kept)
    assert "и" in kept


def test_special_tokens_are_never_offered_and_keep_their_share(tiny_bert, their_tokenizer):
    reader, special = open_reader(tiny_bert), their_tokenizer.all_special_ids
    with torch.no_grad():
        reader.network.tokens.decoder.bias[special] += 9.0
        read = reader.wordpiece.encode("Старик [MASK].")
        scores = reader.network.tokens(reader.network.encoder(torch.tensor([read.ids])).last)
    expected = scores[0, mask_of(reader, "Старик [MASK].")].softmax(-1)
    assert len(special) == 5
    assert expected[special].sum() > 0.9
    found = fill(reader, "Старик [MASK].", len(expected), only_words=False).masks[0].guesses
    named = {token_names(reader)[i] for i in special}
    assert named == {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    assert named.isdisjoint(guess.token for guess in found)
    rest = 1 - float(expected[special].sum())
    assert sum(guess.probability for guess in found) == pytest.approx(rest, rel=1e-3)


def test_what_the_vocabulary_lacks_is_told_of_texts_and_words_asked_for(reader):
    assert fill(reader, TEXT, 1, second=SECOND, words=["и"]).unknown == ()
    found = fill(reader, "银行 и 银行 [MASK].", 1, second="Das 钥匙.", words=["他", "и"])
    assert found.unknown == ("银行", "钥匙", "他")
    assert [asked.word for asked in found.masks[0].requested] == ["и"]  # not that of [UNK]


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("Здесь нет пропуска.", {}, r"no \[MASK\] in “Здесь нет"),
        ("", {}, r"no \[MASK\]"),
        ("[MASK] " + "вода " * 100, {}, "longer than this network's 64"),
        ("[MASK]", {"topn": 0}, "topn=0 is out of range"),
        ("[MASK]", {"words": [" "]}, "“ ” gives no token"),
        ("[MASK]", {"words": ["\udcff"]}, "bytes that are not UTF-8"),
    ],
)
def test_what_cannot_be_filled_is_refused(reader, text, more, sentence):
    with pytest.raises(InputError, match=sentence):
        fill(reader, text, **more)


def test_a_blank_of_underscores_is_filled_as_a_mask(tiny_bert):
    reader = open_reader(tiny_bert)
    mask = fill(reader, "The dog runs to the [MASK].").masks[0]
    assert fill(reader, "The dog runs to the ___.").masks[0].guesses == mask.guesses
    assert fill(reader, "The dog runs to the [MASK] ___.").masks[0].guesses != ()
    with pytest.raises(InputError):
        fill(reader, "The dog runs to the house...")


def test_the_mask_takes_the_place_of_a_word_and_is_one_at_layer_0_only(reader):
    asked = blanked(reader, [("Bank gone.", (0, 4)), ("Keys broke.", (0, 4))])
    assert asked == [("[MASK] gone.", (0, 6)), ("[MASK] broke.", (0, 6))]
    states = word_states(reader, asked)
    assert states.tokens == (("[MASK]",),) * 2
    found = states.vectors
    assert np.allclose(found[0, 0], found[1, 0], atol=1e-6)
    assert not np.allclose(found[0, -1], found[1, -1], atol=1e-2)

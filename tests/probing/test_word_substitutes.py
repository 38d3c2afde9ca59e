"""Substitutes: each source by hand, product and mixture, the prior, patterns, refusals."""

import numpy as np
import pytest
import torch

from embeddings.errors import InputError
from embeddings.probing.network import open_reader, token_names, whole_words
from embeddings.probing.substitutes import PATTERNS, SubstitutesConfig, substitutes

CONTEXTS = [
    ("Из-под камня бил ключ.", (17, 21)),
    ("She sat on the bank of the river.", (15, 19)),
    ("Он потерял электростанция, ключ.", (11, 25)),
]


@pytest.fixture(scope="module")
def reader(tiny_bert):
    return open_reader(tiny_bert)


def scores(reader, text):
    """Scores of the network at every position of a text, and its tokens."""
    tokens = reader.wordpiece.encode(text)
    with torch.inference_mode():
        last = reader.network.encoder(torch.tensor([tokens.ids])).last
        return reader.network.tokens(last)[0], tokens


def at_mask(reader, text):
    """Probabilities of whole words at the only mask of a text."""
    logits, tokens = scores(reader, text)
    allowed = torch.from_numpy(whole_words(reader))
    return logits[tokens.ids.index(reader.wordpiece.mask_id)][allowed].softmax(-1).numpy()


def sources(reader, context, temperature=0.1):
    """Masked, visible, pattern and embedding by hand, over whole words."""
    text, (start, end) = context
    word = text[start:end]
    allowed = torch.from_numpy(whole_words(reader))
    logits, tokens = scores(reader, text)
    places = list(tokens.covering(start, end))
    visible = logits[places][:, allowed].log_softmax(-1).mean(0).softmax(-1).numpy()
    table = reader.network.encoder.inputs.tokens.weight.detach().numpy()
    word_row = table[[tokens.ids[i] for i in places]].mean(0)
    rows = table[allowed.numpy()]
    cosines = rows @ word_row / np.linalg.norm(rows, axis=1) / np.linalg.norm(word_row)
    near = np.exp(cosines / temperature)
    return {
        "masked": at_mask(reader, f"{text[:start]}[MASK]{text[end:]}"),
        "visible": visible,
        "pattern": at_mask(reader, f"{text[:start]}{word} и [MASK]{text[end:]}"),
        "embedding": near / near.sum(),
    }


def whole(reader, config, contexts=CONTEXTS):
    """The whole distribution as the code has it, in the order of the vocabulary."""
    size = int(whole_words(reader).sum())
    proposals = substitutes(reader, contexts, size, config, language="ru")
    rows = np.zeros((len(contexts), len(token_names(reader))), np.float32)
    np.put_along_axis(rows, proposals.ids.astype(np.int64), proposals.probabilities, 1)
    return rows[:, whole_words(reader)]


@pytest.mark.parametrize("name", ["masked", "visible", "pattern", "embedding"])
def test_each_source_is_what_its_formula_says(reader, name):
    config = SubstitutesConfig(**{"masked": 0.0, name: 1.0})
    expected = [sources(reader, context)[name] for context in CONTEXTS]
    np.testing.assert_allclose(whole(reader, config), expected, rtol=2e-3, atol=1e-7)


@pytest.mark.parametrize("combine", ["product", "mixture"])
def test_sources_are_combined_by_their_weights_and_divided_by_the_prior(reader, combine):
    config = SubstitutesConfig(
        masked=1.0, visible=0.5, pattern=2.0, embedding=0.25, combine=combine, beta=0.5
    )
    weights = {"masked": 1.0, "visible": 0.5, "pattern": 2.0, "embedding": 0.25}
    by_hand = [sources(reader, context) for context in CONTEXTS]
    prior = np.mean([one["masked"] for one in by_hand], 0)
    expected = []
    for one in by_hand:
        if combine == "product":
            joined = np.prod([one[name] ** weight for name, weight in weights.items()], 0)
        else:
            joined = sum(weight * one[name] for name, weight in weights.items())
        joined = joined / prior**0.5
        expected.append(joined / joined.sum())
    np.testing.assert_allclose(whole(reader, config), expected, rtol=5e-3, atol=1e-7)


def test_the_likeliest_come_first_and_are_words(reader):
    found = substitutes(reader, CONTEXTS, 20)
    assert found.ids.shape == found.probabilities.shape == (3, 20)
    assert (np.diff(found.probabilities) <= 0).all()
    assert (found.probabilities.sum(1) < 1).all()
    guesses = found.guesses(0, 5)
    assert len(guesses) == 5
    assert all(guess.token.isalpha() for guess in guesses)
    tails = SubstitutesConfig(whole_words=False)
    everything = substitutes(reader, CONTEXTS, len(token_names(reader)), tails)
    np.testing.assert_allclose(everything.probabilities.sum(1), 1, rtol=1e-5)


def test_one_context_alone_has_what_it_has_among_others(reader):
    together = substitutes(reader, CONTEXTS, 10)
    for row, context in enumerate(CONTEXTS):
        alone = substitutes(reader, [context], 10)
        np.testing.assert_array_equal(alone.ids[0], together.ids[row])


def test_every_pattern_holds_the_word_and_one_mask_in_every_language():
    for name, languages in PATTERNS.items():
        assert set(languages) == {"en", "ru", "de"}, name
        for pattern in languages.values():
            assert pattern.count("{word}") == pattern.count("{mask}") == 1


@pytest.mark.parametrize("name", list(PATTERNS))
def test_the_pattern_is_written_into_the_words_place(reader, name):
    config = SubstitutesConfig(masked=0.0, pattern=1.0, pattern_name=name)
    text, (start, end) = CONTEXTS[0]
    written = PATTERNS[name]["ru"].format(word="ключ", mask="[MASK]")
    expected = at_mask(reader, text[:start] + written + text[end:])
    np.testing.assert_allclose(whole(reader, config)[0], expected, rtol=2e-3, atol=1e-7)


def test_a_text_that_is_too_long_is_cut_and_says_so(reader):
    long = ("ключ " + "вода " * 100, (0, 4))
    assert substitutes(reader, [CONTEXTS[0], long], 5).truncated.tolist() == [False, True]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"masked": 0.0}, "All weights are 0"),
        ({"masked": -1.0}, "masked=-1.0 is out of range"),
        ({"combine": "sum"}, "combine=sum is not known"),
        ({"pattern_name": "but"}, "pattern_name=but is not known"),
        ({"temperature": 0.0}, "temperature=0.0 is out of range"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        SubstitutesConfig(**settings)


def test_a_pattern_needs_a_language_and_topn_fits_the_vocabulary(reader):
    with pytest.raises(InputError, match="language= is not known"):
        substitutes(reader, CONTEXTS, 5, SubstitutesConfig(pattern=1.0))
    with pytest.raises(InputError, match="topn=100000 is out of range"):
        substitutes(reader, CONTEXTS, 100_000)

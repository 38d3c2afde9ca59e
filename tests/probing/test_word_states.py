"""The vector of a word in a sentence: transformers' own states, averaged by hand; what is cut; what is refused."""

import numpy as np
import pytest
import torch
import transformers

from embeddings.errors import InputError
from embeddings.probing import context_states
from embeddings.probing.context_states import check_layer, mean_states, token_span, word_states
from embeddings.probing.network import open_reader
from tests.probing.conftest import occurrence

TEXTS = [
    "Старик вынул из кармана тяжёлый ключ.",
    "Из-под камня бил холодный ключ, и вода в нём была чистая.",
    "She sat on the bank of the river.",
    "Der König ließ ein Schloss erbauen.",
]
WORDS = ["ключ", "ключ", "bank", "Schloss"]


CONTEXTS = [occurrence(text, word) for text, word in zip(TEXTS, WORDS, strict=True)]


@pytest.fixture(scope="module", params=["tiny_bert", "tiny_albert", "tiny_modernbert"])
def folder(request):
    return request.getfixturevalue(request.param)


def test_states_are_those_of_transformers_averaged_over_the_words_tokens(folder):
    theirs = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    found = word_states(open_reader(folder), CONTEXTS)
    assert found.vectors.shape == (4, theirs.config.num_hidden_layers + 1, 24)
    for row, (text, (start, end)) in enumerate(CONTEXTS):
        read = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        inside = [
            low < end and high > start for low, high in read.pop("offset_mapping")[0].tolist()
        ]
        with torch.inference_mode():
            states = theirs(**read, output_hidden_states=True).hidden_states
        for layer, hidden in enumerate(states):
            expected = hidden[0][torch.tensor(inside)].mean(0).numpy()
            np.testing.assert_allclose(found.vectors[row, layer], expected, atol=2e-5)
        names = tokenizer.convert_ids_to_tokens(read["input_ids"][0].tolist())
        assert found.tokens[row] == tuple(n for n, i in zip(names, inside, strict=True) if i)
    assert not found.truncated.any()


def test_neither_the_batch_nor_the_order_changes_a_vector(reader, monkeypatch):
    one = word_states(reader, CONTEXTS).vectors
    for batch in (1, 2):
        monkeypatch.setattr(context_states, "TEXTS_AT_A_TIME", batch)
        other = word_states(reader, CONTEXTS[::-1]).vectors[::-1]
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_two_words_of_one_text_are_read_together_and_equal_those_read_apart(reader):
    places = [occurrence(TEXTS[1], word) for word in ("камня", "ключ", "вода")]
    together = word_states(reader, places).vectors
    apart = [word_states(reader, [place]).vectors[0] for place in places]
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_a_text_that_is_too_long_is_cut_around_the_word_and_says_so(reader):
    text, span = occurrence("вода " * 100 + "ключ" + " камень" * 100, "ключ")
    cut = token_span(reader, text, span)
    assert cut.truncated
    assert len(cut.tokens.ids) == reader.longest == 64
    names = [reader.wordpiece.tokenizer.id_to_token(i) for i in cut.tokens.ids]
    assert (names[0], names[-1]) == ("[CLS]", "[SEP]")
    covered = {cut.tokens.offsets[i] for i in cut.positions}
    assert (min(low for low, _ in covered), max(high for _, high in covered)) == span
    middle = sum(cut.positions) / len(cut.positions)
    assert 30 <= middle <= 33
    for edge, place in (("ключ " + "вода " * 199, 1), ("вода " * 199 + "ключ", 62)):
        whole = token_span(reader, *occurrence(edge, "ключ"))  # there too a whole window
        assert (whole.truncated, len(whole.tokens.ids)) == (True, 64)
        assert place in whole.positions
    states = word_states(reader, [(text, span), CONTEXTS[0]])
    assert states.truncated.tolist() == [True, False]
    ids = torch.tensor([cut.tokens.ids])
    with torch.inference_mode():
        hidden = reader.network.encoder(ids, need_states=True).hidden_states
    expected = [layer[0, list(cut.positions)].mean(0).numpy() for layer in hidden]
    np.testing.assert_allclose(states.vectors[0], expected, atol=1e-5)


def test_a_word_that_stands_twice_has_the_mean_of_both(reader):
    text = "Ключ от дома и ключ в лесу."
    spans = [(0, 4), (15, 19)]
    both = word_states(reader, [(text, span) for span in spans]).vectors
    mean = mean_states(reader, [[(text, span) for span in spans], [CONTEXTS[2]]])
    np.testing.assert_allclose(mean.vectors[0], both.mean(0), atol=1e-6)
    assert len(mean.tokens) == len(mean.truncated) == 2
    with pytest.raises(InputError, match="Context 2 has no occurrence"):
        mean_states(reader, [[CONTEXTS[0]], []])


def test_a_word_in_a_script_that_the_vocabulary_lacks_is_marked(reader):
    states = word_states(reader, [occurrence("Он сказал 鍵 и ушёл.", "鍵"), CONTEXTS[0]])
    assert states.unknown.tolist() == [True, False]
    assert states.tokens[0] == ("[UNK]",)


def test_no_contexts_give_no_vectors(reader):
    assert word_states(reader, []).vectors.shape == (0, 3, 24)
    assert mean_states(reader, []).vectors.shape == (0, 3, 24)


def test_the_number_of_threads_is_left_as_it_was(reader, monkeypatch):
    monkeypatch.setattr(context_states, "TEXTS_AT_A_TIME", 1)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        word_states(reader, CONTEXTS)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ((" ", (0, 1)), "There is no text"),
        (("ключ", (0, 5)), "Characters 0 to 5 are no part of a text of 4 characters"),
        (("ключ", (2, 2)), "Characters 2 to 2"),
        (("ключ", (-1, 2)), "Characters -1 to 2"),
        (("a b", (1, 2)), "“ ” gives no token in “a b”"),
    ],
)
def test_what_is_no_word_in_a_text_is_refused(reader, context, sentence):
    with pytest.raises(InputError, match=sentence):
        word_states(reader, [context])


def test_layers_count_from_the_embedding_output_and_from_the_end(reader):
    assert [check_layer(reader, layer) for layer in (0, 2, -1, -3)] == [0, 2, 2, 0]
    for layer in (3, -4):
        with pytest.raises(InputError, match=f"layer={layer} is out of range"):
            check_layer(reader, layer)

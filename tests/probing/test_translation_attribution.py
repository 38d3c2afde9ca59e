"""Attribution of a translation: rows add up to each word's log p; equal to a plain loop; occlusion is the network with rows of 0."""

import math

import numpy as np
import pytest
import torch

from embeddings.networks.decoding import DecodingConfig, next_log_probabilities
from embeddings.networks.encoder_decoder import (
    END,
    START,
    Memory,
    bert_memory,
)
from embeddings.probing.network import pad
from embeddings.probing.translation_attribution import attribute_translation
from embeddings.probing.translator import encode, look_inside

TEXT = "Two dogs run."


@pytest.fixture(scope="module", params=["plain", "fused"])
def translator(request, small_translator):
    texts = [TEXT, "Zwei Hunde rennen.", "A dog plays.", "Ein Hund spielt."]
    made = small_translator(texts, 60, bert_size=24 * (request.param == "fused"))
    learn(made.network, made.vocabulary, made.bert)
    return made


PAIRS = ((TEXT, "Zwei Hunde rennen."), ("A dog plays.", "Ein Hund spielt."))


def learn(network, vocabulary, reader):
    """Learn two pairs by heart, so that the translation has several words and an end, and hangs on the source."""
    batches = []
    for text, translation in PAIRS:
        answers = torch.tensor([*vocabulary.encode(translation).ids, END])
        memory = None
        if reader:
            ids, _, real = pad(reader, [reader.wordpiece.encode(text)])
            memory = Memory(*(part.clone() for part in bert_memory(reader.network, ids, real)))
        source = torch.tensor([[*vocabulary.encode(text).ids, END]])
        read = torch.cat((torch.tensor([START]), answers[:-1]))[None]
        batches.append((source, read, torch.arange(len(answers)), answers, memory))
    optimiser = torch.optim.Adam(network.parameters(), 0.01)
    for step in range(120):
        optimiser.zero_grad()
        network(*batches[step % 2]).loss.backward()
        optimiser.step()


@pytest.fixture(scope="module")
def attribution(translator):
    return attribute_translation(translator, TEXT, DecodingConfig(1))


@pytest.fixture(scope="module")
def written(translator):
    return look_inside(translator, TEXT, DecodingConfig(1)).attention


def covering(side, start, end):
    """Numbers of the tokens that share a character with a word."""
    return [i for i, (low, high) in enumerate(side.offsets) if low < end and high > start]


def spans(text, words):
    """Characters of words, each of which a text has once."""
    return [(text.index(word), text.index(word) + len(word)) for word in words]


def forced(translator, written, source=None, target=None, bert=None):
    """Log p of each token of a translation by the network's own pass; what is given changes the rows that a table looks up."""
    network = translator.network
    ids = [network_id(translator, token) for token in written.target_side.labels]

    def hooked(table, change):
        return change and table.register_forward_hook(lambda _module, _inputs, rows: change(rows))

    handles = [hooked(network.source_tokens, source)]
    if translator.bert:
        handles.append(hooked(translator.bert.network.encoder.inputs.tokens, bert))
    _, encoded = encode(translator, [TEXT])
    remove(handles)
    handles = [hooked(network.target_tokens, target)]
    with torch.inference_mode():
        read = torch.tensor([[START, *ids[:-1]]])
        hidden = network.decode(read, network.open(encoded)).hidden
        logs = next_log_probabilities(network, hidden)[0]
    remove(handles)
    return logs[range(len(ids)), ids].double().numpy()


def network_id(translator, token):
    vocabulary = translator.vocabulary
    return [vocabulary.token(number) for number in range(len(vocabulary))].index(token)


def remove(handles):
    for handle in filter(None, handles):
        handle.remove()


def replaced(positions, row=0.0):
    """A change of looked-up rows: some of them become ``row``."""

    def change(rows):
        changed = rows.clone()
        changed[:, positions] = row
        return changed

    return change


def rows_of(attribution, written):
    """Numbers of the tokens that write each word of a translation; the EOS token writes the last."""
    words = spans(attribution.target, attribution.target_words[:-1])
    return [
        *(covering(written.target_side, *span) for span in words),
        [len(written.target_side) - 1],
    ]


def test_occlusion_of_a_word_of_source_or_translation_is_the_network_run_without_its_embeddings(
    translator, attribution, written
):
    whole = forced(translator, written)
    for column, span in enumerate(spans(TEXT, attribution.source_words)):
        changes = {"source": replaced(covering(written.source_side, *span))}
        if translator.bert:
            table = translator.bert.network.encoder.inputs.tokens.weight
            mask = table[translator.bert.wordpiece.mask_id].detach()
            changes["bert"] = replaced(covering(written.bert_side, *span), mask)
        lost = whole - forced(translator, written, **changes)
        for row, tokens in enumerate(rows_of(attribution, written)):
            assert attribution.source_occlusions[row, column] == pytest.approx(
                lost[tokens].sum(), abs=1e-4
            )
    assert np.abs(attribution.source_occlusions).max() > 0.02
    rows = rows_of(attribution, written)
    for column, tokens_read in enumerate(rows[:-1]):
        read = [token + 1 for token in tokens_read if token + 1 < len(written.target_side)]
        lost = whole - forced(translator, written, target=replaced(read))
        for row, tokens in enumerate(rows):
            assert attribution.target_occlusions[row, column] == pytest.approx(
                lost[tokens].sum(), abs=1e-4
            )


@pytest.mark.parametrize("translator", ["plain"], indirect=True)
def test_contributions_are_those_of_a_plain_loop_over_the_path(translator, attribution, written):
    network, points = translator.network, 200
    ids = [network_id(translator, token) for token in written.target_side.labels]
    source = torch.tensor([[network_id(translator, token) for token in written.source_side.labels]])
    read, last = torch.tensor([[START, *ids[:-1]]]), rows_of(attribution, written)[-2]
    ends = [network.source_tokens(source).detach(), network.target_tokens(read).detach()]
    moving = [torch.ones(rows.shape[1], 1) for rows in ends]
    moving[0][-1], moving[1][0] = 0, 0  # EOS and BOS stay
    totals = [torch.zeros_like(rows, dtype=torch.float64) for rows in ends]
    for point in range(points):
        share = (point + 0.5) / points
        rows = [
            (end * (1 - still + share * still)).requires_grad_()
            for end, still in zip(ends, moving, strict=True)
        ]
        encode_hook = network.source_tokens.register_forward_hook(lambda *_, rows=rows: rows[0])
        encoded = network.encode(source)
        encode_hook.remove()
        decode_hook = network.target_tokens.register_forward_hook(lambda *_, rows=rows: rows[1])
        hidden = network.decode(read, network.open(encoded)).hidden
        decode_hook.remove()
        logs = next_log_probabilities(network, hidden)[0]
        value = sum(logs[token, ids[token]] for token in last)
        for total, slope in zip(totals, torch.autograd.grad(value, rows), strict=True):
            total += slope.double() / points
    shares = [
        (total * end * still).sum(-1)[0].numpy()
        for total, end, still in zip(totals, ends, moving, strict=True)
    ]
    fine = attribute_translation(translator, TEXT, DecodingConfig(1), tolerance=0.005)
    for column, span in enumerate(spans(TEXT, fine.source_words)):
        by_hand = shares[0][covering(written.source_side, *span)].sum()
        assert fine.source_gradients[-2, column] == pytest.approx(by_hand, abs=0.02)
    assert fine.target_gradients[-2].sum() == pytest.approx(shares[1].sum(), abs=0.02)
    assert np.abs(fine.source_gradients[-2]).max() > 0.05


def test_each_row_adds_up_to_the_log_p_of_its_word(attribution, written):
    sums = [sum(numbers) for _, *numbers, _ in attribution.table()[1]]
    np.testing.assert_allclose(sums, attribution.log_probabilities, atol=1e-6)
    _, *first = attribution.table(occlusion=True)[1][0]
    assert first[:-4] == attribution.source_occlusions[0].tolist()
    assert np.abs(attribution.residuals).max() <= 0.05
    assert math.isclose(
        attribution.log_probabilities.sum(), written.log_probabilities.sum(), rel_tol=1e-5
    )
    assert np.abs(attribution.source_gradients).max() > 0.05


def test_words_are_moved_by_earlier_words_alone(attribution):
    assert attribution.source_words == ("Two", "dogs", "run", ".")
    assert attribution.target_words == ("Zwei", "Hunde", "rennen", ".", "</s>")
    later = np.triu_indices(len(attribution.target_words), 1)
    assert not attribution.target_gradients[later].any()
    np.testing.assert_allclose(attribution.target_occlusions[later], 0, atol=1e-5)

"""The encoder-decoder by what must not change it: padding, the cache (by hand: tests/probing/test_decoder_walk.py)."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from embeddings.errors import CheckpointError, InputError
from embeddings.networks.decoding import to_batch
from embeddings.networks.encoder_decoder import (
    END,
    PAD,
    START,
    TranslationConfig,
    TranslationNetwork,
    copy_plain_weights,
    new_translation_network,
    open_translation,
    save_translation,
)
from embeddings.networks.encoder_decoder_layers import ByteDropout
from embeddings.networks.fused_attention import as_memory, choose_branches

SIZES = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
}


def make(**settings) -> TranslationNetwork:
    return new_translation_network(TranslationConfig(**{**SIZES, **settings}), seed=3).eval()


def states(network, sources, targets, bert=None):
    given = to_batch([[START, *ids] for ids in targets])[:, :-1]
    encoded = network.encode(to_batch(sources), bert)
    return network.decode(given, network.open(encoded))


SOURCES = [[5, 6, 7, 8], [9, 10], [11, 12, 13, 14, 15, 16]]
TARGETS = [[20, 21, 22], [23, 24, 25, 26], [27]]


@pytest.fixture(params=[True, False], ids=["norm first", "norm last"])
def network(request):
    return make(norm_first=request.param)


def test_padding_and_batching_change_nothing(network):
    with torch.inference_mode():
        together = states(network, SOURCES, TARGETS).hidden
        for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
            alone = states(network, [source], [target]).hidden[0]
            torch.testing.assert_close(together[row, : len(alone)], alone, rtol=0, atol=2e-5)


def test_step_by_step_with_the_cache_equals_all_at_once(network):
    with torch.inference_mode():
        encoded = network.encode(to_batch(SOURCES))
        given = torch.tensor([[START, 20, 21, 22], [START, 23, 24, 25], [START, 26, 27, 28]])
        whole = network.decode(given, network.open(encoded)).hidden
        caches, steps = network.open(encoded), []
        for step in range(4):
            decoded = network.decode(given[:, step : step + 1], caches)
            caches = decoded.caches
            steps.append(decoded.hidden)
    torch.testing.assert_close(torch.cat(steps, 1), whole, rtol=0, atol=2e-5)


def test_weights_are_returned_and_change_nothing(network):
    with torch.inference_mode():
        source = to_batch(SOURCES)
        encoded = network.encode(source, need_weights=True)
        given = torch.tensor([[START, 20, 21]] * 3)
        decoded = network.decode(given, network.open(encoded), need_weights=True)
        plain = network.decode(given, network.open(network.encode(source))).hidden
    torch.testing.assert_close(decoded.hidden, plain, rtol=0, atol=2e-5)
    real = source != PAD
    for layer in encoded.weights:
        torch.testing.assert_close(layer.self_attention.sum(-1), torch.ones(3, 4, source.shape[1]))
        assert (
            layer.self_attention.masked_select(
                ~real[:, None, None].expand_as(layer.self_attention)
            ).sum()
            == 0
        )
        assert layer.bert is None
    for layer in decoded.weights:
        assert layer.self_attention.triu(1).sum() == 0
        torch.testing.assert_close(layer.cross.sum(-1), torch.ones(3, 4, 3))
        assert layer.cross.masked_select(~real[:, None, None].expand_as(layer.cross)).sum() == 0


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_label_smoothed_cross_entropy_of_the_shifted_target(smoothing):
    network = make(dropout=0.0).train()
    source, answers = to_batch(SOURCES), to_batch(TARGETS)
    target = torch.cat((torch.full((3, 1), START), answers[:, :-1]), 1)
    keep = (answers.flatten() != PAD).nonzero()[:, 0]
    found = network(source, target, keep, answers.flatten()[keep], None, smoothing)
    found.loss.backward()
    ours = network.scores.weight.grad.clone()
    network.zero_grad()
    scores = network.scores(states(network, SOURCES, TARGETS).hidden)
    expected = F.cross_entropy(
        scores.flatten(0, 1),
        answers.flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
        reduction="sum",
    )
    expected.backward()
    torch.testing.assert_close(found.loss, expected)
    torch.testing.assert_close(ours, network.scores.weight.grad, rtol=1e-4, atol=1e-5)
    right = (scores.argmax(-1) == answers)[answers != PAD].sum()
    assert float(found.right) == float(right)


@pytest.mark.parametrize(
    ("share", "tie", "tables"),
    [(True, True, 1), (True, False, 2), (False, True, 2), (False, False, 3)],
)
def test_tables_are_shared_as_asked_and_stored_once(tmp_path, share, tie, tables):
    network = make(share_embeddings=share, tie_word_embeddings=tie)
    sizes = [p for p in network.parameters() if p.shape == (30, 16)]
    assert len(sizes) == tables
    save_translation(network, tmp_path, torch.float32)
    again = open_translation(tmp_path)
    with torch.inference_mode():
        ours, theirs = (
            one.scores(states(one, SOURCES, TARGETS).hidden) for one in (network, again)
        )
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
    bytes_held = 4 * sum(p.numel() for p in network.parameters())
    assert (tmp_path / "model.safetensors").stat().st_size < bytes_held + 12_000


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_sets_its_share_to_zero_and_keeps_the_mean(rate):
    torch.manual_seed(1)
    dropout, ones = ByteDropout(rate), torch.ones(300, 101, requires_grad=True)
    found = dropout(ones)
    assert float((found == 0).float().mean()) == pytest.approx(rate, abs=0.01)
    assert float(found.mean().detach()) == pytest.approx(1.0, abs=0.02)
    assert found.detach().unique().numel() == 2
    found.sum().backward()
    torch.testing.assert_close(ones.grad, found.detach())
    assert not torch.equal(dropout(ones), found)
    torch.manual_seed(1)
    assert torch.equal(dropout(ones), found)
    assert dropout.eval()(ones) is ones


def fused(**settings):
    return make(bert_size=12, **settings)


def bert_states(batch=3):
    generator = torch.Generator().manual_seed(5)
    real = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])[:batch]
    return as_memory(torch.randn(batch, 5, 12, generator=generator), real)


def test_padding_of_berts_tokens_changes_nothing():
    network, memory = fused(drop_net=1.0), bert_states()  # which is off outside training
    with torch.inference_mode():
        together = states(network, SOURCES, TARGETS, memory).hidden
        alone = states(
            network, SOURCES[1:2], TARGETS[1:2], as_memory(memory.states[1:2, :3], torch.ones(1, 3))
        ).hidden[0]
    torch.testing.assert_close(together[1, : len(alone)], alone, rtol=0, atol=2e-5)


def test_drop_net_draws_each_branch_as_often_as_the_paper_says():
    torch.manual_seed(1)
    drawn = [choose_branches(True, 0.6) for _ in range(4000)]
    for branches, share in (((True, False), 0.3), ((False, True), 0.3), ((True, True), 0.4)):
        assert sum(one == branches for one in drawn) / 4000 == pytest.approx(share, abs=0.03)
    assert {choose_branches(True, 0.0) for _ in range(9)} == {(True, True)}
    assert {choose_branches(False, 1.0) for _ in range(9)} == {(True, False)}


def test_a_warm_start_copies_a_plain_network_of_its_size_and_names_what_is_fresh():
    plain, warm = make(), fused()
    fresh = copy_plain_weights(warm, plain)
    assert {name.split(".")[2] for name in fresh} == {"bert"}
    state = plain.state_dict()
    assert all(torch.equal(warm.state_dict()[name], tensor) for name, tensor in state.items())
    with pytest.raises(CheckpointError, match="shape"):
        copy_plain_weights(fused(hidden_size=32), make())
    with pytest.raises(CheckpointError, match="does not have"):
        copy_plain_weights(fused(num_hidden_layers=1), make())


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"hidden_size": 18}, "not a multiple"),
        ({"dropout": 1.5}, "dropout"),
        ({"drop_net": -0.1}, "drop_net"),
        ({"vocab_size": 4}, "vocab_size"),
        ({"num_hidden_layers": 0}, "num_hidden_layers"),
    ],
)
def test_settings_that_cannot_be_built_are_refused(settings, match):
    with pytest.raises(InputError, match=match):
        TranslationConfig(**{**SIZES, **settings})


def test_a_sequence_longer_than_the_network_and_one_without_bert_are_refused():
    with pytest.raises(InputError, match="given none"):
        fused().encode(to_batch(SOURCES))
    with pytest.raises(InputError, match="longer than this network's 20"):
        make().encode(to_batch([[5] * 21]))


def test_the_end_sign_closes_each_source_of_a_batch():
    assert to_batch([[7, 8], [9]]).tolist() == [[7, 8, END], [9, END, PAD]]

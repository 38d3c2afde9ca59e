"""BERT, ALBERT and the network of Kazan 2019 from the same bricks: sharing, padding, packing, folders, refusals."""

import dataclasses
import json
import math

import pytest
import torch
from safetensors.torch import load_file, save_file

from embeddings.errors import CheckpointError, InputError, MissingFileError
from embeddings.files import write_json
from embeddings.model_card import write_card
from embeddings.networks.bert import Encoder, new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig, KazanConfig, NetworkConfig
from embeddings.networks.huggingface_folder import (
    is_finite,
    open_any_network,
    open_network,
    save_network,
)
from embeddings.networks.huggingface_settings import from_their_config
from embeddings.networks.layers import block_mask, token_loss

SMALL = {
    "vocab_size": 40,
    "hidden_size": 12,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
}


CONFIGS = {
    "bert": BertConfig(**SMALL),
    "albert": AlbertConfig(**SMALL, embedding_size=6),
    "attention": AlbertConfig(**SMALL, embedding_size=6, share_layers="attention"),
    "feed_forward": AlbertConfig(**SMALL, embedding_size=6, share_layers="feed_forward"),
    "none": AlbertConfig(**SMALL, embedding_size=6, share_layers="none"),
    "kazan": KazanConfig(**SMALL),
}


def ids(seed=0, shape=(2, 9)):
    return torch.randint(5, 40, shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", CONFIGS)
def test_padding_changes_nothing(name):
    network = new_network(CONFIGS[name]).eval()
    short = ids()
    long = torch.cat((short, torch.zeros(2, 4, dtype=torch.long)), 1)
    mask = (torch.arange(13) < 9).expand(2, -1)
    with torch.no_grad():
        alone = network.encoder(short).last
        padded = network.encoder(long, attention_mask=mask).last[:, :9]
    torch.testing.assert_close(alone, padded, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", CONFIGS)
def test_pairs_that_share_a_row_do_not_meet(name):
    network = new_network(CONFIGS[name]).eval()
    one, other = ids(1, (1, 5)), ids(2, (1, 7))
    packed = torch.cat((one, other), 1)
    blocks = torch.tensor([[1] * 5 + [2] * 7])
    positions = torch.tensor([[*range(5), *range(7)]])
    with torch.no_grad():
        found = network.encoder(packed, position_ids=positions, mask=block_mask(blocks)).last
        torch.testing.assert_close(found[:, :5], network.encoder(one).last, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(found[:, 5:], network.encoder(other).last, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", CONFIGS)
def test_scores_at_kept_positions_equal_those_of_the_whole(name):
    network = new_network(CONFIGS[name]).eval()
    segments = torch.zeros(2, 9, dtype=torch.long)
    positions = torch.arange(9).expand(2, -1)
    scored, first = torch.tensor([2, 5, 11]), torch.tensor([0, 9])
    targets = torch.tensor([7, 30, 12])
    with torch.no_grad():
        output = network(ids(), segments, positions, None, scored, first, targets)
        whole = network.encoder(ids(), segments).last
        tokens = network.tokens(whole).flatten(0, 1)[scored]
        sentences = network.sentences(network.encoder.pool(whole[:, 0]))
    loss = torch.nn.functional.cross_entropy(tokens, targets, reduction="sum")
    torch.testing.assert_close(output.token_loss, loss)
    assert output.token_right.item() == (tokens.argmax(-1) == targets).sum()
    torch.testing.assert_close(output.sentences, sentences, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 3, 64])
def test_loss_in_blocks_has_the_loss_and_gradients_of_the_whole(rows, monkeypatch):
    monkeypatch.setattr("embeddings.networks.layers.CPU_ROWS", rows)
    generator = torch.Generator().manual_seed(1)
    shapes = [(7, 5), (11, 5), (11,)]
    ours = [torch.randn(s, generator=generator, requires_grad=True) for s in shapes]
    theirs = [tensor.detach().clone().requires_grad_() for tensor in ours]
    targets = torch.tensor([0, 3, 10, 10, 5, 1, 2])
    found = token_loss(*ours, targets)
    logits = torch.nn.functional.linear(*theirs)
    wanted = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
    torch.testing.assert_close(found.loss, wanted)
    assert found.right.item() == (logits.argmax(-1) == targets).sum()
    (found.loss / 3).backward()
    (wanted / 3).backward()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-6, rtol=1e-5)


def test_what_albert_shares_is_the_same_object():
    shared = {name: Encoder(CONFIGS[name]).layers for name in CONFIGS if name != "kazan"}
    same = {
        name: (
            layers[0].attention is layers[2].attention,
            layers[0].feed_forward is layers[2].feed_forward,
        )
        for name, layers in shared.items()
    }
    assert same == {
        "bert": (False, False),
        "albert": (True, True),
        "attention": (True, False),
        "feed_forward": (False, True),
        "none": (False, False),
    }


@pytest.mark.parametrize(
    ("layers", "size", "total"),
    [(1, 110, 1_550_309), (2, 102, 1_555_225), (3, 96, 1_562_131), (4, 90, 1_543_825)],
)
def test_kazan_2019_has_the_parameters_of_its_table(layers, size, total):
    """At one layer its three heads of 36 columns do not fill the width of 110."""
    config = KazanConfig(num_hidden_layers=layers, hidden_size=size, intermediate_size=4 * size)
    assert sum(p.numel() for p in new_network(config).parameters()) == total


def test_the_same_seed_gives_the_same_network():
    one, other, third = (new_network(CONFIGS["bert"], seed) for seed in (1, 1, 2))
    pairs = list(zip(one.parameters(), other.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b in pairs)
    assert not torch.equal(one.encoder.inputs.tokens.weight, third.encoder.inputs.tokens.weight)
    assert one.encoder.inputs.tokens.weight.std().item() == pytest.approx(0.02, rel=0.1)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_folder_gives_the_network_back(name, tmp_path):
    network = new_network(CONFIGS[name]).eval()
    save_network(network, tmp_path)
    write_card(tmp_path, {"kind": "network"})
    again = open_network(tmp_path)
    assert again.config == CONFIGS[name]
    for one, other in zip(network.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def saved(tmp_path):
    save_network(new_network(CONFIGS["bert"]), tmp_path)
    return tmp_path


def change_settings(folder, **changes):
    settings = json.loads((folder / "config.json").read_text())
    write_json(folder / "config.json", {**settings, **changes})


def truncate(folder):
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def tamper(folder):
    write_card(folder, {})
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (folder / "model.safetensors").write_bytes(bytes(data))


def lose_weights(folder):
    (folder / "model.safetensors").unlink()


def spoil(folder):
    path = folder / "model.safetensors"
    state = load_file(path)
    next(iter(state.values())).flatten()[0] = float("nan")
    save_file(state, path)


def leave_pickle(folder):
    lose_weights(folder)
    (folder / "pytorch_model.bin").write_bytes(b"x")


@pytest.mark.parametrize(
    ("damage", "error", "sentence"),
    [
        (tamper, CheckpointError, "model.safetensors is damaged: its sha256"),
        (truncate, CheckpointError, "model.safetensors cannot be read"),
        (lose_weights, MissingFileError, "this one holds: config.json"),
        (spoil, CheckpointError, "holds numbers that are not finite"),
        (leave_pickle, CheckpointError, "a pickle, which could run any code"),
        (lambda f: (f / "config.json").unlink(), MissingFileError, "config.json does not exist"),
        (lambda f: change_settings(f, hidden_size=15), CheckpointError, r"has shape .*asks for"),
        (lambda f: change_settings(f, num_hidden_layers=4), CheckpointError, r"lacks the weight"),
        (
            lambda f: change_settings(f, num_hidden_layers=2),
            CheckpointError,
            r"does not have: bert",
        ),
        (lambda f: change_settings(f, model_type="gpt2"), CheckpointError, "model_type gpt2"),
        (lambda f: change_settings(f, is_decoder=True), CheckpointError, "is_decoder=True"),
        (lambda f: change_settings(f, hidden_act="swish"), InputError, "hidden_act=swish"),
        (lambda f: change_settings(f, hidden_size="abc"), CheckpointError, "hidden_size=abc"),
        (lambda f: change_settings(f, hidden_size=16.0), CheckpointError, "hidden_size=16.0"),
        (lambda f: change_settings(f, num_attention_heads=True), CheckpointError, "heads=True"),
        (lambda f: change_settings(f, layer_norm_eps="x"), CheckpointError, "layer_norm_eps=x"),
        (lambda f: change_settings(f, model_type=["bert"]), CheckpointError, "model_type"),
    ],
)
def test_a_damaged_folder_is_refused_in_a_sentence(damage, error, sentence, tmp_path):
    damage(saved(tmp_path))
    with pytest.raises(error, match=sentence):
        open_network(tmp_path)


@pytest.mark.parametrize(
    "lost",
    [
        "cls.predictions.transform.dense.bias",
        "cls.predictions.transform.LayerNorm.weight",
        "cls.predictions.bias",
        "bert.pooler.dense.bias",
    ],
)
def test_half_a_head_or_pooler_is_refused_by_the_weight_that_lacks(tmp_path, lost):
    path = saved(tmp_path) / "model.safetensors"
    state = load_file(path)
    del state[lost]
    save_file(state, path)
    with pytest.raises(CheckpointError, match=f"lacks the weight.* {lost}"):
        open_network(tmp_path)


def test_groups_that_are_neither_one_nor_all_are_refused(tmp_path):
    save_network(new_network(CONFIGS["albert"]), tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    del settings["share_layers"]
    write_json(tmp_path / "config.json", {**settings, "num_hidden_groups": 2})
    with pytest.raises(CheckpointError, match="num_hidden_groups=2"):
        open_network(tmp_path)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden_size": 10, "num_attention_heads": 4}, "not a multiple of num_attention_heads=4"),
        ({"share_layers": "all"}, "neither shared layers nor a narrow token embedding matrix"),
        ({"embedding_size": 7}, "neither shared layers nor a narrow token embedding matrix"),
        ({"share_layers": "some"}, "share_layers=some is not known"),
        ({"hidden_dropout_prob": 1.0}, "hidden_dropout_prob=1.0 is out of range"),
        ({"model_type": "gpt"}, "model_type=gpt is not known"),
        ({"num_hidden_layers": 0}, "num_hidden_layers=0 is out of range"),
        ({"type_vocab_size": 0}, "type_vocab_size=0 is out of range: it must lie between 1 and"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        BertConfig(**settings)


def test_a_setting_that_is_not_known_is_told_by_name(tmp_path, caplog):
    folder = saved(tmp_path)
    change_settings(folder, foo=512, transformers_version="5.0", torch_dtype="float32")
    open_network(folder)
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "not known here and left out: foo"
    ]


@pytest.mark.parametrize("kind", ["BertConfig", "AlbertConfig"])
def test_settings_as_hugging_face_writes_them_are_all_known(kind, caplog):
    import transformers

    from_their_config(getattr(transformers, kind)().to_dict())
    assert not caplog.records


def test_a_sequence_that_is_too_long_is_refused():
    with pytest.raises(InputError, match="17 tokens is longer than this network's 16"):
        new_network(CONFIGS["bert"]).encoder(ids(shape=(1, 17)))


def test_every_setting_has_a_help_text():
    assert all(f.metadata["help"] for f in dataclasses.fields(NetworkConfig))


# Weights of BERT's relatives whose shapes are none of a network: refused, with no memory taken for what they claim


WORDS = "distilbert.embeddings.word_embeddings.weight"


SEGMENTS = "roberta.embeddings.token_type_embeddings.weight"


@pytest.mark.parametrize(
    ("kind", "name", "shape"),
    [
        ("distilbert", WORDS, [0, 2**40]),  # segments of 8 TB, were they made of it
        ("distilbert", WORDS, [0, 2**62]),
        ("distilbert", WORDS, [0]),
        ("roberta", SEGMENTS, [1, 2, 3]),
        ("roberta", SEGMENTS, [1, 0, 2**40]),
        ("roberta", SEGMENTS, [1]),
    ],
)
def test_a_weight_of_a_shape_that_no_network_has_is_refused(tmp_path, kind, name, shape):
    settings = {**SMALL, "model_type": kind, "type_vocab_size": 1}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    size = 4 * math.prod(shape)
    described = {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}
    head = json.dumps({name: described}).encode()
    content = len(head).to_bytes(8, "little") + head + bytes(size)
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError):
        open_any_network(tmp_path)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("bert", "embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"),
        ("distilbert", WORDS, "embeddings.word_embeddings.weight"),
    ],
)
def test_a_weight_stored_under_two_names_is_refused_with_both(tmp_path, kind, first, second):
    (tmp_path / "config.json").write_text(json.dumps({**SMALL, "model_type": kind}))
    weights = {name: torch.zeros(8) for name in (first, second)}
    save_file(weights, str(tmp_path / "model.safetensors"))
    with pytest.raises(CheckpointError) as refused:
        open_any_network(tmp_path)
    assert refused.value.code == "checkpoint_two_names"
    assert {refused.value.fields["first"], refused.value.fields["second"]} == {first, second}


def test_a_number_that_only_float64_can_hold_is_not_finite_here():
    assert not is_finite(torch.tensor([1.0, 1e300], dtype=torch.float64))
    assert is_finite(torch.tensor([1.0, 3e38], dtype=torch.float64))

"""Weights carried to and from transformers give the same states.

Attentions and losses, with full and random masks."""

import json
import sys
from dataclasses import asdict

import pytest
import torch
import transformers

from embeddings.analysis.network_costs import PRESETS, parameters
from embeddings.errors import CheckpointError, InputError, MissingFileError
from embeddings.files import atomic_folder, write_json
from embeddings.networks.bert import Encoder, new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig
from embeddings.networks.huggingface_folder import open_network, save_network
from embeddings.text.tokenizer import Tokenizer
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from tests.parity.relatives import SIZES as LAYERS
from tests.parity.relatives import assert_same_answers, assert_states_agree, saved_here

SIZES = LAYERS | {
    "vocab_size": 60,
    "max_position_embeddings": 20,
    "type_vocab_size": 2,
}


THEIRS = {
    "bert": (transformers.BertConfig, transformers.BertForPreTraining),
    "albert": (transformers.AlbertConfig, transformers.AlbertForPreTraining),
}


OURS = {"bert": BertConfig, "albert": AlbertConfig}


def their_network(kind, **more):
    config, network = THEIRS[kind]
    torch.manual_seed(3)
    extra = {"embedding_size": 16} if kind == "albert" else {}
    settings = config(**SIZES, **extra, **more, initializer_range=0.3, attn_implementation="eager")
    return network(settings).eval()


def inputs(mask):
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(5, 60, (3, 11), generator=generator)
    segments = torch.randint(0, 2, (3, 11), generator=generator)
    if mask == "full":
        return ids, segments, torch.ones(3, 11, dtype=torch.long)
    kept = torch.rand(3, 11, generator=generator) > 0.4
    kept[:, 0] = True
    return ids, segments, kept.long()


def assert_networks_agree(ours, theirs):
    """The same states, attention, scores and losses, with a full and with a random mask."""
    for mask in ("full", "random"):
        assert_outputs_agree(ours, theirs, mask)


def assert_outputs_agree(ours, theirs, mask):
    ids, segments, attention_mask = inputs(mask)
    labels = ids.masked_fill(torch.arange(11) % 3 > 0, -100)
    pairs = torch.tensor([0, 1, 1])
    is_albert = isinstance(theirs, transformers.AlbertForPreTraining)
    name = "sentence_order_label" if is_albert else "next_sentence_label"
    with torch.no_grad():
        wanted = theirs(
            input_ids=ids,
            token_type_ids=segments,
            attention_mask=attention_mask,
            labels=labels,
            output_hidden_states=True,
            output_attentions=True,
            **{name: pairs},
        )
        states = ours.encoder(ids, segments, attention_mask, need_states=True, need_weights=True)
        fast = ours.encoder(ids, segments, attention_mask)
        tokens = ours.tokens(states.last)
        sentences = ours.sentences(ours.encoder.pool(states.last[:, 0]))
        loss = torch.nn.functional.cross_entropy(tokens.flatten(0, 1), labels.flatten())
        loss = loss + torch.nn.functional.cross_entropy(sentences, pairs)
    assert_states_agree(states, wanted, torch.ones(3, 11, dtype=torch.bool))
    torch.testing.assert_close(fast.last, wanted.hidden_states[-1], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(tokens, wanted.prediction_logits, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(loss, wanted.loss, atol=1e-5, rtol=1e-5)


def assert_bodies_agree(network, body, mask):
    """The same last layer as a network of theirs without heads has."""
    ids, segments, attention_mask = inputs(mask)
    with torch.no_grad():
        wanted = body(ids, token_type_ids=segments, attention_mask=attention_mask)
        found = network.encoder(ids, segments, attention_mask).last
        pooled = network.encoder.pool(found[:, 0])
    torch.testing.assert_close(found, wanted.last_hidden_state, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(pooled, wanted.pooler_output, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [
        ("bert", {}, {}),
        ("bert", {"hidden_act": "gelu_new"}, {"hidden_act": "gelu_new"}),
        ("albert", {}, {}),
        ("albert", {"num_hidden_groups": 3}, {"share_layers": "none"}),
    ],
)
def test_their_folder_opens_here_with_their_outputs(kind, theirs, ours, tmp_path):
    network = their_network(kind, **theirs)
    opened = saved_here(network, tmp_path)
    assert asdict(opened.config).items() >= ours.items()
    assert_networks_agree(opened, network)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("bert", {}),
        ("bert", {"position_embedding_type": "sinusoidal"}),
        ("albert", {"embedding_size": 16, "share_layers": "all"}),
        ("albert", {"embedding_size": 16, "share_layers": "attention"}),
        ("albert", {"embedding_size": 16, "share_layers": "feed_forward"}),
        ("albert", {"embedding_size": 0, "share_layers": "none"}),
        ("bert", {"tie_word_embeddings": False}),
        ("albert", {"tie_word_embeddings": False}),
    ],
)
def test_our_folder_opens_there_with_equal_outputs(kind, settings, tmp_path):
    network = new_network(OURS[kind](**SIZES, **settings, initializer_range=0.3)).eval()
    with torch.no_grad():
        network.tokens.decoder.bias.normal_()
    with atomic_folder(tmp_path / "model") as folder:
        save_network(network, folder)
    theirs = THEIRS[kind][1].from_pretrained(tmp_path / "model", attn_implementation="eager")
    assert_networks_agree(network, theirs.eval())
    body = transformers.AutoModel.from_pretrained(tmp_path / "model").eval()
    assert_bodies_agree(network, body, "random")


def test_their_body_without_heads_opens_here_and_says_so(tmp_path):
    theirs = their_network("bert").bert
    network = saved_here(theirs, tmp_path)
    assert network.tokens is None
    assert network.sentences is None
    assert_bodies_agree(network, theirs, "random")


@pytest.mark.parametrize(
    "name",
    ["bert-base", "bert-large", "albert-base", "albert-large", "albert-xlarge", "albert-xxlarge"],
)
def test_parameters_of_published_sizes_equal_theirs(name):
    sizes = PRESETS[name]
    settings = {key: getattr(sizes, key) for key in ("vocab_size", *LAYERS)}
    with torch.device("meta"):
        if name.startswith("bert"):
            theirs = transformers.BertModel(transformers.BertConfig(**settings))
            config = BertConfig(**settings)
        else:
            theirs = transformers.AlbertModel(
                transformers.AlbertConfig(**settings, embedding_size=128)
            )
            config = AlbertConfig(**settings, embedding_size=128)
        ours = Encoder(config)
    wanted = sum(p.numel() for p in theirs.parameters())
    assert sum(p.numel() for p in ours.parameters()) == wanted
    assert parameters(sizes).total == wanted


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_an_untied_head_adds_the_bias_that_theirs_adds(kind, tmp_path):
    theirs = their_network(kind, tie_word_embeddings=False)
    head = theirs.predictions if kind == "albert" else theirs.cls.predictions
    with torch.no_grad():
        head.bias.normal_()
        head.decoder.bias = torch.nn.Parameter(torch.randn_like(head.bias))
    assert_networks_agree(saved_here(theirs, tmp_path), theirs)


def test_a_network_stored_in_half_precision_computes_in_float32_there(tmp_path):
    network = new_network(OURS["bert"](**SIZES, initializer_range=0.3)).eval()
    with atomic_folder(tmp_path / "model") as folder:
        save_network(network, folder, torch.float16)
    body = transformers.AutoModel.from_pretrained(tmp_path / "model").eval()
    assert next(body.parameters()).dtype == torch.float32
    assert_bodies_agree(open_network(tmp_path / "model"), body, "full")


def test_weights_in_several_files_are_opened(tmp_path):
    theirs = their_network("bert")
    theirs.save_pretrained(tmp_path, max_shard_size="50KB")
    assert not (tmp_path / "model.safetensors").exists()
    assert_networks_agree(open_network(tmp_path), theirs)
    shard = next(tmp_path.glob("model-00002*"))
    shard.unlink()
    with pytest.raises(MissingFileError, match=r"model.safetensors.index.json names it"):
        open_network(tmp_path)


@pytest.mark.parametrize("name", ["../outside.safetensors", "C:a.safetensors", "a.bin"])
def test_an_index_that_leads_elsewhere_is_refused(name, tmp_path):
    their_network("bert").save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    index = {"weight_map": {"a": name}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(CheckpointError, match="weight_map"):
        open_network(tmp_path)


# A folder saved here gives AutoTokenizer our ids, for BERT and ALBERT


TEXT = [
    "йод и ёж, ключ от замка, ключом бьёт ключ",
    "Müssen wir schön müssen? Straße, König",
    "The key of the lock; the spring of water.",
] * 3


SENTENCES = [
    "йод",
    "Müssen",
    "ключ",
    "За\u0301мок — ключо\u0301м, e\u0301 cafe\u0301, сло\u00adво",
    "Ёжик[MASK]  König,\tStraße",
]


@pytest.mark.parametrize("config", [BertConfig, AlbertConfig])
def test_auto_tokenizer_gives_our_ids_and_offsets(config, tmp_path):
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    network = new_network(
        config(vocab_size=150, hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
    )
    save_network(network, tmp_path)
    vocabulary.save(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for sentence in SENTENCES:
        found = theirs(sentence, "ключ", return_offsets_mapping=True)
        wanted = vocabulary.encode(sentence, "ключ")
        assert tuple(found["input_ids"]) == wanted.ids
        assert tuple(found["token_type_ids"]) == wanted.segments
        assert tuple(found["offset_mapping"]) == wanted.offsets
    assert theirs.mask_token_id == vocabulary.mask_id
    assert theirs.pad_token_id == vocabulary.pad_id


def test_an_older_folder_with_vocab_txt_alone_opens_by_transformers(tmp_path):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "key", "##s", "the"]
    (tmp_path / "vocab.txt").write_text("".join(f"{w}\n" for w in words))
    write_json(tmp_path / "config.json", {"model_type": "bert"})
    found = Tokenizer.load(tmp_path).encode("the keys")
    assert found.tokens == ("[CLS]", "the", "key", "##s", "[SEP]")


def test_an_older_folder_without_transformers_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "vocab.txt").write_text("[PAD]\n")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match=r'pip install "\.\[hub\]"'):
        Tokenizer.load(tmp_path)


def test_special_tokens_of_other_names_are_read(tmp_path):
    vocabulary = train_wordpiece(TEXT, WordPieceConfig(vocab_size=150, min_frequency=1))
    text = vocabulary.tokenizer.to_str().replace("[PAD]", "<pad>").replace("[UNK]", "<unk>")
    (tmp_path / "tokenizer.json").write_text(text)
    named = {"pad_token": "<pad>", "unk_token": {"content": "<unk>"}}
    write_json(tmp_path / "special_tokens_map.json", named)
    again = Tokenizer.load(tmp_path)
    assert (again.pad_id, again.unk_id) == (0, 1)


# Families at their real base shapes, with random weights: states, attention and guesses are transformers' to 1e-4


OF_ROBERTA = {"max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
WIDE = {"embedding_size": 768, "hidden_size": 768, "intermediate_size": 3072}
SHAPES = {  # the class of the settings, and what differs from its defaults
    "bert": ("BertConfig", {}),
    "distilbert": ("DistilBertConfig", {}),
    "roberta": ("RobertaConfig", OF_ROBERTA),
    "xlm-roberta": ("XLMRobertaConfig", OF_ROBERTA | {"vocab_size": 250_002}),
    "electra": ("ElectraConfig", WIDE | {"num_attention_heads": 12}),
    "electra-small": ("ElectraConfig", {}),
    "modernbert": ("ModernBertConfig", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHAPES)
def test_a_network_of_base_shape_gives_transformers_states_attention_and_guesses(kind, tmp_path):
    name, settings = SHAPES[kind]
    torch.manual_seed(1)
    config = getattr(transformers, name)(**settings, attn_implementation="eager")
    theirs = transformers.AutoModelForMaskedLM.from_config(
        config, attn_implementation="eager"
    ).eval()
    ours = saved_here(theirs, tmp_path)
    ids = torch.randint(100, 20_000, (2, 150), generator=torch.Generator().manual_seed(2))
    real = (torch.arange(150) < torch.tensor([[150], [90]])).long()
    assert_same_answers(ours, theirs, ids, real, scores=1e-4, atol=1e-4, rtol=0)

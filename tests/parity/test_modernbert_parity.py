"""ModernBERT gives transformers' states, attention and guesses, and saved again it opens there."""

import json

import pytest
import torch
import transformers

from embeddings.errors import CheckpointError, InputError
from embeddings.networks.huggingface_folder import open_any_network, open_network, save_network
from tests.parity.relatives import OF_MODERNBERT, assert_same_answers, saved_here

VARIANTS = {
    "base": {},
    "biases": {
        "norm_bias": True,
        "attention_bias": True,
        "mlp_bias": True,
        "classifier_bias": True,
        "hidden_activation": "gelu_pytorch_tanh",
        "classifier_activation": "relu",
    },
    "untied": {"tie_word_embeddings": False, "decoder_bias": False},
    "layers": {
        "layer_types": ["sliding_attention"] * 3 + ["full_attention", "sliding_attention"],
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 500.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        },
    },
}
IDS = torch.randint(5, 300, (2, 24), generator=torch.Generator().manual_seed(5))
REAL = (torch.arange(24) < torch.tensor([[24], [15]])).long()


def their_network(variant="base", **more):
    torch.manual_seed(3)
    settings = OF_MODERNBERT | VARIANTS[variant] | more
    config = transformers.ModernBertConfig(**settings, attn_implementation="eager")
    network = transformers.ModernBertForMaskedLM(config).eval()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "norm" in name or name.endswith("bias"):  # ones and zeros would hide a mistake
                weight.add_(0.3 * torch.randn(weight.shape))
    return network


def assert_networks_agree(ours, theirs):
    """The same states, attention and scores, also by the fast way and at some positions alone."""
    found = assert_same_answers(ours, theirs, IDS, REAL, scores=1e-4)
    with torch.no_grad():
        fast = ours.encoder(IDS, None, REAL).last
        kept = ours.encoder(IDS, None, REAL, keep=torch.tensor([3, 30])).last
    real = REAL.bool()
    torch.testing.assert_close(fast[real], found.last[real], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(kept, found.last.flatten(0, 1)[[3, 30]], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_modernbert_gives_its_own_states_attention_and_scores_and_opens_there_again(
    variant, tmp_path
):
    theirs = their_network(variant)
    ours = saved_here(theirs, tmp_path / "a")
    assert_networks_agree(ours, theirs)
    (tmp_path / "b").mkdir()
    save_network(ours, tmp_path / "b")
    again = transformers.ModernBertForMaskedLM.from_pretrained(
        tmp_path / "b", attn_implementation="eager"
    )
    assert_networks_agree(ours, again.eval())
    body = transformers.AutoModel.from_pretrained(tmp_path / "b").eval()
    with torch.no_grad():
        states = body(IDS, attention_mask=REAL).last_hidden_state
    found = ours.encoder(IDS, None, REAL).last
    torch.testing.assert_close(states[REAL.bool()], found[REAL.bool()], atol=1e-4, rtol=1e-5)


def test_the_older_spelling_of_local_layers_and_rotary_bases_is_read(tmp_path):
    theirs = their_network("base")
    theirs.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text())
    del settings["layer_types"], settings["rope_parameters"]
    older = {
        "global_attn_every_n_layers": 3,
        "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0,
    }
    path.write_text(json.dumps(settings | older))
    ours = open_any_network(tmp_path)
    assert ours.config.global_layers == (1, 4)
    assert_networks_agree(ours, theirs)


def test_a_body_opens_without_guesses_and_a_classifier_without_its_head(tmp_path):
    theirs = their_network("base")
    config = transformers.ModernBertConfig(**OF_MODERNBERT)
    task = transformers.ModernBertForSequenceClassification(config)
    ours = saved_here(theirs.model, tmp_path / "body")
    assert ours.tokens is None
    assert saved_here(task, tmp_path / "task").tokens is None
    with torch.no_grad():
        wanted = theirs.model(IDS).last_hidden_state
        torch.testing.assert_close(ours.encoder(IDS).last, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rope_scaling", {"type": "yarn", "factor": 4}),
        ("rope_parameters", {"full_attention": {"rope_type": "yarn", "rope_theta": 1.0}}),
        ("rope_parameters", {"rope_type": "yarn", "factor": 4.0}),  # of all layers at once
        ("rope_parameters", 5),
        ("layer_types", ["full_attention"]),
        ("layer_types", "full_attention"),
        ("layer_types", [["full_attention"]] * 5),
        ("global_attn_every_n_layers", 0),
        ("hidden_size", "wide"),
        ("local_attention", -3),
        ("num_attention_heads", 32),
        ("num_hidden_layers", 10**9),
        ("hidden_activation", "swiglu"),
        ("max_position_embeddings", True),
    ],
)
def test_broken_settings_are_refused_by_name(key, value, tmp_path):
    settings = transformers.ModernBertConfig(**OF_MODERNBERT).to_dict()
    if key == "global_attn_every_n_layers":
        del settings["layer_types"]
    (tmp_path / "config.json").write_text(json.dumps(settings | {key: value}))
    ours = {"hidden_activation": "hidden_act"}.get(key, key)
    with pytest.raises((CheckpointError, InputError), match=ours):
        open_any_network(tmp_path)


def test_a_modernbert_is_asked_and_not_built_upon(tmp_path):
    their_network("base").save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match="can be asked here, but not trained further"):
        open_network(tmp_path)

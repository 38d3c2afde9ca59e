"""A classifier's folder: written and opened again, over its BERT and no other; every refusal."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from embeddings.errors import KlyuchError
from embeddings.networks.classifier import (
    ClassificationConfig,
    batch_of,
    freeze,
    logits_of,
    new_classifier,
    open_classification,
    read_config,
    save_classifier,
)
from embeddings.networks.huggingface_folder import open_network
from embeddings.networks.quantized_weights import dequantize_weights, quantize_weights
from embeddings.probing.label_prediction import predict
from embeddings.shelf.loading import load_classifier

IDS = [(2, 9, 11, 30, 3), (2, 50, 3), (2, 7, 8, 9, 10, 11, 12, 3)]


@pytest.fixture(params=["bert", "albert"])
def base(request, tiny_bert, tiny_albert):
    return open_network({"bert": tiny_bert, "albert": tiny_albert}[request.param])


@pytest.fixture
def copied(planted_classifier, tmp_path, monkeypatch):
    """A shelf of one's own with the planted classifier and its BERT."""
    home = planted_classifier.folder.parents[1]
    shutil.copytree(home / "models", tmp_path / "models")
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path))
    return tmp_path / "models" / "weather"


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_folder_opened_again_gives_the_same_logits(tmp_path, base, pooling):
    network = new_classifier(base, ClassificationConfig(("a", "b", "c"), pooling=pooling), 3).eval()
    freeze(network, table=True)
    before = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.requires_grad:
                weight.add_(torch.randn_like(weight) * 0.05)
                known = None if name.startswith("output") else {"w": before[name]}
                weight.copy_(
                    dequantize_weights(quantize_weights({"w": weight}, known), "", known)["w"]
                )
    save_classifier(network, tmp_path, base)
    opened = open_classification(tmp_path, base)
    assert read_config(tmp_path) == network.config
    torch.testing.assert_close(logits_of(opened, IDS), logits_of(network, IDS))
    table = base.encoder.inputs.tokens.weight
    assert torch.equal(opened.encoder.inputs.tokens.weight, table)


def test_of_a_trained_table_only_the_rows_that_changed_are_stored(tmp_path, base):
    network = new_classifier(base, ClassificationConfig(("a", "b"))).eval()
    table = network.encoder.inputs.tokens.weight
    with torch.no_grad():
        table[[7, 50]] += 0.25
    count = save_classifier(network, tmp_path, base)
    stored = load_file(tmp_path / "model.safetensors")
    assert stored["encoder.inputs.tokens.weight.rows"].tolist() == [7, 50]
    assert count == 2 * table.shape[1] + sum(p.numel() for p in network.output.parameters())
    assert {name.split(".")[0] for name in stored if "tokens" not in name} == {"output"}
    opened = open_classification(tmp_path, base).encoder.inputs.tokens.weight
    torch.testing.assert_close(opened, table.detach(), atol=0.02, rtol=0)  # 0.25 / 14 at most
    others = [row for row in range(len(table)) if row not in (7, 50)]
    assert torch.equal(opened[others], base.encoder.inputs.tokens.weight[others])
    for rows in ([7], [7, 50, 51], [7, -1], [7, 10**6]):  # which do not fit the table
        stored["encoder.inputs.tokens.weight.rows"] = torch.tensor(rows, dtype=torch.int32)
        save_file(stored, tmp_path / "model.safetensors")
        with pytest.raises(KlyuchError, match="rows has shape"):
            open_classification(tmp_path, base)


def test_what_is_run_together_does_not_change_the_logits(base):
    network = new_classifier(base, ClassificationConfig(("a", "b"))).eval()
    together = logits_of(network, IDS)
    alone = torch.cat([logits_of(network, [ids]) for ids in IDS])
    torch.testing.assert_close(together, alone)


def test_the_pooled_state_is_the_mean_over_real_tokens_or_cls_through_the_pooler(base):
    ids, real = batch_of(IDS[:2], 0, torch.device("cpu"))
    segments = torch.zeros_like(ids)
    with torch.no_grad():
        states = base.encoder(ids, segments, real).last
        mean = new_classifier(base, ClassificationConfig(("a", "b"))).eval()
        cls = new_classifier(base, ClassificationConfig(("a", "b"), pooling="cls")).eval()
        by_hand = mean.output(torch.stack([states[0].mean(0), states[1, :3].mean(0)]))
        torch.testing.assert_close(mean(ids, real), by_hand)
        pooled = cls.output(torch.tanh(base.encoder.pooler(states[:, 0])))
        torch.testing.assert_close(cls(ids, real), pooled)


def test_the_base_is_left_as_it_was(base):
    before = {name: weight.clone() for name, weight in base.state_dict().items()}
    network = new_classifier(base, ClassificationConfig(("a", "b")))
    freeze(network, table=True)
    with torch.no_grad():
        network.encoder.layers[0].attention.norm.weight.add_(1)
    assert all(torch.equal(before[n], w) for n, w in base.state_dict().items())
    assert all(weight.requires_grad for weight in base.parameters())


def test_a_classifier_finds_its_bert_on_the_shelf(copied):
    classifier = load_classifier("weather")
    assert classifier.labels == ("cold", "warm")
    assert classifier.network.config.names == ("frost", "heat")
    found = predict(
        classifier,
        ["The dog walks snow over the old garden", "", "the dog walks sun over the old garden"],
    )
    assert [one.label for one in found][::2] == ["cold", "warm"]
    assert all(sum(one.probabilities.values()) == pytest.approx(1) for one in found)
    assert predict(classifier, []) == ()


def test_without_its_bert_the_sentence_names_it(copied, tiny_albert):
    shutil.rmtree(copied.parent / "tiny-bert")
    sentence = r"needs the network “tiny-bert” with the sha256 [0-9a-f]{64}"
    with pytest.raises(KlyuchError, match=sentence):
        load_classifier("weather")
    shutil.copytree(tiny_albert, copied.parent / "tiny-bert")  # another of its name
    with pytest.raises(KlyuchError, match=sentence):
        load_classifier("weather")


def test_a_bert_without_tokenizer_is_refused(copied):
    (copied.parent / "tiny-bert" / "tokenizer.json").unlink()
    card = copied.parent / "tiny-bert" / "card.json"
    told = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps({**told, "files": {}}), encoding="utf-8")
    with pytest.raises(KlyuchError, match=r"has no tokenizer: one of tokenizer\.json"):
        load_classifier("weather")


def test_what_is_no_classifier_and_a_changed_file_are_refused(copied):
    with pytest.raises(KlyuchError, match="“tiny-bert” is of kind network, and a classifier"):
        load_classifier("tiny-bert")
    path = copied / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(KlyuchError, match="damaged"):
        load_classifier("weather")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda s: s.pop("output.bias"), "lacks the weight output.bias"),
        (lambda s: s.update(other=torch.ones(2)), "does not have: other"),
        (lambda s: s.update({"output.bias": torch.ones(3)}), "shape"),
        (lambda s: s.update({"output.bias": torch.tensor([1.0, float("nan")])}), "finite|NaN"),
    ],
)
def test_weights_that_do_not_fit_are_refused(copied, tiny_bert, change, match):
    state = load_file(copied / "model.safetensors")
    change(state)
    save_file(state, copied / "model.safetensors")
    (copied / "card.json").unlink()
    with pytest.raises(KlyuchError, match=match):
        open_classification(copied, open_network(tiny_bert))


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"model_type": "bert"}, "bert"),
        ({"labels": ["a"]}, "“a” are not valid labels"),
        ({"labels": ["a", "a"]}, "are not valid labels"),
        ({"labels": "ab"}, "labels"),
        ({"names": ["a"]}, "names “a” do not fit"),
        ({"pooling": "max"}, "pooling=max"),
        ({"longest": 1}, "longest=1"),
        ({"colour": 1}, "colour"),
    ],
)
def test_settings_that_are_not_known_are_refused(copied, settings, match):
    path = copied / "config.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**told, **settings}), encoding="utf-8")
    with pytest.raises(KlyuchError, match=match):
        read_config(copied)

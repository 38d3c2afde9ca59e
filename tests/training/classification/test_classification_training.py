"""Fine-tuning: a planted rule is learned, the best weights are kept, a run goes on and stops early."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from embeddings.errors import KlyuchError
from embeddings.files import sha256
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.networks.huggingface_folder import open_network, read_weights
from embeddings.networks.quantized_weights import dequantize_weights
from embeddings.pretraining.masking import mask_tokens
from embeddings.pretraining.packing import SpecialIds
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.checkpoints import read_progress
from embeddings.training.classification import fine_tuning_run
from embeddings.training.classification.fine_tuning_run import (
    AdaptationConfig,
    AdaptationTask,
    ClassificationTask,
    ClassificationTraining,
    LabelledFiles,
    LabelledIds,
    train_classifier,
)
from embeddings.training.tasks import Limits
from tests.training.small_runs import CPU, SMALL

QUICK = ClassificationTraining(
    learning_rate=3e-3, epochs=2, batch_size=16, evaluations=2, freeze_table=True
)


@pytest.fixture
def tune(tmp_path, tiny_bert, planted_files):
    """Fine-tune the small BERT on the planted rule, with some settings changed."""

    def run(name="m", bert=tiny_bert, random=False, **changes):
        files = LabelledFiles(bert, *planted_files, random=random)
        config = replace(QUICK, **changes)
        return train_classifier(files, tmp_path / name, config, Limits(), machine=CPU)

    return run


def test_a_planted_rule_is_learned_from_200_sentences(planted_classifier):
    found = planted_classifier
    assert found.confusion.accuracy >= 0.95
    assert found.confusion.counts.sum(1).tolist() == [50, 50]
    assert found.confusion.labels == ("cold", "warm")


def test_the_curves_tell_loss_and_validation(planted_classifier):
    lines = read_progress(planted_classifier.folder.parents[1] / "run")
    scored = [line["heldout_accuracy"] for line in lines if "heldout_accuracy" in line]
    best = planted_classifier.confusion.accuracy
    assert max(scored) == pytest.approx(best, abs=0.011)  # weights were rounded to int8
    assert any("loss" in line for line in lines)


def test_patience_ends_a_training_that_gets_no_better(tune):
    found = tune(learning_rate=1e-12, epochs=50, patience=2)
    assert found.finished.complete
    assert found.finished.step == 3 * 7  # a first validation, then two that are no better


def test_the_card_names_bert_labels_and_scores(planted_classifier, tiny_bert, planted_files):
    card = json.loads((planted_classifier.folder / "card.json").read_text(encoding="utf-8"))
    assert card["kind"] == "classifier"
    assert card["bert"] == {
        "name": tiny_bert.name,
        "sha256": sha256(tiny_bert / "model.safetensors"),
    }
    score = card["scores"]["dev.txt"]
    assert score["accuracy"] == planted_classifier.confusion.accuracy
    assert score["confusion"] == planted_classifier.confusion.counts.tolist()
    assert score["total"] == 100
    assert card["corpus"]["labels"] == {"cold": 100, "warm": 100}
    assert card["language"] == "en"


def test_the_folder_holds_what_differs_and_nothing_else(planted_classifier, tiny_bert):
    packed = read_weights(planted_classifier.folder / "model.safetensors")
    base = dict(open_network(tiny_bert).named_parameters())
    stored = dequantize_weights(packed, "", base)
    assert "encoder.inputs.tokens.weight" not in stored  # the frozen table
    assert not any(name.startswith("encoder.pooler") for name in stored)  # not on the way
    kept = [name for name in stored if name.startswith("encoder.")]
    assert all(not torch.equal(stored[name].float(), base[name]) for name in kept)
    assert sum(t.numel() for t in stored.values()) == planted_classifier.stored


def test_frozen_layers_and_what_is_below_are_not_stored(tune):
    found = tune(epochs=1, freeze_layers=1, pooling="cls")
    stored = read_weights(found.folder / "model.safetensors")
    assert not any(name.startswith(("encoder.layers.0", "encoder.inputs")) for name in stored)
    assert {"encoder.layers.1.attention.norm.weight", "encoder.pooler.weight"} <= set(stored)


def test_a_table_that_is_trained_changes_the_rows_that_were_seen(tune, tiny_bert, planted_files):
    found = tune(epochs=1, freeze_table=False)
    rows = read_weights(found.folder / "model.safetensors")["encoder.inputs.tokens.weight.rows"]
    wordpiece = Tokenizer.load(tiny_bert)
    words = planted_files[0].read_text(encoding="utf-8").replace("cold ", "").replace("warm ", "")
    seen = {token for line in words.splitlines() for token in wordpiece.encode(line).ids}
    assert set(rows.tolist()) == seen


def test_random_weights_are_stored_whole(tune, tiny_bert):
    found = tune(random=True, epochs=1, seed=9)
    stored = read_weights(found.folder / "model.safetensors")
    base = open_network(tiny_bert).state_dict()
    table = "encoder.inputs.tokens.weight"
    pooler = 24  # its bias is 0 in both, and no part of the way to the logits
    assert found.stored == found.parameters - pooler
    assert not torch.allclose(stored[table].float(), base[table], atol=1e-3)


def test_the_same_seed_gives_the_same_weights_and_another_others(tune):
    one, again, other = (
        read_weights(
            tune(name, epochs=1, seed=seed, word_dropout=0.2).folder / "model.safetensors"
        )["output.weight"]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def task(tmp_path, config=QUICK):
    ids = tuple(tuple([2, *range(5, 5 + length), 3]) for length in (3, 9, 4, 8, 3, 9))
    labelled = LabelledIds(ids, np.array([0, 1, 0, 1, 0, 1]))
    return ClassificationTask(
        labelled, labelled, config, torch.device("cpu"), 4, tmp_path / "best.safetensors"
    )


def test_each_pass_reads_every_sentence_once_those_of_like_lengths_together(tmp_path):
    found = task(tmp_path, replace(QUICK, batch_size=2))
    assert sorted(row for rows in found.batches for row in rows) == list(range(6))
    lengths = [[len(found.training.ids[row]) for row in rows] for rows in found.batches]
    assert sorted(map(sorted, lengths)) == [[5, 5], [6, 10], [11, 11]]


def test_word_dropout_masks_words_and_leaves_cls_sep_and_padding(tmp_path):
    found = task(tmp_path, replace(QUICK, word_dropout=0.9))
    ids = torch.tensor([[2, *[7] * 60, 3, 0, 0], [2, *[7] * 62, 3]])
    real = ids != 0
    dropped = found._dropped(ids, real, 1)
    assert (dropped[0, 0], dropped[0, 61], dropped[1, 63]) == (2, 3, 3)
    assert dropped[0, 62:].tolist() == [0, 0]
    share = float((dropped == 4).sum()) / 122
    assert 0.8 < share < 0.97


def test_more_frozen_layers_than_there_are_is_refused(tune):
    with pytest.raises(KlyuchError, match="freeze_layers=5"):
        tune(freeze_layers=5)


def test_masked_words_first_teach_the_network_its_sentences(tune, tmp_path):
    """What they changed is stored though it is frozen later."""
    adapted = {"epochs": 1, "adapt_epochs": 6, "adapt_rate": 3e-3, "log_every": 2}
    found = tune(**adapted, freeze_layers=2)
    lines = read_progress(tmp_path / "m.run" / "adaptation")
    curve = [line["mlm_loss"] for line in lines if "mlm_loss" in line]
    assert len(curve) == 12
    assert np.mean(curve[-3:]) < curve[0] - 0.5
    stored = read_weights(found.folder / "model.safetensors")
    assert "encoder.inputs.tokens.weight" not in stored
    layer = "encoder.layers.0.attention"
    changed = {f"{layer}.attention.output.weight", f"{layer}.norm.bias"}
    assert changed | {"encoder.inputs.positions.weight"} <= set(stored)


def test_every_masked_token_is_text_and_stands_where_it_stood(monkeypatch):
    seen = []

    def noted(ids, *arguments, **options):
        seen.append((ids, mask_tokens(ids, *arguments, **options)))
        return seen[-1][1]

    monkeypatch.setattr(fine_tuning_run, "mask_tokens", noted)
    ids = [(2, *range(10, 10 + length), 3) for length in (12, 20, 7)]
    given = AdaptationConfig(batch_size=3, mlm_probability=0.5)
    task = AdaptationTask(ids, given, torch.device("cpu"), SpecialIds(), 60)
    config = BertConfig(**SMALL, vocab_size=60)
    loss, _ = task.loss(new_network(config), 0)
    assert loss.isfinite()
    ((whole, masked),) = seen
    rows = [tuple(row[row > 0].tolist()) for row in whole]  # without padding
    assert sorted(rows) == sorted(ids)
    assert masked.targets.tolist() == whole.flatten()[masked.scored].tolist()
    assert len(masked.targets) == 6 + 10 + 4  # half of each, halves to the even number
    assert (masked.targets >= 10).all()
    changed = (masked.input_ids != whole).flatten().nonzero()[:, 0]
    assert set(changed.tolist()) <= set(masked.scored.tolist())


def test_a_network_without_the_head_of_masked_words_is_refused(tune, tmp_path, tiny_bert):
    import shutil

    from safetensors.torch import load_file, save_file

    bare = shutil.copytree(tiny_bert, tmp_path / "bare")
    (bare / "card.json").unlink()
    state = load_file(bare / "model.safetensors")
    kept = {n: w for n, w in state.items() if not n.startswith("cls.predictions")}
    save_file(kept, bare / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(KlyuchError, match="no MLM head"):
        tune(bert=bare, adapt_epochs=1)

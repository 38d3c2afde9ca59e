"""Fine-tuning: a planted rule is learned, the best weights are kept, a run goes on and stops early."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from embeddings.errors import CheckpointError
from embeddings.files import sha256
from embeddings.networks.huggingface_folder import open_network, read_weights
from embeddings.networks.quantized_weights import dequantize_weights
from embeddings.run_folder import read_progress
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.classification.fine_tuning_run import (
    ClassificationTask,
    ClassificationTraining,
    LabelledFiles,
    LabelledIds,
    train_classifier,
)
from embeddings.training.tasks import Limits
from tests.training.small_runs import CPU

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


def test_a_pooler_on_the_way_to_the_logits_is_trained_and_stored(tune):
    stored = read_weights(tune(epochs=1, pooling="cls").folder / "model.safetensors")
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
        read_weights(tune(name, epochs=1, seed=seed).folder / "model.safetensors")["output.weight"]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def task(tmp_path, config=QUICK):
    ids = tuple(tuple([2, *range(5, 5 + length), 3]) for length in (3, 9, 4, 8, 3, 9))
    labelled = LabelledIds(ids, np.array([0, 1, 0, 1, 0, 1]))
    return ClassificationTask(
        labelled, labelled, config, torch.device("cpu"), tmp_path / "best.safetensors"
    )


def test_each_pass_reads_every_sentence_once_those_of_like_lengths_together(tmp_path):
    found = task(tmp_path, replace(QUICK, batch_size=2))
    assert sorted(row for rows in found.batches for row in rows) == list(range(6))
    lengths = [[len(found.training.ids[row]) for row in rows] for rows in found.batches]
    assert sorted(map(sorted, lengths)) == [[5, 5], [6, 10], [11, 11]]


def test_a_run_of_a_version_with_more_settings_is_resumed_if_they_changed_nothing(tmp_path):
    gone = {"table_rate": 1.0, "freeze_layers": 0, "word_dropout": 0.0}
    adapted = {"adapt_epochs": 0, "adapt_rate": 5e-4}
    TrainingFolder(tmp_path, {"training": {"epochs": 2, **gone, **adapted}})
    TrainingFolder(tmp_path, {"training": {"epochs": 2}})
    other = tmp_path / "other"
    TrainingFolder(other, {"training": {"epochs": 2, "table_rate": 5.0}})
    with pytest.raises(CheckpointError, match=r"training\.table_rate"):
        TrainingFolder(other, {"training": {"epochs": 2}})

"""Fine-tuning: a planted rule is learned, the best weights are kept, a run goes on and stops early."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from embeddings.errors import KlyuchError
from embeddings.files import sha256
from embeddings.networks.huggingface_folder import open_network, read_weights
from embeddings.networks.quantized_weights import dequantize_weights
from embeddings.runtime import Machine
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.checkpoints import read_progress
from embeddings.training.classification.fine_tuning_run import (
    ClassificationTask,
    ClassificationTraining,
    LabelledFiles,
    LabelledIds,
    train_classifier,
)
from embeddings.training.tasks import Limits

QUICK = ClassificationTraining(
    learning_rate=3e-3, epochs=2, batch_size=16, evaluations=2, freeze_table=True
)
CPU = Machine("cpu", "float32")


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


def test_patience_ends_a_training_that_gets_no_better(tmp_path, tiny_bert, planted_files):
    config = replace(QUICK, learning_rate=1e-12, epochs=50, patience=2)
    found = train_classifier(
        LabelledFiles(tiny_bert, *planted_files), tmp_path / "m", config, Limits(), machine=CPU
    )
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


def test_frozen_layers_and_what_is_below_are_not_stored(tmp_path, tiny_bert, planted_files):
    config = replace(QUICK, epochs=1, freeze_layers=1, pooling="cls")
    found = train_classifier(
        LabelledFiles(tiny_bert, *planted_files), tmp_path / "m", config, Limits(), machine=CPU
    )
    stored = read_weights(found.folder / "model.safetensors")
    assert not any(name.startswith(("encoder.layers.0", "encoder.inputs")) for name in stored)
    assert {"encoder.layers.1.attention.norm.weight", "encoder.pooler.weight"} <= set(stored)


def test_a_table_that_is_trained_changes_the_rows_that_were_seen(
    tmp_path, tiny_bert, planted_files
):
    found = train_classifier(
        LabelledFiles(tiny_bert, *planted_files),
        tmp_path / "m",
        replace(QUICK, epochs=1, freeze_table=False),
        Limits(),
        machine=CPU,
    )
    rows = read_weights(found.folder / "model.safetensors")["encoder.inputs.tokens.weight.rows"]
    wordpiece = Tokenizer.load(tiny_bert)
    words = planted_files[0].read_text(encoding="utf-8").replace("cold ", "").replace("warm ", "")
    seen = {token for line in words.splitlines() for token in wordpiece.encode(line).ids}
    assert set(rows.tolist()) == seen


def test_random_weights_are_stored_whole(tmp_path, tiny_bert, planted_files):
    files = LabelledFiles(tiny_bert, *planted_files, random=True)
    found = train_classifier(
        files, tmp_path / "m", replace(QUICK, epochs=1, seed=9), Limits(), machine=CPU
    )
    stored = read_weights(found.folder / "model.safetensors")
    base = open_network(tiny_bert).state_dict()
    table = "encoder.inputs.tokens.weight"
    pooler = 24  # its bias is 0 in both, and no part of the way to the logits
    assert found.stored == found.parameters - pooler
    assert not torch.allclose(stored[table].float(), base[table], atol=1e-3)


def test_the_same_seed_gives_the_same_weights_and_another_others(
    tmp_path, tiny_bert, planted_files
):
    states = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        found = train_classifier(
            LabelledFiles(tiny_bert, *planted_files),
            tmp_path / name,
            replace(QUICK, epochs=1, seed=seed, word_dropout=0.2),
            Limits(),
            machine=CPU,
        )
        states.append(read_weights(found.folder / "model.safetensors")["output.weight"])
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


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


def test_more_frozen_layers_than_there_are_is_refused(tmp_path, tiny_bert, planted_files):
    with pytest.raises(KlyuchError, match="freeze_layers=5"):
        train_classifier(
            LabelledFiles(tiny_bert, *planted_files),
            tmp_path / "m",
            replace(QUICK, freeze_layers=5),
            Limits(),
            machine=CPU,
        )


def test_masked_words_first_teach_the_network_its_sentences(tmp_path, tiny_bert, planted_files):
    config = replace(QUICK, epochs=1, adapt_epochs=6, adapt_rate=3e-3, log_every=2)
    found = train_classifier(
        LabelledFiles(tiny_bert, *planted_files), tmp_path / "m", config, Limits(), machine=CPU
    )
    lines = read_progress(tmp_path / "m.run" / "adaptation")
    curve = [line["mlm_loss"] for line in lines if "mlm_loss" in line]
    assert len(curve) == 12
    assert np.mean(curve[-3:]) < curve[0] - 0.5
    stored = read_weights(found.folder / "model.safetensors")
    assert "encoder.inputs.tokens.weight" not in stored
    assert "encoder.layers.0.attention.attention.output.weight" in stored


def test_weights_that_masked_words_changed_are_stored_though_frozen_later(
    tmp_path, tiny_bert, planted_files
):
    config = replace(QUICK, epochs=1, adapt_epochs=1, freeze_layers=2)
    found = train_classifier(
        LabelledFiles(tiny_bert, *planted_files), tmp_path / "m", config, Limits(), machine=CPU
    )
    stored = read_weights(found.folder / "model.safetensors")
    assert {"encoder.inputs.positions.weight", "encoder.layers.0.attention.norm.bias"} <= set(
        stored
    )


def test_every_masked_token_is_text_and_stands_where_it_stood(tmp_path):
    from embeddings.pretraining.packing import SpecialIds
    from embeddings.training.classification.fine_tuning_run import (
        AdaptationConfig,
        AdaptationTask,
    )

    ids = [(2, *range(10, 10 + length), 3) for length in (12, 20, 7)]
    given = AdaptationConfig(batch_size=3, mlm_probability=0.5)
    task = AdaptationTask(ids, given, torch.device("cpu"), SpecialIds(), 60)
    seen = {}

    class Encoder:
        def __call__(self, masked, _, real, keep):
            seen.update(masked=masked, real=real, keep=keep)
            return type("Output", (), {"last": torch.zeros(len(keep), 4)})

    from embeddings.networks.bert import PretrainingNetwork

    network = PretrainingNetwork.__new__(PretrainingNetwork)
    torch.nn.Module.__init__(network)
    object.__setattr__(network, "encoder", Encoder())

    class Head:
        def loss(self, _, targets):
            seen["targets"] = targets
            zero = torch.zeros(())
            return type("Loss", (), {"loss": zero, "right": zero})

    object.__setattr__(network, "tokens", Head())
    task.loss(network, 0)
    rows = task.batches[0]
    whole = torch.zeros_like(seen["masked"])
    for row, number in enumerate(rows):
        whole[row, : len(ids[number])] = torch.tensor(ids[number])
    assert seen["targets"].tolist() == whole.flatten()[seen["keep"]].tolist()
    assert len(seen["targets"]) == 6 + 10 + 4  # half of each, halves to the even number
    assert (seen["targets"] >= 10).all()
    changed = (seen["masked"] != whole).flatten().nonzero()[:, 0]
    assert set(changed.tolist()) <= set(seen["keep"].tolist())


def test_a_network_without_the_head_of_masked_words_is_refused(tmp_path, tiny_bert, planted_files):
    import shutil

    from safetensors.torch import load_file, save_file

    bare = tmp_path / "bare"
    shutil.copytree(tiny_bert, bare)
    (bare / "card.json").unlink()
    state = load_file(bare / "model.safetensors")
    kept = {n: w for n, w in state.items() if not n.startswith("cls.predictions")}
    save_file(kept, bare / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(KlyuchError, match="no MLM head"):
        train_classifier(
            LabelledFiles(bare, *planted_files),
            tmp_path / "m",
            replace(QUICK, adapt_epochs=1),
            Limits(),
            machine=CPU,
        )

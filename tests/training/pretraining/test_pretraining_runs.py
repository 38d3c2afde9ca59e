"""A pretraining run: killed and resumed, stopped by minutes, split over processes; what it scores and leaves."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from embeddings.errors import CheckpointError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import AlbertConfig, BertConfig, KazanConfig
from embeddings.networks.huggingface_folder import open_network
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus, prepare_corpus
from embeddings.run_folder import read_progress, read_snapshot, taken
from embeddings.text.wordpiece_training import WordPieceConfig, train_wordpiece
from embeddings.training import distributed
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer
from embeddings.training.pretraining.pretraining_task import (
    Pretraining,
    PretrainingConfig,
    batch_sums,
    make_pretraining_batch,
    run_network,
)
from embeddings.training.tasks import Limits, TrainingError
from tests.training.small_runs import (
    SETTINGS,
    SMALL,
    assert_equal_weights,
    killed_run,
    small_run,
    weights,
)


@pytest.mark.parametrize(
    ("config", "changes"),
    [
        (BertConfig(**SMALL, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1), {}),
        (AlbertConfig(**SMALL, embedding_size=8), {}),
        (AlbertConfig(**SMALL, embedding_size=8, share_layers="attention"), {}),
        (KazanConfig(**SMALL), {}),
        (BertConfig(**SMALL), {"optimizer": "muon", "sentence_share": 0.5}),
    ],
    ids=["bert", "albert", "albert-attention", "s1", "muon"],
)
def test_killed_and_resumed_ends_with_the_same_weights(prepared, tmp_path, config, changes):
    whole = small_run(prepared, tmp_path / "whole", config, changes=changes)
    cut = killed_run(prepared, tmp_path / "cut", config, changes)
    again = small_run(prepared, cut, config, changes=changes)
    assert whole.finished.complete
    assert again.finished.complete
    assert_equal_weights(weights(tmp_path / "whole"), weights(cut))
    assert whole.finished.scores == again.finished.scores
    steps = [line["step"] for line in read_progress(cut) if "mlm_loss" in line]
    assert steps == [3, 6, 9, 12]


def test_without_a_sentence_task_masked_tokens_alone_are_learned_and_scored(prepared, tmp_path):
    """Eight steps, which are no multiple of six: the scores are those of the last."""
    done = small_run(prepared, tmp_path, changes={"objective": "none", "steps": 8})
    scores, lines = done.finished.scores, read_progress(tmp_path)
    assert set(scores) == {"heldout_mlm_loss", "heldout_mlm_accuracy"}
    assert not any("sentence" in key for line in lines for key in line)
    losses = [line["mlm_loss"] for line in lines if "mlm_loss" in line]
    assert losses[-1] < losses[0]
    scored = [line for line in lines if "heldout_mlm_loss" in line]
    assert [line["step"] for line in scored] == [6, 8]
    assert scored[-1]["heldout_mlm_loss"] == scores["heldout_mlm_loss"]
    weight = weights(tmp_path)["cls.seq_relationship.weight"].float()
    assert weight.std() == pytest.approx(BertConfig().initializer_range, rel=0.3)  # it stays fresh


def test_minutes_only_stop_and_the_same_command_goes_on(prepared, tmp_path, whole):
    stopped = small_run(prepared, tmp_path, limits=Limits(minutes=1e-9))
    assert not stopped.finished.complete
    for minutes in (1e-3, 1e-3, 0.0):
        last = small_run(prepared, tmp_path, limits=Limits(minutes=minutes))
    assert last.finished.complete
    assert_equal_weights(weights(whole), weights(tmp_path))


def test_a_run_takes_no_other_budget_and_no_other_rate(prepared, tmp_path):
    plateau = {"steps": 30, "warmup": 0.1, "cooldown": 0.2}
    killed_run(prepared, tmp_path, changes=plateau)
    before = (tmp_path / "run.json").read_text()
    for change in ({"steps": 60}, {"warmup": 0.5}, {"learning_rate": 2e-2}):
        with pytest.raises(CheckpointError, match=rf"training\.{next(iter(change))}"):
            small_run(prepared, tmp_path, changes=plateau | change)
        assert (tmp_path / "run.json").read_text() == before


def by_torchrun(prepared, run, *started, module="embeddings.cli", **environment):
    """Pretrain in two processes over gloo, without dropout; ``started`` are further options of torchrun."""
    flags = {**SMALL, **SETTINGS, "device": "cpu", "dtype": "float32", "run": run}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *started]
    command += ["-m", module, "--", "bert", "pretrain", str(prepared), *given]
    command += ["--no-tensorboard", "--checkpoint-minutes=0"]
    settings = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", **environment}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, **settings},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stderr


@pytest.mark.slow
def test_two_processes_match_one_with_the_doubled_batch(prepared, tmp_path):
    """Equal but for the order of float32 sums."""
    by_torchrun(prepared, tmp_path / "two", "--master-port=29611")
    small_run(prepared, tmp_path / "one", changes={"rows": 4})
    folder = "checkpoints/step-00000012/model.safetensors"
    one, two = load_file(tmp_path / "one" / folder), load_file(tmp_path / "two" / folder)
    for name in one:
        torch.testing.assert_close(one[name], two[name], atol=2e-5, rtol=1e-4)
    curves = [read_progress(tmp_path / name) for name in ("one", "two")]
    for line, other in zip(*curves, strict=True):
        for key in line.keys() & {"mlm_loss", "sentence_loss", "tokens", "heldout_mlm_loss"}:
            assert line[key] == pytest.approx(other[key], rel=1e-4)


def batches(notes):
    """Digests of the batches by step, and the first step of each attempt."""
    lines = [line.split() for line in notes.read_text().splitlines()]
    digests, firsts = {}, {}
    for attempt, _, step, digest in lines:
        digests.setdefault(int(step), set()).add(digest)
        firsts.setdefault(int(attempt), int(step))
    return digests, firsts


@pytest.mark.slow  # in .ci/run
def test_two_processes_of_which_each_is_killed_once_end_as_two_that_were_left_alone(
    prepared, tmp_path
):
    """SIGKILL at step 5 and, started anew by torchrun, at step 9: same batches in the same order, same bytes of weights."""
    runs = {"whole": "", "killed": "0:1:5 1:0:9"}
    for name, kills in runs.items():
        options = ("--standalone", "--local-addr=127.0.0.1", "--max-restarts=2")
        said = by_torchrun(
            prepared,
            tmp_path / name,
            *options,
            module="tests.training.pretraining.killed_run",
            KILLS=kills,
            NOTES=str(tmp_path / f"{name}.notes"),
        )
        assert ("exitcode: -9" in said) == bool(kills), said
    whole, killed = (batches(tmp_path / f"{name}.notes") for name in runs)
    assert whole[1] == {0: 0}
    assert sorted(killed[1]) == [0, 1, 2]
    assert 0 < killed[1][1] <= 5 < killed[1][2] <= 9  # from a checkpoint each time, not anew
    assert killed[0] == whole[0]
    assert sorted(whole[0]) == list(range(SETTINGS["steps"]))
    assert all(len(digests) == 1 for digests in killed[0].values())
    assert_equal_weights(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    curves = [read_progress(tmp_path / name) for name in runs]
    for line, other in zip(*curves, strict=True):
        for key in line.keys() & {"step", "tokens", "heldout_mlm_loss", "heldout_mlm_accuracy"}:
            assert line[key] == other[key]


def test_a_process_whose_fellow_is_gone_says_so(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setattr(distributed, "_store_of_attempt", lambda _: None)
    monkeypatch.setattr(distributed.dist, "init_process_group", lambda *_, **__: None)
    with pytest.raises(TrainingError, match="--max-restarts"), distributed.team():
        raise RuntimeError("[gloo/transport/tcp/pair.cc:547] Connection closed by peer")
    with pytest.raises(RuntimeError, match="another fault"), distributed.team():
        raise RuntimeError("another fault")


def test_a_checkpoint_opens_as_a_model(whole, tmp_path):
    run = shutil.copytree(whole, tmp_path / "run")
    last = TrainingFolder(run, json.loads((run / "run.json").read_text())).last
    full, half = open_network(last), open_network(run / "model")
    for one, other in zip(full.parameters(), half.parameters(), strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)
    (run / "model" / "tokenizer.json").write_text("tampered")
    with pytest.raises(CheckpointError, match=r"tokenizer.json is damaged"):
        open_network(run / "model")


def test_one_batch_is_learned_by_heart(prepared):
    """The same masks each time: the loss of both heads falls from log(vocabulary) + log 2 to nearly nothing."""
    corpus = PreparedCorpus.open(prepared)
    config = PretrainingConfig(**{**SETTINGS, "rows": 4})
    task = Pretraining(corpus, config, SpecialIds(), torch.device("cpu"))
    rows = task.stream.take(4)
    noise = torch.rand(3, *rows.ids.shape, generator=torch.Generator().manual_seed(1))
    batch = make_pretraining_batch(rows, noise, 0.15, corpus.vocab_size, SpecialIds())
    size = {"hidden_size": 32, "intermediate_size": 64, "vocab_size": corpus.vocab_size}
    network = new_network(BertConfig(**{**SMALL, **size}))
    optimizer = make_optimizer(network, LoopConfig(learning_rate=1e-2, beta2=0.95))
    losses = []
    for _ in range(80):
        sums = batch_sums(run_network(network, batch), batch)
        loss = sums[0] / sums[4] + sums[2] / sums[6]
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[0] > 4.5
    assert losses[-1] < 0.3


def test_a_film_keeps_the_words_that_the_text_has_most_often(prepared, tmp_path):
    """Whatever their numbers in the vocabulary: one of 32 000 pieces begins with other languages' words."""
    texts = sorted(prepared.parent.glob("*.txt"))
    read = [path.read_text(encoding="utf-8") for path in texts]
    wordpiece = train_wordpiece(read, WordPieceConfig(vocab_size=300, min_frequency=1))
    corpus = prepare_corpus(texts[-1:], wordpiece, tmp_path / "ids")  # the Russian one alone
    names, run = wordpiece.words, tmp_path / "run"
    counts = Counter(names[token] for token in corpus.ids.tolist())
    common = [word for word, _ in counts.most_common() if len(word) > 1 and word.isalpha()][:3]
    first = [word for word in names if len(word) > 1 and word.isalpha()][:3]
    assert {*first} != {*common}  # numbers are another order
    small_run(tmp_path / "ids", run, film=3)
    words, last = read_snapshot(run, taken(run)[-1])
    assert [counts[word] for word in words] == [counts[word] for word in common]
    table = weights(run)["bert.embeddings.word_embeddings.weight"]
    rows = table[[names.index(word) for word in words]].numpy()
    np.testing.assert_allclose(last, rows, atol=1e-3)

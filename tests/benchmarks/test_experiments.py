"""The Lab's experiments on toy text: whole, resumed, with the sizes of Kazan 2019, and with errors that mean something."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import albert, depth, training_arms
from benchmarks.albert_claims import albert_experiment
from benchmarks.albert_costs import published_rows
from benchmarks.depth import TABLES
from benchmarks.training_arms import Difference, loss_difference
from embeddings.analysis.network_costs import operations, parameters
from embeddings.models.bert import new_network
from embeddings.models.bert_config import KazanConfig
from embeddings.training.loop import _Loop
from embeddings.training.pretraining.pretraining_task import RowScores

SIZE = {"rows": 4, "heldout": 0.2, "heldout_rows": 8, "log_every": 2, "evaluate_every": 4}
DEPTH = replace(
    depth.SHORT,
    documents=20,
    vocab_size=150,
    steps=6,
    end_seeds=(2,),
    test_rows=12,
    timed_steps=1,
    training=replace(depth.TRAINING, **SIZE),
)
ALBERT = replace(
    albert.SHORT,
    documents=20,
    vocab_size=150,
    steps=4,
    task_steps=6,
    test_rows=12,
    judged_pairs=20,
    timed_steps=1,
    network=replace(
        albert.NETWORK,
        hidden_size=16,
        intermediate_size=64,
        num_attention_heads=2,
        num_hidden_layers=2,
    ),
    training=replace(albert.TRAINING, **SIZE),
)
TIMED = ("train_seconds", "test_seconds", "wall_seconds", "tokens_per_second")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    generator = np.random.default_rng(1)
    words = [
        "the",
        "key",
        "opens",
        "a",
        "lock",
        "while",
        "water",
        "springs",
        "from",
        "rock",
        "and",
        "time",
        "goes",
        "on",
        "by",
        "day",
    ]
    texts = []
    for _ in range(20):
        topic = generator.choice(words, 8, replace=False)
        lines = [" ".join(generator.choice(topic, 7)).capitalize() + "." for _ in range(24)]
        texts.append("\n".join(" ".join(lines[i : i + 4]) for i in range(0, 24, 4)))
    (folder / "en_wikipedia.1.txt").write_text("\n\n".join(texts), encoding="utf-8")
    return folder


def untimed(result):
    """A result without what the clock says."""
    rows = {
        name: [{k: v for k, v in row.items() if k not in TIMED} for row in table]
        for name, table in result["tables"].items()
        if name != "costs"
    }
    return rows, result["curves"]


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def timed_once(monkeypatch):
    """Costs are timed on four rows and without a warm-up: no claim here is about time."""
    monkeypatch.setattr(training_arms, "ROWS", 4)
    monkeypatch.setattr(training_arms, "WARM_UP", 0)


@pytest.fixture
def killed_once(monkeypatch):
    """The third training dies on its way, once."""
    steps = []
    whole = _Loop.take_step

    def step(self):
        whole(self)
        if self.step == 3:
            steps.append(self)
            self._save()
            if len(steps) == 3:
                raise KilledError

    monkeypatch.setattr(_Loop, "take_step", step)
    return steps


def test_depth_runs_whole_and_resumed_equals_unbroken(corpora, tmp_path, killed_once):
    with pytest.raises(KilledError):
        depth.experiment(corpora, tmp_path / "cut", DEPTH)
    cut = depth.experiment(corpora, tmp_path / "cut", DEPTH)
    ids = tmp_path / "whole" / "ids"  # a vocabulary learned anew may break ties otherwise
    shutil.copytree(tmp_path / "cut" / "ids", ids)
    whole = depth.experiment(corpora, tmp_path / "whole", DEPTH)
    assert untimed(cut) == untimed(whole)
    assert cut["findings"] == whole["findings"]
    depth.depth_experiment(whole)  # drawn without a word of refusal
    assert len(whole["tables"]["runs"]) == 9  # seven networks, two of them twice
    assert [row["seeds"] for row in whole["tables"]["equal_parameters"]] == [2, 1, 1, 2]
    one, other = (row for row in whole["tables"]["runs"] if row["hidden_size"] == 110)
    mean = whole["tables"]["equal_parameters"][0]
    assert mean["mlm_loss"] == pytest.approx((one["mlm_loss"] + other["mlm_loss"]) / 2, abs=1e-4)
    assert whole["curves"]["1x110.seed1.sentence_accuracy"][-1][0] == 6
    for row in whole["tables"]["runs"]:
        assert row["total_loss"] == pytest.approx(row["mlm_loss"] + row["nsp_loss"], abs=2e-4)


def test_albert_runs_whole_and_again_from_what_it_kept(corpora, tmp_path):
    whole = albert.experiment(corpora, tmp_path, ALBERT)
    again = albert.experiment(corpora, tmp_path, ALBERT)
    assert untimed(again) == untimed(whole)
    by = {row["shared"]: row["parameters"] for row in whole["tables"]["sharing"]}
    assert by["all"] < by["feed_forward"] < by["attention"] < by["none"]
    tasks = {row["trained_with"]: row for row in whole["tables"]["objectives"]}
    assert list(tasks) == ["untrained", "none", "nsp", "sop"]
    assert all(row["judged_pairs"] >= 10 for row in tasks.values())
    claims = {claim.name: claim.verdict for claim in albert_experiment(whole).claims}
    assert claims["sharing_saves_parameters"] == "yes"
    assert claims["sharing_saves_activations"] == "no"


@pytest.mark.parametrize(
    ("layers", "hidden_size", "expected"),
    [(2, 102, 1_555_225), (3, 96, 1_562_131), (4, 90, 1_543_825)],
)
def test_parameters_equal_the_published_table(layers, hidden_size, expected):
    assert (layers, hidden_size) in TABLES["equal_parameters"]
    assert parameters(depth.sizes(layers, hidden_size, 6_353)).total == expected
    arm = depth.arm_of("equal_parameters", layers, hidden_size, 1, depth.FULL)
    assert isinstance(arm.network, KazanConfig)
    assert sum(p.numel() for p in new_network(arm.network).parameters()) == expected


def test_equal_operations_spend_the_same_budget():
    table = TABLES["equal_operations"]
    spent = [
        depth.steps_of("equal_operations", *shape, depth.FULL)
        * operations(depth.sizes(*shape, 6_353), 64).total
        for shape in table
    ]
    assert spent == pytest.approx([spent[0]] * 4, rel=1e-3)
    assert len({depth.steps_of("equal_parameters", *s, depth.FULL) for s in table}) == 1


def test_published_sizes_are_those_that_the_paper_rounds():
    found = {row["network"]: row["parameters"] / 1e6 for row in published_rows()[:6]}
    assert found["bert-base"] == pytest.approx(109.08, abs=0.01)
    assert found["albert-base"] == pytest.approx(11.68, abs=0.01)
    assert found["albert-xxlarge"] == pytest.approx(222.6, abs=0.01)


def scores(losses):
    """Chunks of 10 tokens and 2 pairs, with these token losses a chunk."""
    sums = np.zeros((len(losses), 8))
    sums[:, 0] = losses
    sums[:, 4:6], sums[:, 6:] = 10, 2
    return RowScores(sums, np.zeros(0, bool))


def test_a_difference_is_paired_by_chunks():
    """Chunks differ by 10 to 40 nats, the networks by 1 and 3 in turn: the error is that of the second."""
    gap = loss_difference([scores([11, 23, 31, 43])], [scores([10, 20, 30, 40])], (0,))
    assert gap.value == pytest.approx(0.2)  # 8 nats over 40 tokens
    assert gap.standard_error == pytest.approx(np.std([0.1, 0.3, 0.1, 0.3], ddof=1) / 2)
    assert gap.verdict == "yes"
    assert Difference(0.1, 0.06).verdict == "open"
    assert Difference(-0.2, 0.06).verdict == "no"
    seeds = loss_difference(
        [scores([11, 21, 31, 41]), scores([13, 23, 33, 43])], [scores([10, 20, 30, 40])] * 2, (0,)
    )
    assert seeds.standard_error == pytest.approx(0.1)  # 0.1 and 0.3, two seeds

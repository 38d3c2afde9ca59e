"""The loop by itself, on a task of one number: where it stops, what it refuses, what it writes."""

import signal

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from embeddings.errors import InputError
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import BertConfig
from embeddings.run_folder import read_progress
from embeddings.runtime import Machine, choose_runtime, has_bfloat16
from embeddings.training.checkpoints import TrainingFolder
from embeddings.training.loop import Loop
from embeddings.training.loop_config import LoopConfig
from embeddings.training.optimisation import make_optimizer, rate_at
from embeddings.training.tasks import Limits, TrainingError, signals
from tests.training.small_runs import SMALL


class Parabola:
    """Minimise (w - 3)^2; from step ``breaks`` on the loss is not finite."""

    phase = "dig"
    names = ("loss",)
    enough = False

    def __init__(self, config, breaks=10**9):
        self.config, self.breaks = config, breaks
        self.tokens = 0

    def optimizer(self, network):
        return make_optimizer(network, self.config)

    def loss(self, network, step):
        self.tokens += 10
        error = (network(torch.ones(1, 1)) - 3).square().sum()
        if step >= self.breaks:
            error = error * float("inf")
        return error, torch.stack([error.detach(), torch.tensor(1.0)])

    def evaluate(self, network):
        return {"heldout_loss": (network(torch.ones(1, 1)) - 3).square().item()}

    def state(self):
        return {"tokens": self.tokens}

    def restore(self, state):
        self.tokens = state["tokens"]


def one_number():
    network = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(network.weight)
    return network


def go(tmp_path, config, breaks=10**9, **limits):
    network = one_number()
    run = TrainingFolder(tmp_path / "run", {})
    runtime = choose_runtime(Machine("cpu", "float32"))
    return network, Loop(network, Parabola(config, breaks), run, runtime, Limits(**limits)).train()


def test_the_loop_finds_the_minimum_and_reports_it(tmp_path):
    config = LoopConfig(steps=200, learning_rate=0.1, weight_decay=0.0, evaluate_every=100)
    seen = []
    network, finished = go(tmp_path, config, report=seen.append)
    assert network.weight.item() == pytest.approx(3.0, abs=0.01)
    assert finished.complete
    assert finished.scores["heldout_loss"] < 1e-3
    assert [at.done for at in seen] == list(range(20, 201, 20))
    assert {at.phase for at in seen} == {"dig"}
    lines = read_progress(tmp_path / "run")
    assert [line["step"] for line in lines if "heldout_loss" in line] == [100, 200]
    assert lines[0]["loss"] > lines[-2]["loss"]
    assert lines[0]["tokens"] == 200


@pytest.mark.parametrize("breaks", [7, 8, 9])
def test_a_loss_that_is_not_finite_stops_and_keeps_the_last_good_checkpoint(tmp_path, breaks):
    config = LoopConfig(steps=50, learning_rate=0.01, log_every=4)
    with pytest.raises(TrainingError, match=r"not finite at step \d+ \(learning rate 0.00.*lower"):
        go(tmp_path, config, breaks, checkpoint_minutes=0.0)
    kept = sorted((tmp_path / "run" / "checkpoints").iterdir())
    assert kept[-1].name == f"step-{breaks:08d}"
    for checkpoint in kept:
        assert load_file(checkpoint / "model.safetensors")["weight"].isfinite().all()


def test_a_half_written_line_of_the_curves_is_dropped_on_resume(tmp_path):
    config = LoopConfig(steps=40, log_every=10, evaluate_every=0)
    go(tmp_path, config)
    path = tmp_path / "run" / "progress.jsonl"
    path.write_text(path.read_text() + '{"step": 50, "lo')
    assert [line["step"] for line in read_progress(tmp_path / "run")] == [10, 20, 30, 40, 40]
    path.write_text(path.read_text() + '\n{"step": 60}\n')  # one damaged line hides no other
    assert [line["step"] for line in read_progress(tmp_path / "run")] == [10, 20, 30, 40, 40, 60]


@pytest.mark.parametrize(
    ("steps", "warmup", "cooldown", "expected"),
    [
        (10, 0.2, 1.0, [0.5, 1, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8, 0]),
        (10, 0.2, 0.4, [0.5, 1, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25, 0]),  # a plateau
        (10, 0.5, 0.9, [0.2, 0.4, 0.6, 0.8, 1, 1, 0.8, 0.6, 0.4, 0.2, 0]),  # they overlap
    ],
)
def test_the_rate_rises_to_its_top_and_falls_to_zero_in_the_last_steps(
    steps, warmup, cooldown, expected
):
    config = LoopConfig(steps=steps, learning_rate=2.0, warmup=warmup, cooldown=cooldown)
    rates = [rate_at(step, config) for step in range(steps + 1)]
    assert rates == pytest.approx([2 * share for share in expected])


def test_vectors_do_not_decay():
    network = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2))
    groups = make_optimizer(network, LoopConfig(weight_decay=0.3)).param_groups
    assert [(g["weight_decay"], len(g["params"])) for g in groups] == [(0.3, 1), (0.0, 3)]


@pytest.mark.parametrize("name", ["minutes", "checkpoint_minutes"])
@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_minutes_below_zero_are_refused(name, value):
    with pytest.raises(InputError, match=rf"^{name}={value} is out of range: .* at least 0"):
        Limits(**{name: value})


def test_runtime_follows_what_is_asked():
    assert choose_runtime(Machine("cpu", "bfloat16")).dtype is torch.bfloat16
    automatic = choose_runtime(Machine("cpu")).dtype
    assert (automatic is torch.bfloat16) == has_bfloat16(torch.device("cpu"))
    with pytest.raises(InputError, match="device=tpu is not known"):
        Machine("tpu")


# Muon for the matrices of the layers, AdamW for the rest, as one optimiser


CONFIG = LoopConfig(optimizer="muon", learning_rate=0.01, weight_decay=0.1)


def small_network():
    return new_network(BertConfig(**SMALL, vocab_size=50), seed=3)


def test_every_weight_belongs_to_one_of_the_two_and_embeddings_to_adamw():
    network = small_network()
    muon, *rest = make_optimizer(network, CONFIG).param_groups
    turned = {id(p) for p in muon["params"]}
    others = [id(p) for group in rest for p in group["params"]]
    assert sorted([*turned, *others]) == sorted(id(p) for p in network.parameters())
    inputs = network.encoder.inputs
    for table in (inputs.tokens, inputs.positions, inputs.segments):
        assert id(table.weight) not in turned
    assert id(network.sentences.weight) not in turned
    layer = network.encoder.layers[0]
    matrices = [p for p in layer.parameters() if p.dim() == 2]
    assert len(matrices) == 4
    assert {id(p) for p in matrices} <= turned


def test_a_step_of_muon_is_torchs_muon():
    ours, theirs = small_network(), small_network()
    optimizer = make_optimizer(ours, CONFIG)
    turned = {id(p) for p in optimizer.param_groups[0]["params"]}
    pairs = list(zip(ours.parameters(), theirs.parameters(), strict=True))
    matrices = [(one, other) for one, other in pairs if id(one) in turned]
    reference = torch.optim.Muon(
        [other for _, other in matrices],
        lr=CONFIG.learning_rate,
        weight_decay=CONFIG.weight_decay,
        adjust_lr_fn="match_rms_adamw",
    )
    generator = torch.Generator().manual_seed(1)
    for _ in range(3):
        for one, other in pairs:
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        optimizer.step()
        reference.step()
    assert all(torch.equal(one, other) for one, other in matrices)


def test_a_signal_that_the_process_handles_itself_is_left_to_it():
    caught = []
    before = signal.signal(signal.SIGTERM, lambda *_: caught.append("own"))
    try:
        with signals() as stopped:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert caught == ["own"]
    assert stopped == [signal.SIGINT]

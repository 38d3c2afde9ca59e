"""The settings that every training shares: how long, how fast, how often."""

from __future__ import annotations

from embeddings.configuration import CheckedConfig, setting

OPTIMIZERS = ("adamw", "muon")


class LoopConfig(CheckedConfig):
    """How long, how fast, how often: what every training shares."""

    steps: int = setting(
        10_000, "Number of steps; the learning rate falls towards the last.", 1, 10**9
    )
    learning_rate: float = setting(1e-3, "Highest rate, after warm-up.", 1e-12, 1e3)
    warmup: float = setting(0.05, "Learning-rate warm-up, as a share of the steps.", 0.0, 1.0)
    cooldown: float = setting(
        1.0,
        "Share of the steps, the last ones, in which the learning rate falls to zero.",
        0.0,
        1.0,
    )
    weight_decay: float = setting(0.01, "AdamW's weight decay of matrices.", 0.0, 10.0)
    beta2: float = setting(0.98, "AdamW's beta2: the decay of the second moment.", 0.5, 0.999999)
    optimizer: str = setting(
        "adamw",
        "adamw, or muon for the matrices of the layers and adamw for the rest.",
        choices=OPTIMIZERS,
    )
    clip: float = setting(1.0, "Gradient clipping: largest norm; 0: none.", 0.0, 1e9)
    seed: int = setting(1, "Seed of weights, order, pairs and masks.", 0, 2**31 - 1)
    log_every: int = setting(20, "Steps between lines of progress.jsonl.", 1, 10**9)
    evaluate_every: int = setting(500, "Steps between evaluations; 0: only at the end.", 0, 10**9)

    def step_seed(self, step: int) -> int:
        """Return the seed of all that is drawn at a step, the same when a run is resumed."""
        return self.seed * 1_000_003 + step

"""The settings of a pretraining; no torch is needed to read them."""

from __future__ import annotations

from embeddings.configuration import setting
from embeddings.pretraining.sentence_pairs import StreamConfig
from embeddings.training.loop_config import LoopConfig


class PretrainingConfig(StreamConfig, LoopConfig):
    """Settings of a pretraining."""

    rows: int = setting(32, "Batch size, in packed rows, in each process.", 1, 1_000_000)
    mlm_probability: float = setting(0.15, "Share of tokens masked.", 0.01, 0.9)
    mask_repeats: bool = setting(
        False, "Mask a token everywhere in its sequence, so that it cannot be copied."
    )
    heldout: float = setting(0.005, "Share of documents held out for evaluation.", 0.0, 0.5)
    heldout_rows: int = setting(256, "Rows scored at an evaluation.", 1, 10**9)
    warm_scale: float = setting(0.04, "Standard deviation of the warm-start vectors.", 1e-6, 100.0)
    freeze_steps: int = setting(
        0, "Steps during which the token embedding matrix is frozen.", 0, 10**9
    )

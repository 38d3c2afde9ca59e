"""The settings of a pretraining; no torch is needed to read them."""

from __future__ import annotations

from embeddings.configuration import check_range, setting
from embeddings.pretraining.sentence_pairs import OBJECTIVES
from embeddings.training.loop_config import LoopConfig


class PretrainingConfig(LoopConfig):
    """Settings of a pretraining."""

    rows: int = setting(32, "Batch size, in packed rows, in each process.", 1, 1_000_000)
    row_length: int = setting(256, "Tokens of a row; several pairs share it.", 8, 32_767)
    max_tokens: int = setting(128, "Longest pair, in tokens.", 8, 65_536)
    objective: str = setting(
        "", "nsp, sop or none; empty: nsp for BERT, sop for ALBERT.", choices=("", *OBJECTIVES)
    )
    sentence_share: float = setting(
        0.0, "Share of the tokens read one sentence per sequence.", 0.0, 1.0
    )
    pair_share: float = setting(
        0.0, "Share of the tokens read two sentences per sequence.", 0.0, 1.0
    )
    source_exponent: float = setting(
        1.0, "Files are read in proportion to their size to this power; 0: all alike.", 0.0, 1.0
    )
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

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("row_length", self.row_length, self.max_tokens, 32_767)
        check_range("pair_share", self.pair_share, 0.0, 1.0 - self.sentence_share)

"""Warm start: a BERT begun from random weights, from skip-gram vectors in its token table, and as CBOW."""

from __future__ import annotations

from embeddings.lab.result_files import Curve, Told, frame_of, read_curve, read_told
from embeddings.results.experiment import (
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)

COMMAND = "klyuch bert pretrain prepared --run RUN --warm-start vectors"
STORY = ("scratch_32_rows", "table_32_rows", "table", "table_head", "half_handing_on", "cbow")


def warm_start() -> Experiment:
    """Return the ten starts, their curves, whether the vectors helped, and other settings."""
    told = read_told("warm_start", COMMAND)
    arms = {arm["name"].text(): arm for arm in told["arms"].each()}
    curves = {name: read_curve(arm["curve"], "tokens", "mlm_loss") for name, arm in arms.items()}
    common = min(curve.end for curve in curves.values())
    rows = tuple(
        (
            f"start_{name}",
            arms[name]["learning_rate"].number(),
            arms[name]["rows"].number(),
            curve.at(common),
            curve.end,
            curve.y[-1],
        )
        for name, curve in curves.items()
    )
    columns = (
        Column("start", "term"),
        Column("learning_rate", digits=4),
        Column("rows_a_step"),
        Column("loss_common", digits=2),
        Column("tokens"),
        Column("loss_end", digits=2),
    )
    series = tuple(
        Series(f"start_{name}", curve.millions, curve.y, main=name in STORY)
        for name, curve in curves.items()
    )
    frame = frame_of(told)
    return Experiment(
        "warm_start",
        (Table("starts", columns, rows), *_settings(told)),
        (Drawing("starts", "lines", "tokens", "loss", series),),
        (
            _faster("warm_table", arms, curves, "scratch_32_rows", "table_32_rows"),
            _faster("warm_cbow", arms, curves, "table", "cbow"),
        ),
        tuple(command.text() for command in told["commands"].each()),
        **frame,  # type: ignore[arg-type]
    )


def _settings(told: Told) -> tuple[Table, ...]:
    """What other settings of the warm start bring, scored on the same masks; nothing where they were not run."""
    found = told.get("settings")
    if found is None:
        return ()
    columns = (
        Column("warm_setting", "term"),
        Column("tokens"),
        Column("loss", digits=2),
        Column("mlm_accuracy", digits=1),
    )
    rows = tuple(
        (
            f"warm_{arm['name'].text()}",
            arm["tokens"].number(),
            arm["heldout_mlm_loss"].number(),
            100 * arm["heldout_mlm_accuracy"].number(),
        )
        for arm in found.each()
    )
    return (Table("warm_settings", columns, rows),)


def _faster(
    claim: str, arms: dict[str, Told], curves: dict[str, Curve], slow: str, fast: str
) -> Verdict:
    """Hold two starts against each other where both have seen as many tokens.

    ``share`` is the percentage of the slow start's tokens after which the fast one has its last loss.
    """
    if slow not in curves or fast not in curves:
        return Verdict(claim, "open")
    common = min(curves[slow].end, curves[fast].end)
    before, after = curves[slow].at(common), curves[fast].at(common)
    reached = curves[fast].falls_to(curves[slow].y[-1])
    share = None if reached is None else 100 * reached / curves[slow].end
    fields = (
        ("tokens", Measured(common / 1e6, 2)),
        ("slow", Measured(before, 2)),
        ("fast", Measured(after, 2)),
        ("share", Measured(share)),
        ("slow_rate", Measured(arms[slow]["learning_rate"].number(), 4)),
        ("fast_rate", Measured(arms[fast]["learning_rate"].number(), 4)),
    )
    return Verdict(claim, "yes" if after < before else "no", fields)

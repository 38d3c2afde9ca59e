"""Fine-tuning on SST-2: a pretrained network against the same from random weights, several seeds each.

Held beside the source: 75.69 % pretrained, 70.18 % from random weights.
"""

from __future__ import annotations

from embeddings.lab.result_files import (
    Told,
    frame_of,
    gap,
    read_findings,
    read_points,
    read_table,
    read_told,
)
from embeddings.results.experiment import Drawing, Experiment, Measured, Series, Verdict

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.sst2 --work WORK"
ARMS = {
    "arm": 0,
    "seeds": 0,
    "mean_accuracy": 2,
    "deviation_accuracy": 2,
    "lowest_accuracy": 2,
    "highest_accuracy": 2,
    "last_mean_accuracy": 2,
    "stored": 0,
    "size_bytes": 1,
    "seconds": 0,
}
RUNS = {
    "arm": 0,
    "seed": 0,
    "best_accuracy": 2,
    "last_accuracy": 2,
    "steps": 0,
    "seconds": 0,
}
CLAIMS = (
    "pretrained_over_random",
    "pretrained_over_random_fast_table",
    "slow_over_fast_table",
    "pretrained_over_random_table_frozen",
    "table_trained_over_frozen",
    "adapted_over_pretrained",
    "all_layers_over_upper_two",
    "mean_over_cls",
)


def sst2() -> Experiment:
    """Return every arm and run, their curves, and what pretraining is worth."""
    told = read_told("sst2", COMMAND)
    terms = {"arm": "arm_"}
    tables = told["tables"]
    findings = read_findings(told)
    gaps = tuple(gap(claim, findings[claim], "share") for claim in CLAIMS if claim in findings)
    curves = tuple(
        read_points(points, f"arm_{name.removesuffix('.seed1')}", 100)
        for name, points in told["curves"].items()
        if name.endswith(".seed1")
    )
    return Experiment(
        "sst2",
        (
            read_table(tables["arms"], "arms", ARMS, terms),
            read_table(tables["runs"], "runs", RUNS, terms),
        ),
        (
            Drawing("arms", "bars", "arm", "accuracy", _bars(told), 50),
            Drawing("curves", "lines", "steps", "accuracy", curves),
        ),
        (*_beats_source(told), *gaps),
        (told.text_at("command") or COMMAND,),
        **frame_of(told),  # type: ignore[arg-type]
    )


def _bars(told: Told) -> tuple[Series, ...]:
    """Mean accuracy of each arm with its deviation, beside the source's two."""
    arms = told["tables"]["arms"].each()
    labels = tuple(f"arm_{arm['arm'].text()}" for arm in arms)
    printed = [told["source"].number_at(f"{arm['arm'].text()}_accuracy") for arm in arms]
    spread = [arm.number_at("deviation_accuracy") or 0.0 for arm in arms]
    here = Series(
        "here",
        labels,
        tuple(100 * arm["mean_accuracy"].number() for arm in arms),
        tuple(100 * value for value in spread) if any(spread) else (),
    )
    there = tuple(None if share is None else 100 * share for share in printed)
    return here, Series("source", labels, there)


def _beats_source(told: Told) -> tuple[Verdict, ...]:
    """Whether all seeds (yes), or their mean (partly), reach the source's best."""
    source = told["source"]["pretrained_accuracy"].number()
    for arm in told["tables"]["arms"].each():
        if arm["arm"].text() == "pretrained":
            mean, lowest = arm["mean_accuracy"].number(), arm["lowest_accuracy"].number()
            outcome = "yes" if lowest >= source else "partly" if mean >= source else "no"
            tokens = told["pretraining"]["english_tokens_seen"].number() / 1e6
            fields = (
                ("mean", Measured(100 * mean, 2)),
                ("lowest", Measured(100 * lowest, 2)),
                ("seeds", Measured(arm["seeds"].number())),
                ("tokens", Measured(tokens, 1)),
            )
            return (Verdict("beats_source", outcome, fields),)
    return ()

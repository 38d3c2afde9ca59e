"""What the small networks say to S4's findings: differences with standard errors."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.albert_source import SHARED
from benchmarks.differences import Difference, loss_difference
from benchmarks.experiments import Row, finding
from embeddings.training.heldout import Scores
from embeddings.training.judging import Judged


def quality_findings(scores: Mapping[str, Scores], tasks: Mapping[str, Scores]) -> list[Row]:
    """Sharing and widths, by the masked loss on the same rows: differences in nats."""

    def more(one: str, other: str) -> Difference:
        return loss_difference([scores[one]], [scores[other]], (0,))

    names = {share: f"{share}-e128-sop" for share in SHARED}
    asked = {
        "sharing_all_costs_quality": more(names["all"], names["none"]),
        "sharing_attention_costs_quality": more(names["attention"], names["none"]),
        "sharing_feed_forward_costs_quality": more(names["feed_forward"], names["none"]),
        "feed_forward_costs_more_than_attention": more(names["feed_forward"], names["attention"]),
        "width_128_better_than_64": more("all-e64-sop", "all-e128-sop"),
        "width_256_better_than_128": more("all-e128-sop", "all-e256-sop"),
        "sentence_task_nsp_costs_mlm": loss_difference([tasks["nsp"]], [tasks["none"]], (0,)),
        "sentence_task_sop_costs_mlm": loss_difference([tasks["sop"]], [tasks["none"]], (0,)),
    }
    return [finding(name, None, gap.row(), gap.holds()) for name, gap in asked.items()]


def objective_findings(rows: list[Row]) -> list[Row]:
    """Table 8.4: NSP teaches no order, order teaches some NSP."""
    by = {row["trained_with"]: row for row in rows}

    def share(trained: str, judged: str) -> Judged:
        row = by[trained]
        return Judged(
            row[f"{judged}_accuracy"], row[f"{judged}_standard_error"], row["judged_pairs"]
        )

    def gap(one: Judged, other: Judged) -> Difference:
        error = (one.standard_error**2 + other.standard_error**2) ** 0.5
        return Difference(one.accuracy - other.accuracy, error)

    chance = Judged(0.5, 0.0, 0)
    asked = {
        "nsp_learns_nsp": (0.405, gap(share("nsp", "nsp"), chance)),
        "sop_learns_sop": (0.365, gap(share("sop", "sop"), chance)),
        "nsp_learns_no_order": (0.345, gap(share("sop", "sop"), share("nsp", "sop"))),
        "sop_learns_nsp": (0.289, gap(share("sop", "nsp"), chance)),
        "sop_learns_more_nsp_than_none": (None, gap(share("sop", "nsp"), share("none", "nsp"))),
        "nsp_easier_than_sop": (0.04, gap(share("nsp", "nsp"), share("sop", "sop"))),
    }
    return [finding(name, told, own.row(), own.holds()) for name, (told, own) in asked.items()]

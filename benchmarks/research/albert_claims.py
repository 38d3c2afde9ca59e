"""What the small networks say to the findings of Lan et al. 2020: differences with standard errors, tables, drawings and claims."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.research.albert_costs import SHARED
from benchmarks.research.training_arms import Difference, Row, finding, loss_difference
from benchmarks.result_files import Measurements, about, gap, series_of, table_of
from benchmarks.verdict_rules import below, make_claim, quartiles_apart, rising
from embeddings.lab.experiment import Cell, Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.training.pretraining.pretraining_task import RowScores
from benchmarks.research.sentence_judging import Judged

QUESTION = "What does ALBERT save, and what does it lose?"
LAN = "Lan et al. 2020"
TERMS = {"shared": "share_", "trained_with": "task_", "network": ""}
FEWEST_FIRST = ("all", "feed_forward", "attention", "none")  # by parameters
QUALITY = {
    "shared": 0,
    "embedding_size": 0,
    "parameters": 0,
    "mlm_loss": 3,
    "mlm_accuracy": 1,
    "own_task_accuracy": 1,
    "steps": 0,
    "train_seconds": 0,
    "wall_seconds": 0,
}
COLUMNS: dict[str, dict[str, int]] = {
    "costs": {
        "shared": 0,
        "embedding_size": 0,
        "parameters": 0,
        "operations": 0,
        "weight_bytes": 1,
        "training_weight_bytes": 1,
        "activation_bytes": 1,
        "forward_tokens_per_second": 0,
        "training_tokens_per_second": 0,
    },
    "sharing": QUALITY,
    "embedding_size": QUALITY,
    "objectives": {
        "trained_with": 0,
        "mlm_loss": 3,
        "mlm_accuracy": 1,
        "nsp_accuracy": 1,
        "nsp_standard_error": 1,
        "sop_accuracy": 1,
        "sop_standard_error": 1,
    },
    "published_sizes": {
        "network": 0,
        "shared": 0,
        "embedding_size": 0,
        "parameters": 0,
        "operations_against_bert_large": 2,
    },
}
GAPS = {  # unit of the difference, and where its source has it
    "sharing_all_costs_quality": ("loss", f"{LAN}, table 4"),
    "sharing_attention_costs_quality": ("loss", f"{LAN}, table 4"),
    "sharing_feed_forward_costs_quality": ("loss", f"{LAN}, table 4"),
    "feed_forward_costs_more_than_attention": ("loss", f"{LAN}, table 4"),
    "width_128_better_than_64": ("loss", f"{LAN}, table 3"),
    "width_256_better_than_128": ("loss", f"{LAN}, table 3"),
    "sentence_task_nsp_costs_mlm": ("loss", f"{LAN}, table 5"),
    "sentence_task_sop_costs_mlm": ("loss", f"{LAN}, table 5"),
    "nsp_learns_nsp": ("share", f"{LAN}, table 5"),
    "sop_learns_sop": ("share", f"{LAN}, table 5"),
    "nsp_learns_no_order": ("share", f"{LAN}, table 5"),
    "sop_learns_nsp": ("share", f"{LAN}, table 5"),
    "sop_learns_more_nsp_than_none": ("share", f"{LAN}, table 5"),
    "nsp_easier_than_sop": ("share", f"{LAN}, table 5"),
}


def quality_findings(scores: Mapping[str, RowScores], tasks: Mapping[str, RowScores]) -> list[Row]:
    """Sharing and widths, by the masked loss on the same rows: differences in nats."""

    def more(first: str, second: str) -> Difference:
        return loss_difference([scores[first]], [scores[second]], (0,))

    names = {share: f"{share}-e128-sop" for share in SHARED}
    differences = {
        "sharing_all_costs_quality": more(names["all"], names["none"]),
        "sharing_attention_costs_quality": more(names["attention"], names["none"]),
        "sharing_feed_forward_costs_quality": more(names["feed_forward"], names["none"]),
        "feed_forward_costs_more_than_attention": more(names["feed_forward"], names["attention"]),
        "width_128_better_than_64": more("all-e64-sop", "all-e128-sop"),
        "width_256_better_than_128": more("all-e128-sop", "all-e256-sop"),
        "sentence_task_nsp_costs_mlm": loss_difference([tasks["nsp"]], [tasks["none"]], (0,)),
        "sentence_task_sop_costs_mlm": loss_difference([tasks["sop"]], [tasks["none"]], (0,)),
    }
    return [finding(name, None, difference) for name, difference in differences.items()]


def objective_findings(rows: list[Row]) -> list[Row]:
    """Table 8.4: NSP teaches no order, order teaches some NSP."""
    by = {row["trained_with"]: row for row in rows}

    def share(trained: str, judged: str) -> Judged:
        row = by[trained]
        return Judged(
            row[f"{judged}_accuracy"], row[f"{judged}_standard_error"], row["judged_pairs"]
        )

    def apart(first: Judged, second: Judged) -> Difference:
        error = (first.standard_error**2 + second.standard_error**2) ** 0.5
        return Difference(first.accuracy - second.accuracy, error)

    chance = Judged(0.5, 0.0, 0)
    differences = {
        "nsp_learns_nsp": (0.405, apart(share("nsp", "nsp"), chance)),
        "sop_learns_sop": (0.365, apart(share("sop", "sop"), chance)),
        "nsp_learns_no_order": (0.345, apart(share("sop", "sop"), share("nsp", "sop"))),
        "sop_learns_nsp": (0.289, apart(share("sop", "nsp"), chance)),
        "sop_learns_more_nsp_than_none": (None, apart(share("sop", "nsp"), share("none", "nsp"))),
        "nsp_easier_than_sop": (0.04, apart(share("nsp", "nsp"), share("sop", "sop"))),
    }
    return [
        finding(name, published, difference)
        for name, (published, difference) in differences.items()
    ]


def albert_experiment(measured: Measurements) -> Experiment:
    """Return costs, quality by sharing, width and objective, and which of the findings hold at this size."""
    tables = {
        name: table_of(name, measured["tables"][name], columns, TERMS)
        for name, columns in COLUMNS.items()
    }
    tables["objectives"] = _with_published_objectives(measured, tables["objectives"])
    tables["published_sizes"] = _with_published_sizes(measured, tables["published_sizes"])
    by_name = {row["id"]: row for row in measured["findings"]}
    gaps = (
        gap(name, by_name.get(name), *kind_and_source) for name, kind_and_source in GAPS.items()
    )
    curves = tuple(
        series_of(_curve_name(name), points)
        for name, points in measured["curves"].items()
        if name.endswith(".mlm_loss")
    )
    return Experiment(
        "albert",
        QUESTION,
        (*cost_claims(measured["tables"]["costs"], measured["source"]), *gaps),
        tuple(tables.values()),
        (
            _parameter_bars(measured["tables"]["costs"]),
            Drawing("mlm_loss", "lines", "steps", "loss", curves),
            _objective_bars(measured["tables"]["objectives"]),
        ),
        **about(measured, "albert"),
    )


def _curve_name(curve: str) -> str:
    """What is shared, the width, and the sentence task, from a name as ``all-e128-sop.mlm_loss``."""
    parts = curve.removesuffix(".mlm_loss").split("-")
    label = f"share_{parts[0]}|{parts[1].replace('e', 'E ')}|task_{parts[2]}"
    return f"{label}|longer" if parts[3:] else label  # steps, of the longer runs for the tasks


def _parameter_bars(costs: list[Row]) -> Drawing:
    """Millions of parameters by what is shared, a series a width."""
    by: dict[int, dict[Cell, float | None]] = {}
    for row in costs:
        width = by.setdefault(row["embedding_size"], {})
        width[f"share_{row['shared']}"] = row["parameters"] / 1e6
    series = tuple(
        Series(f"E {width}", tuple(counts), tuple(counts.values())) for width, counts in by.items()
    )
    return Drawing("parameters", "bars", "shared", "parameters", series)


def _objective_bars(rows: list[Row]) -> Drawing:
    """How well each network solves both sentence tasks, the one that it was not trained on too."""
    series = tuple(
        Series(
            f"task_{task}",
            tuple(f"task_{row['trained_with']}" for row in rows),
            tuple(100 * row[f"{task}_accuracy"] for row in rows),
            tuple(100 * row[f"{task}_standard_error"] for row in rows),
        )
        for task in ("nsp", "sop")
    )
    return Drawing("objectives", "bars", "trained_with", "accuracy", series, 50)


def _with_published_objectives(measured: Measurements, table: Table) -> Table:
    """The table of objectives with what was published."""
    published = {f"task_{row['trained_with']}": row for row in measured["source"]["objectives"]}
    keys = ("nsp_accuracy", "sop_accuracy")
    columns = (*table.columns, *(Column(f"source_{key}", digits=1) for key in keys))
    rows = tuple(
        (
            *row,
            *(
                100 * source_row[key] if (source_row := published.get(str(row[0]))) else None
                for key in keys
            ),
        )
        for row in table.rows
    )
    return Table(table.name, columns, rows)


def _with_published_sizes(measured: Measurements, table: Table) -> Table:
    """The published sizes with their millions of parameters and their throughput against BERT large."""
    source = measured["source"]
    sharing = {
        (row["embedding_size"], f"share_{row['shared']}"): row["parameters_millions"]
        for row in source["sharing"]
    }
    names = [column.name for column in table.columns]
    listed: set[Cell] = set()
    rows = []
    for row in table.rows:
        cell = dict(zip(names, row, strict=True))
        name, key = cell["network"], (cell["embedding_size"], cell["shared"])
        if name in listed:  # later rows of a name are those of the table of sharing
            rows.append((*row, sharing.get(key), None))
        else:
            millions, rates = source["parameters_millions"], source["throughput_against_bert_large"]
            rows.append((*row, millions.get(name), rates.get(name)))
        listed.add(name)
    columns = (*table.columns, Column("source_millions"), Column("source_throughput", digits=1))
    return Table(table.name, columns, tuple(rows))


def cost_claims(rows: list[Row], source: Measurements) -> tuple[Claim, ...]:
    """What sharing saves at a token table of 128 columns: parameters, time, memory for activations."""
    by = {row["shared"]: row for row in rows if row["embedding_size"] == 128}
    counts = [by[share]["parameters"] for share in FEWEST_FIRST]
    everything, nothing = by["all"], by["none"]
    fewer = counts[-1] / counts[0]
    faster = everything["training_tokens_per_second"] / nothing["training_tokens_per_second"]
    memory = everything["activation_bytes"] / nothing["activation_bytes"]
    millions = {
        row["shared"]: row["parameters_millions"]
        for row in source.get("sharing", ())
        if row["embedding_size"] == 128
    }
    rates = source.get("throughput_against_bert_large", {})
    return (
        make_claim(
            "sharing_saves_parameters",
            rising,
            {"values": counts},
            {"ratio": Measured(fewer, 1)},
            source=f"{LAN}, table 4",
            published=millions["none"] / millions["all"] if millions else None,
            ours=fewer,
        ),
        make_claim(
            "albert_trains_faster",
            quartiles_apart,
            {"first": everything["training_quartiles"], "second": nothing["training_quartiles"]},
            {"ratio": Measured(faster, 2)},
            source=f"{LAN}, table 2",
            published=rates["albert-base"] / rates["bert-base"] if rates else None,
            ours=faster,
        ),
        make_claim(
            "sharing_saves_activations",
            below,
            {"value": memory, "bound": 0.99},
            {"ratio": Measured(memory, 2)},
            ours=memory,
        ),
    )

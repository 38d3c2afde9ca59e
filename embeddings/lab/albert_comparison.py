"""BERT against ALBERT: what sharing and a narrow token table save and cost, and what each sentence task teaches.

Held beside the source's tables 6.1, 8.3 and 8.4, and Lan et al. (2020), tables 3 to 5.
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
from embeddings.results.experiment import (
    Cell,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
    Verdict,
)

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.albert --work WORK"
TERMS = {"shared": "share_", "trained_with": "task_", "network": ""}
SHARED = ("all", "feed_forward", "attention", "none")
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
TABLES: dict[str, dict[str, int]] = {
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
GAPS = {
    "loss": (
        "sharing_all_costs_quality",
        "sharing_attention_costs_quality",
        "sharing_feed_forward_costs_quality",
        "feed_forward_costs_more_than_attention",
        "width_128_better_than_64",
        "width_256_better_than_128",
        "sentence_task_nsp_costs_mlm",
        "sentence_task_sop_costs_mlm",
    ),
    "share": (
        "nsp_learns_nsp",
        "sop_learns_sop",
        "nsp_learns_no_order",
        "sop_learns_nsp",
        "sop_learns_more_nsp_than_none",
        "nsp_easier_than_sop",
    ),
}


def albert() -> Experiment:
    """Return costs, quality by sharing, width and objective, and which of the source's findings hold at this size."""
    told = read_told("albert", COMMAND)
    tables = {
        name: read_table(told["tables"][name], name, columns, TERMS)
        for name, columns in TABLES.items()
    }
    tables["objectives"] = _beside_objectives(told, tables["objectives"])
    tables["published_sizes"] = _beside_sizes(told, tables["published_sizes"])
    findings = read_findings(told)
    gaps = [
        gap(claim, findings.get(claim), kind) for kind, claims in GAPS.items() for claim in claims
    ]
    curves = tuple(
        read_points(points, _name(name))
        for name, points in told["curves"].items()
        if name.endswith(".mlm_loss")
    )
    return Experiment(
        "albert",
        tuple(tables.values()),
        (
            _parameters(told["tables"]["costs"]),
            Drawing("mlm_loss", "lines", "steps", "loss", curves),
            _objectives(told["tables"]["objectives"]),
        ),
        (*_costs(told["tables"]["costs"]), *gaps),
        (told.text_at("command") or COMMAND,),
        **frame_of(told),  # type: ignore[arg-type]
    )


def _name(curve: str) -> str:
    """What is shared, the width, and the sentence task, from a name as ``all-e128-sop.mlm_loss``."""
    parts = curve.removesuffix(".mlm_loss").split("-")
    if len(parts) not in (3, 4):  # the fourth: steps, of the longer runs for the sentence tasks
        return curve
    label = f"share_{parts[0]}|{parts[1].replace('e', 'E ')}|task_{parts[2]}"
    return f"{label}|longer" if parts[3:] else label


def _parameters(costs: Told) -> Drawing:
    """Millions of parameters by what is shared, a series a width."""
    by: dict[float, dict[str, float]] = {}
    for row in costs.each():
        width = by.setdefault(row["embedding_size"].number(), {})
        width[f"share_{row['shared'].text()}"] = row["parameters"].number() / 1e6
    series = tuple(
        Series(f"E {width:.0f}", tuple(found), tuple(found.values())) for width, found in by.items()
    )
    return Drawing("parameters", "bars", "shared", "parameters", series)


def _objectives(rows: Told) -> Drawing:
    """How well each network tells what it may not have been trained on."""
    each = rows.each()
    series = tuple(
        Series(
            f"task_{task}",
            tuple(f"task_{row['trained_with'].text()}" for row in each),
            tuple(100 * row[f"{task}_accuracy"].number() for row in each),
            tuple(100 * row[f"{task}_standard_error"].number() for row in each),
        )
        for task in ("nsp", "sop")
    )
    return Drawing("objectives", "bars", "trained_with", "accuracy", series, 50)


def _beside_objectives(told: Told, own: Table) -> Table:
    """The table of objectives with what the source printed."""
    printed = {f"task_{r['trained_with'].text()}": r for r in told["source"]["objectives"].each()}
    keys = ("nsp_accuracy", "sop_accuracy")
    columns = (*own.columns, *(Column(f"source_{key}", digits=1) for key in keys))
    return Table(
        own.name, columns, tuple((*row, *_shares(printed, row[0], keys)) for row in own.rows)
    )


def _shares(printed: dict[str, Told], name: Cell, keys: tuple[str, ...]) -> tuple[Cell, ...]:
    """Shares that the source printed, in percent."""
    found = printed.get(str(name))
    return tuple(100 * found[key].number() if found else None for key in keys)


def _beside_sizes(told: Told, own: Table) -> Table:
    """The published sizes with the source's millions of parameters and its throughput against BERT large."""
    printed = told["source"]
    millions = dict(printed["parameters_millions"].items())
    rates = dict(printed["throughput_against_bert_large"].items())
    sharing = {
        (row["embedding_size"].number(), f"share_{row['shared'].text()}"): row[
            "parameters_millions"
        ]
        for row in printed["sharing"].each()
    }
    names = [column.name for column in own.columns]
    seen: set[Cell] = set()
    rows = []
    for row in own.rows:
        cell = dict(zip(names, row, strict=True))
        first = cell["network"] not in seen  # later rows of a name are those of table 8.3
        seen.add(cell["network"])
        key = (cell["embedding_size"], cell["shared"])
        there = millions.get(str(cell["network"])) if first else sharing.get(key)  # type: ignore[arg-type]
        rate = rates.get(str(cell["network"])) if first else None
        rows.append((*row, *(None if one is None else one.number() for one in (there, rate))))
    columns = (
        *own.columns,
        Column("source_millions"),
        Column("source_throughput", digits=1),
    )
    return Table(own.name, columns, tuple(rows))


def _costs(rows: Told) -> tuple[Verdict, ...]:
    """What sharing saves: parameters, time, memory for activations; of the table of 128 columns."""
    by = {row["shared"].text(): row for row in rows.each() if row["embedding_size"].number() == 128}
    if not set(SHARED) <= set(by):
        raise rows.damaged()
    counts = [by[share]["parameters"].positive() for share in SHARED]
    everything, nothing = by["all"], by["none"]
    rates = [row["training_tokens_per_second"].positive() for row in (everything, nothing)]
    quartiles = [
        [q.number() for q in r["training_quartiles"].each()] for r in (everything, nothing)
    ]
    faster = "yes" if quartiles[0][0] > quartiles[1][1] else "open"
    faster = "no" if quartiles[0][1] < quartiles[1][0] else faster
    kept = everything["activation_bytes"].positive() / nothing["activation_bytes"].positive()
    ordered = counts == sorted(counts) and len(set(counts)) == len(counts)
    return (
        Verdict(
            "sharing_saves_parameters",
            "yes" if ordered else "no",
            (("ratio", Measured(counts[-1] / counts[0], 1)),),
        ),
        Verdict("albert_trains_faster", faster, (("ratio", Measured(rates[0] / rates[1], 2)),)),
        Verdict(
            "sharing_saves_activations",
            "yes" if kept < 0.99 else "no",
            (("ratio", Measured(kept, 2)),),
        ),
    )

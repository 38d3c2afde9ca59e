"""Depth at equal parameters and at equal operations: tables 2 and 3 of Kazan 2019, trained again.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.depth --work FOLDER [--short]

Eight configurations of that network (seven, since one stands in both tables) learn masked tokens and
neighbours from the English Wikipedia. At equal parameters all take the same steps; at equal operations the
steps of each are what the budget of the shallowest buys, by the multiplications of one sequence. A
command that was stopped goes on. Writes benchmarks/results/depth.json.

Whether deeper wins: means over seeds, and the deepest against the shallowest of each table.
What was published in those tables: the configurations (layers, hidden size) and what they came to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.research.training_arms import (
    Arm,
    Curve,
    Row,
    Test,
    TrainedArm,
    arguments,
    english,
    finding,
    loss_difference,
    one_batch,
    rates,
    rounded,
    spread,
    train_arm,
    write,
)
from benchmarks.result_files import RESULTS, Measurements, about, series_of, table_of
from embeddings.analysis.network_costs import PRESETS, Sizes, operations, parameters
from embeddings.files import read_json
from benchmarks.verdict_rules import difference, make_claim
from embeddings.networks.bert import new_network
from embeddings.networks.bert_config import KazanConfig
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.lab.experiment import Claim, Column, Drawing, Experiment, Measured, Series, Table
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import RowScores
from benchmarks.research.sentence_judging import standard_error

TABLES = {
    "equal_parameters": ((1, 110), (2, 102), (3, 96), (4, 90)),
    "equal_operations": ((1, 110), (2, 104), (3, 98), (4, 94)),
}
SOURCE = {
    "corpus": "WikiSplit",
    "pairs": 500_000,
    "epochs": 10,
    "equal_parameters": [
        {
            "layers": 1,
            "hidden_size": 110,
            "nsp_accuracy": 0.66,
            "total_loss": 9.22,
            "minutes": 30.7,
        },
        {
            "layers": 2,
            "hidden_size": 102,
            "nsp_accuracy": 0.63,
            "total_loss": 9.25,
            "minutes": None,
        },
        {"layers": 3, "hidden_size": 96, "nsp_accuracy": 0.74, "total_loss": 9.14, "minutes": None},
        {"layers": 4, "hidden_size": 90, "nsp_accuracy": 0.77, "total_loss": 9.09, "minutes": 51.3},
    ],
    "equal_operations": [
        {"layers": 1, "hidden_size": 110, "nsp_accuracy": 0.64, "minutes": 30.0},
        {"layers": 2, "hidden_size": 104, "nsp_accuracy": 0.66, "minutes": 30.0},
        {"layers": 3, "hidden_size": 98, "nsp_accuracy": 0.68, "minutes": 30.0},
        {"layers": 4, "hidden_size": 94, "nsp_accuracy": 0.74, "minutes": 30.0},
    ],
}


def mean_row(rows: list[Row]) -> Row:
    """The mean over seeds; the error of the share falls with their root."""
    mean = dict(rows[0])
    for key, value in rows[0].items():
        if isinstance(value, float):
            mean[key] = sum(row[key] for row in rows) / len(rows)
    del mean["seed"]
    mean["nsp_standard_error"] /= len(rows) ** 0.5
    return rounded({**mean, "seeds": len(rows)})


def findings(table: str, scores: dict[str, RowScores]) -> list[Row]:
    """Whether four layers beat one, in NSP accuracy and in total loss, over the seeds that both have."""
    ends = [of_shape(TABLES[table][index], scores) for index in (0, -1)]
    both = sorted(set(ends[0]) & set(ends[1]))
    shallow, deep = ([scores[end[seed]] for seed in both] for end in ends)
    published = SOURCE[table]
    assert isinstance(published, list)
    first, last = published[0], published[-1]
    accuracy = loss_difference(deep, shallow, (3,))
    loss = loss_difference(shallow, deep, (0, 2))
    gained = round(last["nsp_accuracy"] - first["nsp_accuracy"], 2)
    fell = round(first["total_loss"] - last["total_loss"], 2) if "total_loss" in first else None
    return [
        finding(f"deeper_nsp_{table}", gained, accuracy),
        finding(f"deeper_loss_{table}", fell, loss),
    ]


def of_shape(shape: tuple[int, int], runs: Mapping[str, object]) -> dict[str, str]:
    """Seeds and names of the runs of a configuration."""
    start = f"{shape[0]}x{shape[1]}.seed"
    return {name.removeprefix(start): name for name in runs if name.startswith(start)}


COMMAND = "python -m benchmarks.research.depth --work WORK"
TRAINING = PretrainingConfig(
    rows=16,
    row_length=128,
    max_tokens=64,
    objective="nsp",
    learning_rate=2e-3,
    warmup=0.05,
    heldout=0.03,
    heldout_rows=500,
    log_every=50,
    evaluate_every=250,
)


@dataclass(frozen=True, slots=True)
class DepthPlan:
    """How much is read: the same for every configuration; ``steps`` of the shallowest."""

    documents: int = 3_300
    vocab_size: int = 6_353
    steps: int = 2_500
    seeds: tuple[int, ...] = (1,)
    end_seeds: tuple[int, ...] = (2,)  # of the shallowest and the deepest at equal parameters
    test_rows: int = 4_000
    timed_steps: int = 20
    training: PretrainingConfig = TRAINING


FULL = DepthPlan()
SHORT = DepthPlan(
    documents=300,
    steps=150,
    end_seeds=(),
    test_rows=300,
    timed_steps=5,
    training=replace(TRAINING, heldout=0.05, heldout_rows=100, log_every=25, evaluate_every=50),
)


def sizes(layers: int, hidden_size: int, vocab_size: int) -> Sizes:
    """A configuration of the network of Kazan 2019."""
    return replace(
        PRESETS["kazan-2019"],
        num_hidden_layers=layers,
        hidden_size=hidden_size,
        intermediate_size=4 * hidden_size,
        vocab_size=vocab_size,
    )


def steps_of(table: str, layers: int, hidden_size: int, plan: DepthPlan) -> int:
    """Steps of a configuration: all the same, or what the budget of the shallowest buys."""
    if table == "equal_parameters":
        return plan.steps
    length = plan.training.max_tokens
    first = operations(sizes(*TABLES[table][0], plan.vocab_size), length).total
    per_pair = operations(sizes(layers, hidden_size, plan.vocab_size), length).total
    return round(plan.steps * first / per_pair)


def arm_of(table: str, layers: int, hidden_size: int, seed: int, plan: DepthPlan) -> Arm:
    """One configuration, one seed."""
    size = sizes(layers, hidden_size, plan.vocab_size)
    network = KazanConfig(**asdict(size), initializer_range=0.05)
    steps = steps_of(table, layers, hidden_size, plan)
    training = replace(plan.training, steps=steps, seed=seed)
    return Arm(f"{layers}x{hidden_size}.seed{seed}", network, training)


def row_of(arm: Arm, trained: TrainedArm, scores: RowScores, seconds: float) -> Row:
    """What one run came to."""
    config = arm.network
    size = sizes(config.num_hidden_layers, config.hidden_size, config.vocab_size)
    mlm_loss, mlm_accuracy, nsp_loss, nsp_accuracy = scores.means
    pairs = int(scores.sums[:, 6].sum())
    assert parameters(size).total == trained.parameters, "the formula and the built network differ"
    return rounded(
        {
            "layers": config.num_hidden_layers,
            "hidden_size": config.hidden_size,
            "seed": arm.training.seed,
            "parameters": parameters(size).total,
            "operations": operations(size, arm.training.max_tokens).total,
            "steps": arm.training.steps,
            "tokens": trained.tokens,
            "nsp_accuracy": nsp_accuracy,
            "nsp_standard_error": standard_error(nsp_accuracy, pairs),
            "mlm_accuracy": mlm_accuracy,
            "mlm_loss": mlm_loss,
            "nsp_loss": nsp_loss,
            "total_loss": mlm_loss + nsp_loss,
            "wall_seconds": round(trained.seconds, 1),
            "test_seconds": round(seconds, 2),
        }
    )


def add_seconds(rows: list[Row], ids: Path, plan: DepthPlan) -> None:
    """Add what each training takes at the rate that steps of all configurations, taken in turn, come to.

    ``wall_seconds`` is what the clock said while it ran, whatever else the machine did.
    """
    corpus = PreparedCorpus.open(ids)
    batch, tokens = one_batch(corpus, "nsp")
    shapes = list(dict.fromkeys((row["layers"], row["hidden_size"]) for row in rows))
    networks = [new_network(KazanConfig(**asdict(sizes(*s, plan.vocab_size)))) for s in shapes]
    timed = rates(networks, batch, tokens, plan.timed_steps)
    speed = {shape: spread(rate.training)[1] for shape, rate in zip(shapes, timed, strict=True)}
    for row in rows:
        rate = speed[row["layers"], row["hidden_size"]]
        row["tokens_per_second"] = round(rate)
        row["train_seconds"] = round(row["tokens"] / rate, 1)


def planned_arms(plan: DepthPlan) -> list[Arm]:
    """All runs: every configuration with every seed, then the two ends with more."""
    chosen = [
        (table, shape, seed)
        for seed in plan.seeds
        for table, shapes in TABLES.items()
        for shape in shapes
    ]
    ends = [TABLES["equal_parameters"][index] for index in (0, -1)]
    chosen += [("equal_parameters", shape, seed) for seed in plan.end_seeds for shape in ends]
    by_name = {}
    for table, shape, seed in chosen:  # one layer stands in both tables
        arm = arm_of(table, *shape, seed, plan)
        by_name.setdefault(arm.name, arm)
    return list(by_name.values())


def experiment(corpora: Path, work: Path, plan: DepthPlan) -> dict[str, object]:
    """Train and test all configurations."""
    ids = english(corpora, work, plan.documents, plan.vocab_size)
    plan = replace(plan, vocab_size=PreparedCorpus.open(ids).vocab_size)  # short text has fewer
    test = Test.of(ids, plan.training, "nsp", plan.test_rows)
    rows: dict[str, Row] = {}
    scores: dict[str, RowScores] = {}
    curves: dict[str, Curve] = {}
    for arm in planned_arms(plan):
        trained = train_arm(arm, ids, work)
        scores[arm.name], seconds = test.score(trained.network)
        rows[arm.name] = row_of(arm, trained, scores[arm.name], seconds)
        curves |= trained.curves
        print(rows[arm.name], flush=True)
    add_seconds(list(rows.values()), ids, plan)
    tables: dict[str, list[Row]] = {"runs": list(rows.values())}
    gains = []
    for table, shapes in TABLES.items():
        tables[table] = [
            mean_row([rows[name] for name in of_shape(shape, rows).values()]) for shape in shapes
        ]
        gains += findings(table, scores)
    pairs = int(next(iter(scores.values())).sums[:, 6].sum())
    settings = {**asdict(plan.training), "steps": plan.steps}
    settings |= {"seeds": plan.seeds, "end_seeds": plan.end_seeds}
    read = read_json(ids / "prepared.json")["files"]
    seconds = sum(row["wall_seconds"] + row["test_seconds"] for row in rows.values())
    return {
        "seconds": round(seconds, 1),
        "settings": {**settings, "corpus": read, "test_pairs": pairs},
        "source": SOURCE,
        "tables": tables,
        "curves": curves,
        "findings": gains,
    }


QUESTION = "Is a deep network better than a wide one of the same cost?"
KAZAN = {"equal_parameters": "Kazan 2019, table 2", "equal_operations": "Kazan 2019, table 3"}
COLUMNS = {
    "layers": 0,
    "hidden_size": 0,
    "parameters": 0,
    "operations": 0,
    "steps": 0,
    "nsp_accuracy": 1,
    "nsp_standard_error": 1,
    "total_loss": 2,
    "mlm_loss": 2,
    "train_seconds": 0,
    "wall_seconds": 0,
    "test_seconds": 1,
}
PUBLISHED = {  # column of the source, and what its values are multiplied by
    "nsp_accuracy": (Column("source_accuracy"), 100),
    "total_loss": (Column("source_loss", digits=2), 1),
    "minutes": (Column("source_minutes", digits=1), 1),
}


def depth_experiment(measured: Measurements) -> Experiment:
    """Return both tables, each beside the source's, the curves, and whether deeper wins."""
    tables = tuple(_table(measured, name) for name in TABLES)
    bars = tuple(_bars(measured, name) for name in TABLES)
    curves = tuple(
        Drawing(key, "lines", "steps", axis, _curves(measured, key, times), reference)
        for key, axis, times, reference in (
            ("sentence_accuracy", "sentence_accuracy", 100, 50),
            ("mlm_loss", "loss", 1, None),
        )
    )
    return Experiment(
        "depth",
        QUESTION,
        _claims(measured, tables),
        tables,
        (*bars, *curves),
        **about(measured, "depth"),
    )


def _table(measured: Measurements, name: str) -> Table:
    """The rows measured here, and behind them what the source published for the same sizes."""
    table = table_of(name, measured["tables"][name], COLUMNS)
    published = {(row["layers"], row["hidden_size"]): row for row in measured["source"][name]}
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    for key, (column, times) in PUBLISHED.items():
        values = [published.get((row[0], row[1]), {}).get(key) for row in rows]
        if any(value is not None for value in values):
            columns.append(column)
            for row, value in zip(rows, values, strict=True):
                row.append(None if value is None else times * value)
    return Table(name, tuple(columns), tuple(tuple(row) for row in rows))


def _bars(measured: Measurements, name: str) -> Drawing:
    """NSP accuracy of each shape, with its standard error, beside the source's."""

    def series(label: str, rows: list[Row], spread: tuple[float, ...] = ()) -> Series:
        shapes = tuple(f"{row['layers']} × {row['hidden_size']}" for row in rows)
        return Series(label, shapes, tuple(100 * row["nsp_accuracy"] for row in rows), spread)

    rows = measured["tables"][name]
    errors = tuple(100 * row["nsp_standard_error"] for row in rows)
    both = (series("here", rows, errors), series("source", measured["source"][name]))
    return Drawing(name, "bars", "shape", "sentence_accuracy", both, 50)


def _curves(measured: Measurements, key: str, times: float) -> tuple[Series, ...]:
    """Held-out curves of every shape's first run."""
    lines = []
    for name, points in measured["curves"].items():
        shape, _, score = name.partition(".seed1.")
        if score == key:
            lines.append(series_of(shape.replace("x", " × "), points, times))
    return tuple(lines)


def _claims(measured: Measurements, tables: tuple[Table, ...]) -> tuple[Claim, ...]:
    """Deepest against shallowest, in accuracy and in loss; and which of the four was best."""
    by_name, claims = {row["id"]: row for row in measured["findings"]}, []
    for table in tables:
        names = [column.name for column in table.columns]
        best = max(table.rows, key=lambda row: float(row[names.index("nsp_accuracy")] or 0))
        for kind, times, digits in (("nsp", 100, 1), ("loss", 1, 2)):
            name = f"deeper_{kind}_{table.name}"
            if name not in by_name:
                continue
            ours, published = by_name[name]["ours"], by_name[name]["source"]
            gain, error = times * ours["value"], times * ours["standard_error"]
            degrees = ours.get("degrees")  # of freedom, where the error is that of a few seeds
            fields = {
                "gain": Measured(gain, digits),
                "error": Measured(error, digits),
                "best": Measured(float(best[0] or 0)),
            }
            claims.append(
                make_claim(
                    name,
                    difference,
                    {"gain": gain, "standard_error": error}
                    | ({"degrees": degrees} if degrees else {}),
                    fields,
                    source="" if published is None else KAZAN[table.name],
                    published=None if published is None else times * published,
                    ours=gain,
                )
            )
    return tuple(claims)


def main() -> None:
    """Run the experiment and write its result."""
    options = arguments(__doc__)
    plan = SHORT if options.short else FULL
    results = experiment(
        options.corpora, options.work / ("short" if options.short else "full"), plan
    )
    write(
        options.output or RESULTS / "depth.json", COMMAND, options.short, results, depth_experiment
    )


if __name__ == "__main__":
    main()

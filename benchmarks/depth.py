"""Depth at equal parameters and at equal operations: source S1's tables 2 and 3, trained again.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.depth --work FOLDER [--short]

Eight configurations of S1's network (seven, since one stands in both tables) learn masked tokens and
neighbours from the English Wikipedia. At equal parameters all take the same steps; at equal operations the
steps of each are what the budget of the shallowest buys, by the multiplications of one sequence. A
command that was stopped goes on. Writes benchmarks/results/depth.json.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.depth_findings import findings, mean_row, of_shape
from benchmarks.depth_source import SOURCE, TABLES
from benchmarks.experiments import (
    RESULTS,
    Arm,
    Curve,
    Row,
    Test,
    Trained,
    arguments,
    english,
    rounded,
    spread,
    train_arm,
    write,
)
from benchmarks.timing import one_batch, rates
from embeddings.analysis.costs import PRESETS, Sizes, operations, parameters
from embeddings.files import read_json
from embeddings.models.config import S1Config
from embeddings.models.heads import new_network
from embeddings.pretraining.prepared import PreparedCorpus
from embeddings.training.heldout import Scores
from embeddings.training.judging import standard_error
from embeddings.training.pretraining import PretrainingConfig

COMMAND = "python -m benchmarks.depth --work WORK"
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
class Plan:
    """How much is read: the same for every configuration; ``steps`` of the shallowest."""

    documents: int = 3_300
    vocab_size: int = 6_353
    steps: int = 2_500
    seeds: tuple[int, ...] = (1,)
    end_seeds: tuple[int, ...] = (2,)  # of the shallowest and the deepest at equal parameters
    test_rows: int = 4_000
    timed_steps: int = 20
    training: PretrainingConfig = TRAINING


FULL = Plan()
SHORT = Plan(
    documents=300,
    steps=150,
    end_seeds=(),
    test_rows=300,
    timed_steps=5,
    training=replace(TRAINING, heldout=0.05, heldout_rows=100, log_every=25, evaluate_every=50),
)


def sizes(layers: int, hidden_size: int, vocab_size: int) -> Sizes:
    """A configuration of S1's network."""
    return replace(
        PRESETS["s1"],
        num_hidden_layers=layers,
        hidden_size=hidden_size,
        intermediate_size=4 * hidden_size,
        vocab_size=vocab_size,
    )


def steps_of(table: str, layers: int, hidden_size: int, plan: Plan) -> int:
    """Steps of a configuration: all the same, or what the budget of the shallowest buys."""
    if table == "equal_parameters":
        return plan.steps
    length = plan.training.max_tokens
    first = operations(sizes(*TABLES[table][0], plan.vocab_size), length).total
    own = operations(sizes(layers, hidden_size, plan.vocab_size), length).total
    return round(plan.steps * first / own)


def arm_of(table: str, layers: int, hidden_size: int, seed: int, plan: Plan) -> Arm:
    """One configuration, one seed."""
    size = sizes(layers, hidden_size, plan.vocab_size)
    network = S1Config(**asdict(size), initializer_range=0.05)
    steps = steps_of(table, layers, hidden_size, plan)
    training = replace(plan.training, steps=steps, seed=seed)
    return Arm(f"{layers}x{hidden_size}.seed{seed}", network, training)


def row_of(arm: Arm, trained: Trained, scores: Scores, seconds: float) -> Row:
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


def add_seconds(rows: list[Row], ids: Path, plan: Plan) -> None:
    """Add what each training takes at the rate that steps of all configurations, taken in turn, come to.

    ``wall_seconds`` is what the clock said while it ran, whatever else the machine did.
    """
    corpus = PreparedCorpus.open(ids)
    batch, tokens = one_batch(corpus, "nsp")
    shapes = list(dict.fromkeys((row["layers"], row["hidden_size"]) for row in rows))
    networks = [new_network(S1Config(**asdict(sizes(*s, plan.vocab_size)))) for s in shapes]
    timed = rates(networks, batch, tokens, plan.timed_steps)
    speed = {shape: spread(rate.training)[1] for shape, rate in zip(shapes, timed, strict=True)}
    for row in rows:
        rate = speed[row["layers"], row["hidden_size"]]
        row["tokens_per_second"] = round(rate)
        row["train_seconds"] = round(row["tokens"] / rate, 1)


def asked(plan: Plan) -> list[Arm]:
    """All runs: every configuration with every seed, then the two ends with more."""
    chosen = [
        (table, shape, seed)
        for seed in plan.seeds
        for table, shapes in TABLES.items()
        for shape in shapes
    ]
    ends = [TABLES["equal_parameters"][place] for place in (0, -1)]
    chosen += [("equal_parameters", shape, seed) for seed in plan.end_seeds for shape in ends]
    found = {}
    for table, shape, seed in chosen:  # one layer stands in both tables
        arm = arm_of(table, *shape, seed, plan)
        found.setdefault(arm.name, arm)
    return list(found.values())


def experiment(corpora: Path, work: Path, plan: Plan) -> dict[str, object]:
    """Train and test all configurations."""
    ids = english(corpora, work, plan.documents, plan.vocab_size)
    plan = replace(plan, vocab_size=PreparedCorpus.open(ids).vocab_size)  # short text has fewer
    test = Test.of(ids, plan.training, "nsp", plan.test_rows)
    rows: dict[str, Row] = {}
    scores: dict[str, Scores] = {}
    curves: dict[str, Curve] = {}
    for arm in asked(plan):
        trained = train_arm(arm, ids, work)
        scores[arm.name], seconds = test.score(trained.network)
        rows[arm.name] = row_of(arm, trained, scores[arm.name], seconds)
        curves |= trained.curves
        print(rows[arm.name], flush=True)
    add_seconds(list(rows.values()), ids, plan)
    tables: dict[str, list[Row]] = {"runs": list(rows.values())}
    told = []
    for table, shapes in TABLES.items():
        tables[table] = [
            mean_row([rows[name] for name in of_shape(shape, rows).values()]) for shape in shapes
        ]
        told += findings(table, scores)
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
        "findings": told,
    }


def main() -> None:
    """Run the experiment and write its result."""
    said = arguments(__doc__)
    plan = SHORT if said.short else FULL
    found = experiment(said.corpora, said.work / ("short" if said.short else "full"), plan)
    write(said.output or RESULTS / "depth.json", COMMAND, said.short, found)


if __name__ == "__main__":
    main()

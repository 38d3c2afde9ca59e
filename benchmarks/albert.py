"""BERT against ALBERT: what sharing, a narrow token table and the sentence task bring, at equal compute.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.albert --work FOLDER [--short]

One small network (4 layers, hidden 128) in six forms, all from the same warm start, the same text and the
same number of steps: layers shared in four ways, three widths of the token table; and with three sentence
tasks, for longer. Costs are counted and timed (`benchmarks.albert_costs`). Networks are judged on tasks that
they were not trained on by a linear head on the frozen [CLS] state (`embeddings.training.pretraining.sentence_judging`). A command
that was stopped goes on. Writes benchmarks/results/albert.json.

What the small networks say to the findings of Lan et al. 2020: differences with standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.albert_costs import (
    SHARED,
    SOURCE,
    TASKS,
    WIDTHS,
    cost_rows,
    published_rows,
)
from benchmarks.result_files import RESULTS, Measurements, about, gap, series_of, table_of
from benchmarks.training_arms import (
    Arm,
    Curve,
    Difference,
    Row,
    Test,
    TrainedArm,
    arguments,
    english,
    finding,
    loss_difference,
    rounded,
    train_arm,
    write,
)
from embeddings.files import read_json
from embeddings.lab.verdict_rules import below, make_claim, quartiles_apart, rising
from embeddings.models.bert import PretrainingNetwork, new_network
from embeddings.models.bert_config import AlbertConfig
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.results.experiment import (
    Cell,
    Claim,
    Column,
    Drawing,
    Experiment,
    Measured,
    Series,
    Table,
)
from embeddings.static.word2vec_config import Word2VecConfig
from embeddings.text.wordpiece import WordPiece
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import RowScores
from embeddings.training.pretraining.sentence_judging import Judged, judge, pair_set
from embeddings.training.pretraining.warm_start import start_from_vectors, token_vectors
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors


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


COMMAND = "python -m benchmarks.albert --work WORK"
NETWORK = AlbertConfig(
    hidden_size=128,
    num_hidden_layers=4,
    num_attention_heads=4,
    intermediate_size=512,
    embedding_size=128,
    max_position_embeddings=64,
)
TRAINING = PretrainingConfig(
    rows=16,
    row_length=128,
    max_tokens=64,
    objective="sop",
    learning_rate=1.5e-3,
    warmup=0.05,
    heldout=0.03,
    heldout_rows=300,
    log_every=50,
    evaluate_every=125,
)


@dataclass(frozen=True, slots=True)
class SharingPlan:
    """How much is read: the same for every network of a table, more for the sentence tasks, which need it."""

    documents: int = 3_300
    vocab_size: int = 6_353
    steps: int = 500
    task_steps: int = 1_500
    vector_epochs: int = 2
    test_rows: int = 3_000
    judged_pairs: int = 4_000
    timed_steps: int = 12
    network: AlbertConfig = NETWORK
    training: PretrainingConfig = TRAINING


FULL = SharingPlan()
SHORT = SharingPlan(
    documents=300,
    steps=80,
    task_steps=160,
    vector_epochs=1,
    test_rows=200,
    judged_pairs=800,
    timed_steps=4,
    training=replace(TRAINING, heldout=0.05, heldout_rows=100, log_every=20, evaluate_every=40),
)


def arms(plan: SharingPlan, warm: Path) -> dict[str, Arm]:
    """The nine runs by name: what is shared, columns of the token table, sentence task; then the longer ones by task."""
    chosen = [(share, 128) for share in SHARED]
    chosen += [("all", width) for width in WIDTHS if width != 128]
    by_name = {}
    for share, width in chosen:
        name = f"{share}-e{width}-sop"
        network = replace(plan.network, share_layers=share, embedding_size=width)
        training = replace(plan.training, objective="sop", steps=plan.steps)
        by_name[name] = Arm(name, network, training, warm)
    for task in TASKS:
        name = task_name(task, plan)
        training = replace(plan.training, objective=task, steps=plan.task_steps)
        by_name[name] = Arm(name, plan.network, training, warm)
    return by_name


def task_name(task: str, plan: SharingPlan) -> str:
    """The run of a sentence task."""
    return f"all-e128-{task}-{plan.task_steps}"


def vectors(ids: Path, work: Path, epochs: int) -> Path:
    """Skip-gram over the pieces, for the warm start; a narrower table takes its principal components."""
    folder = work / "vectors"
    if not folder.exists():
        config = Word2VecConfig(vector_size=max(WIDTHS), epochs=epochs)
        learned = token_vectors(PreparedCorpus.open(ids), WordPiece.load(ids).words, config)
        write_native(learned, folder, dtype="float32")
    return folder


def quality_row(arm: Arm, trained: TrainedArm, scores: RowScores) -> Row:
    """What a network came to on masked tokens of unbroken text; its own sentence task by its own curve's end."""
    task_accuracy = trained.curves.get(f"{arm.name}.sentence_accuracy")
    return rounded(
        {
            "shared": arm.network.share_layers,
            "embedding_size": arm.network.embedding_size,
            "sentence_task": arm.training.objective,
            "parameters": trained.parameters,
            "steps": arm.training.steps,
            "tokens": trained.tokens,
            "mlm_loss": scores.means[0],
            "mlm_accuracy": scores.means[1],
            "own_task_accuracy": task_accuracy[-1][1] if task_accuracy else None,
            "wall_seconds": round(trained.seconds, 1),
        }
    )


def objective_row(task: str, network: PretrainingNetwork, sets: Mapping, scores: RowScores) -> Row:
    """A network judged on every task."""
    judged = {name: judge(network, pairs) for name, pairs in sets.items()}
    row = {
        "trained_with": task,
        "mlm_loss": scores.means[0],
        "mlm_accuracy": scores.means[1],
    }
    for name, result in judged.items():
        row[f"{name}_accuracy"] = result.accuracy
        row[f"{name}_standard_error"] = result.standard_error
    row["judged_pairs"] = min(result.pairs for result in judged.values())
    return rounded(row)


def fresh(plan: SharingPlan, ids: Path, warm: Path) -> PretrainingNetwork:
    """The network as all begin: what a judge finds before any training."""
    wordpiece = WordPiece.load(ids)
    config = replace(plan.network, vocab_size=len(wordpiece))
    network = new_network(config, plan.training.seed)
    start_from_vectors(network, Vectors.load(warm), wordpiece.words, plan.training.warm_scale)
    return network.eval()


def experiment(corpora: Path, work: Path, plan: SharingPlan) -> dict[str, object]:
    """Count, time, train and judge."""
    ids = english(corpora, work, plan.documents, plan.vocab_size)
    warm = vectors(ids, work, plan.vector_epochs)
    costs = cost_rows(plan.network, ids, plan.timed_steps)
    test = Test.of(ids, plan.training, "none", plan.test_rows)
    rows: dict[str, Row] = {}
    scores: dict[str, RowScores] = {}
    curves: dict[str, Curve] = {}
    networks = {"untrained": fresh(plan, ids, warm)}
    seconds = 0.0
    for name, arm in arms(plan, warm).items():
        trained = train_arm(arm, ids, work)
        scores[name], tested = test.score(trained.network)
        seconds += trained.seconds + tested
        rows[name] = quality_row(arm, trained, scores[name])
        curves |= trained.curves
        if name == task_name(arm.training.objective, plan):
            networks[arm.training.objective] = trained.network
        print(rows[name], flush=True)
    speed = {
        (row["shared"], row["embedding_size"]): row["training_tokens_per_second"] for row in costs
    }
    for row in rows.values():  # at the rate of steps taken in turn; the clock saw what else ran
        rate = speed[row["shared"], row["embedding_size"]]
        row["train_seconds"] = round(row["tokens"] / rate, 1)
    corpus, size, judged_pairs = PreparedCorpus.open(ids), plan.training, plan.judged_pairs
    sets = {
        task: pair_set(
            corpus, task, heldout=size.heldout, pairs=judged_pairs, max_tokens=size.max_tokens,
            special=SpecialIds(),
        )
        for task in ("nsp", "sop")
    }  # fmt: skip
    tasks = {task: scores[task_name(task, plan)] for task in TASKS}
    tasks["untrained"] = test.score(networks["untrained"])[0]
    objectives = [
        objective_row(task, network, sets, tasks[task]) for task, network in networks.items()
    ]
    return {
        "seconds": round(seconds, 1),
        "settings": {
            **asdict(plan.training),
            "steps": plan.steps,
            "task_steps": plan.task_steps,
            "network": {**asdict(plan.network), "vocab_size": corpus.vocab_size},
            "corpus": read_json(ids / "prepared.json")["files"],
            "judge": "linear head on the frozen [CLS] state",
        },
        "source": SOURCE,
        "tables": {
            "costs": costs,
            "sharing": [rows[f"{share}-e128-sop"] for share in SHARED],
            "embedding_size": [rows[f"all-e{width}-sop"] for width in WIDTHS],
            "objectives": objectives,
            "published_sizes": published_rows(),
        },
        "curves": curves,
        "findings": quality_findings(scores, tasks) + objective_findings(objectives),
    }


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


def main() -> None:
    """Run the experiment and write its result."""
    options = arguments(__doc__)
    plan = SHORT if options.short else FULL
    results = experiment(
        options.corpora, options.work / ("short" if options.short else "full"), plan
    )
    write(
        options.output or RESULTS / "albert.json",
        COMMAND,
        options.short,
        results,
        albert_experiment,
    )


if __name__ == "__main__":
    main()

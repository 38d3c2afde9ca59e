"""BERT against ALBERT: what sharing, a narrow token embedding matrix and the sentence task bring, at equal compute.

    KLYUCH_MIRROR=FOLDER python -m benchmarks.research.albert --work FOLDER [--short]

One small network (4 layers, hidden 128) in six forms, all from the same warm start, the same text and the
same number of steps: layers shared in four ways, three widths of the token embedding matrix; and with three sentence
tasks, for longer. Costs are counted and timed (`benchmarks.research.albert_costs`). Networks are judged on tasks that
they were not trained on by a linear head on the frozen [CLS] state (`benchmarks.research.sentence_judging`). A command
that was stopped goes on. Writes benchmarks/results/albert.json, whose claims are made in `benchmarks.research.albert_claims`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.research.albert_claims import (
    albert_experiment,
    objective_findings,
    quality_findings,
)
from benchmarks.research.albert_costs import (
    SHARED,
    SOURCE,
    TASKS,
    WIDTHS,
    cost_rows,
    published_rows,
)
from benchmarks.research.training_arms import (
    Arm,
    Curve,
    Row,
    Test,
    TrainedArm,
    arguments,
    english,
    rounded,
    train_arm,
    write,
)
from benchmarks.result_files import RESULTS
from embeddings.files import read_json
from embeddings.networks.bert import PretrainingNetwork, new_network
from embeddings.networks.bert_config import AlbertConfig
from embeddings.pretraining.packing import SpecialIds
from embeddings.pretraining.prepared_corpus import PreparedCorpus
from embeddings.static.settings import Word2VecConfig
from embeddings.text.tokenizer import Tokenizer
from embeddings.training.pretraining.pretraining_config import PretrainingConfig
from embeddings.training.pretraining.pretraining_task import RowScores
from benchmarks.research.sentence_judging import judge, pair_set
from embeddings.training.pretraining.warm_start import start_from_vectors, token_vectors
from embeddings.vectors.formats import write_native
from embeddings.vectors.table import Vectors

COMMAND = "python -m benchmarks.research.albert --work WORK"
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
    """The nine runs by name: what is shared, columns of the token embedding matrix, sentence task; then the longer ones by task."""
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
        learned = token_vectors(PreparedCorpus.open(ids), Tokenizer.load(ids).words, config)
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
    wordpiece = Tokenizer.load(ids)
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

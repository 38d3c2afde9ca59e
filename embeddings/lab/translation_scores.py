"""Translation: the plain Transformer, the same with tables untied, trained longer, or with BERT fused in; and easy German.

Held beside Zhu et al. (2020), table 2: IWSLT'14 English to German 28.57 BLEU plain, 30.45 fused.
"""

from __future__ import annotations

from embeddings.lab.result_files import Told, frame_of, read_told
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

COMMAND = "KLYUCH_MIRROR=FOLDER python -m benchmarks.translation RUNS"
SETS = ("val", "test_2016_flickr")
ORDER = ("plain", "longer", "fused", "tied-short", "untied-short", "easy-german", "copying")
CHANCE = 0.5  # BLEU: a smaller difference over a thousand sentences tells nothing


def translation() -> Experiment:
    """Return BLEU of every run with its signatures, costs, and what fusing BERT brought."""
    told = read_told("translation", COMMAND)
    runs = {
        name: run
        for name, run in told.items()
        if isinstance(run.value, dict) and "bleu" in run.value
    }
    runs = dict(sorted(runs.items(), key=lambda pair: (*ORDER, pair[0]).index(pair[0])))
    if not runs:
        raise told.damaged()
    bleu = {name: dict(run["bleu"].items()) for name, run in runs.items()}
    columns = (
        Column("run", "term"),
        Column("parameters"),
        Column("steps"),
        Column("minutes", digits=1),
        Column("tokens_a_second"),
        *(Column(f"{part}_{beam}", digits=1) for part in ("val", "test") for beam in (1, 5)),
    )
    scores = (
        Column("run", "term"),
        Column("test_set", "term"),
        Column("bleu", digits=1),
        Column("bleu_lower", digits=1),
        Column("sentences"),
        Column("signature", "text"),
    )
    bars = tuple(
        Series(
            part,
            tuple(f"run_{name}" for name in runs),
            tuple(_best(found, part) for found in bleu.values()),
        )
        for part in SETS
    )
    frame = frame_of(told)
    minutes = sum(run["minutes"].number() for run in runs.values())
    return Experiment(
        "translation",
        (
            Table("runs", columns, tuple(_row(n, runs[n], bleu[n]) for n in runs)),
            Table("signatures", scores, tuple(r for n in runs for r in _scores(n, bleu[n]))),
        ),
        (Drawing("bleu", "bars", "run", "bleu", bars),),
        _verdicts({name: _best(found, SETS[1]) for name, found in bleu.items()}),
        (told.text_at("command") or COMMAND,),
        **(frame | {"seconds": frame["seconds"] or 60 * minutes}),  # type: ignore[arg-type]
    )


def _best(found: dict[str, Told], part: str) -> float | None:
    """BLEU of a test set by beam 5."""
    one = found.get(f"{part}, beam 5")
    return None if one is None else one["score"].number()


def _row(name: str, run: Told, bleu: dict[str, Told]) -> tuple[Cell, ...]:
    """What a run cost and how good it is."""
    costs = [run.number_at(k) for k in ("parameters", "steps", "minutes", "tokens_per_second")]
    places = [f"{part}, beam {beam}" for part in SETS for beam in (1, 5)]
    return (
        f"run_{name}",
        *costs,
        *(bleu[p]["score"].number() if p in bleu else None for p in places),
    )


def _scores(name: str, bleu: dict[str, Told]) -> list[tuple[Cell, ...]]:
    """A line a test set and beam."""
    return [
        (
            f"run_{name}",
            place.replace(", ", "|"),
            one["score"].number(),
            one["lower_score"].number(),
            one["sentences"].number(),
            one["signature"].text(),
        )
        for place, one in bleu.items()
    ]


def _verdicts(test: dict[str, float | None]) -> tuple[Verdict, ...]:
    """What fusing, longer training and tied tables are worth on the test set."""
    return (
        _better(test, "fused_better", "fused", "plain"),
        _better(test, "fused_not_longer", "fused", "longer"),
        _better(test, "tied_better", "tied-short", "untied-short"),
    )


def _better(test: dict[str, float | None], claim: str, first: str, second: str) -> Verdict:
    """Whether one run is ahead of another by more than chance."""
    a, b = test.get(first), test.get(second)
    if a is None or b is None:
        return Verdict(claim, "open")
    fields = (("first", Measured(a, 1)), ("second", Measured(b, 1)), ("by", Measured(a - b, 1)))
    outcome = "open" if abs(a - b) < CHANCE else "yes" if a > b else "no"
    return Verdict(claim, outcome, fields)

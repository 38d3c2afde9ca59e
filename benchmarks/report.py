"""Write the tables of docs/results, docs/models.md and README.md: `python -m benchmarks.report`.

Tables come from the files of results, or from the cards of the models that ship. It also writes data/rates.toml, from which the time of
a training is estimated.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.result_files import RESULTS, read_results
from benchmarks.result_files import markdown_table as table
from benchmarks.source_tree import ROOT
from embeddings.files import atomic_file, read_json
from embeddings.lab import NAMES as NAMES_OF_LAB
from embeddings.lab.experiment_files import parse

ANALOGIES = ("questions-words.txt", "ru.txt", "syntactic.questions", "semantic_bm.questions")
KINDS = (("WordSim", ("WS-353", "wordsim")), ("SimLex", ("SIMLEX", "simlex")))


def quality() -> str:
    """Scores of the shipped models with coverage."""
    rows = []
    for model in read_results("quality")["models"]:
        scores = model["scores"]
        cells = [
            " / ".join(
                f"{100 * scores[name]['accuracy']:.1f} % of {scores[name]['covered']}"
                for name in ANALOGIES
                if name in scores
            )
        ]
        for _, marks in KINDS:
            score = next(s for name, s in scores.items() if any(m in name for m in marks))
            cells.append(f"{score['spearman']:.3f} ({score['covered']} of {score['total']})")
        royal = model["royal_answer_rank"]
        cells.append("not among 100" if royal is None else str(royal))
        rows.append((model["model"], str(model["vector_size"]), *cells))
    head = ("model", "size", "analogies", "WordSim-353", "SimLex-999", "rank of the queen")
    return table(head, rows)


def speed() -> str:
    """Speed against the peers, each row from one run, with the load that it was measured under and what is not measured at all."""
    text, words, glove = (read_results(name) for name in ("text", "word2vec", "glove"))
    rows = [
        (
            f"tokenisation and encoding, {language}",
            f"{systems['klyuch']['words_per_second'] / 1e6:.1f} M words/s",
            times(
                systems["gensim_scan_vocab"]["times_slower_than_klyuch"],
                systems["gensim_scan_vocab"].get("times_slower_quartiles"),
                "gensim, which only counts",
            ),
            load(text.get("loads", {}).get(language), systems),
        )
        for language, systems in text["results"].items()
    ]
    for method, against in words["against_gensim"].items():
        row = next(r for r in words["rows"] if (r["system"], r["method"]) == ("klyuch", method))
        ratio = times(against["speed"], against.get("speed_quartiles"), "gensim")
        points = f"analogies {100 * against['analogies']:+.1f} points"
        rate = f"{row['words_per_second'] / 1e6:.1f} M words/s"
        measured = load(words.get("loads", {}).get(method))
        rows.append((method, rate, f"{ratio}, {points}", measured))
    rows += [
        glove_row(glove, "GloVe, counting", "cooccurrence", "words"),
        glove_row(glove, "GloVe, training", "training", "pairs"),
    ]
    head = ("task", "this project, 2 cores", "against", "load average")
    note = f"\\* Indirect: the rates of the C program are {glove['against_c']['origin']}."
    return f"{table(head, rows)}\n\n{note}"


NOT_RUN = "`make bench` has not been run on a free machine yet: nothing is shown before it has."
LIMITS = {"operations": "arithmetic", "bytes": "memory"}
NAMES = {
    "encode": "encoding of text",
    "skipgram": "skip-gram",
    "cbow": "CBOW",
    "fasttext": "fastText",
    "pca": "PCA",
    "glove_count": "co-occurrence",
    "glove_train": "GloVe",
    "bert": "pretraining a BERT",
    "albert": "pretraining an ALBERT",
    "bert_read": "inference, BERT",
    "albert_read": "inference, ALBERT",
    "contexts": "200 contexts of a word",
    "page_explore": "page Explore, a new word",
    "page_analogies": "page Analogies, a new formula",
    "start": "start of the app",
}


def bench() -> str:
    """All works of one run: rates, ratio with its spread, memory, quality, and the limit of the machine that each is nearest to."""
    if not (RESULTS / "bench.json").exists():
        return NOT_RUN
    return bench_table(read_results("bench"))


def bench_table(measured: Mapping[str, Any]) -> str:
    """The table of a run, with its machine, versions and load below."""
    head = (
        "task",
        "this project",
        "reference implementation",
        "median ratio (quartiles)",
        "memory, MB",
        "quality",
        "nearest limit",
    )
    lines = []
    for row in measured["rows"]:
        has_peer = "peer" in row
        memory = [f"{row[f'{who}_memory_mb']:.0f}" for who in ("ours", "theirs")[: 1 + has_peer]]
        quality = [f"{100 * row[key]:.1f} %" for key in QUALITY if key in row]
        limit = row.get("nearest_limit")
        share = (
            f"{100 * row[f'share_of_{limit}']:.0f} % of {LIMITS[limit]}" if limit else "not counted"
        )
        lines.append(
            (
                " ".join(filter(None, [NAMES.get(row["work"], row["work"]), row["size"]])),
                f"{row['ours']:.3g} {row['unit']}",
                f"{row['peer']}: {row['theirs']:.3g}" if has_peer else "none",
                f"{row['ratio']:.1f} x ({row['ratio_low']:.1f} to {row['ratio_high']:.1f})"
                if has_peer
                else "–",
                " / ".join(memory),
                " / ".join(quality) or "–",
                share,
            )
        )
    most, loads = measured["limits"], measured["load"]
    versions = ", ".join(f"{name} {number}" for name, number in measured["versions"].items())
    note = (
        f"{measured['machine']}; a copy moves {most['bytes'] / 1e9:.1f} GB/s, products of matrices {most['fp32'] / 1e9:.0f} (fp32) and "
        f"{most['bf16'] / 1e9:.0f} GFLOP/s (bf16). {versions}; commit {measured['commit']}. Load average before the rounds "
        f"{loads['load_average']:.1f}, {loads['rounds_busy']} of {loads['rounds_counted']} began busy."
    )
    return f"{table(head, lines)}\n\n{note}"


SHOWN = ("skipgram", "cbow", "fasttext", "bert", "contexts", "pca")


def bench_short() -> str:
    """Some works of the run and their ratios, those where a peer is ahead too."""
    if not (RESULTS / "bench.json").exists():
        return NOT_RUN
    measured = read_results("bench")
    rows = {row["work"]: row for row in measured["rows"]}
    lines = [
        (
            " ".join(filter(None, [NAMES.get(work, work), rows[work]["size"]])),
            f"{rows[work]['ours']:.3g} {rows[work]['unit']}",
            f"{rows[work]['ratio']:.1f} x {rows[work]['peer']}",
        )
        for work in SHOWN
    ]
    return table(("task", "on two cores", "speed relative to"), lines)


QUALITY = ("ours_quality", "theirs_quality")


def glove_row(glove: Mapping[str, Any], work: str, part: str, unit: str) -> tuple[str, ...]:
    """A row of GloVe against the C program, whose rate is a constant."""
    key = f"{unit}_per_second"
    theirs = glove["against_c"]["c_program"][key] / 1e6
    return (
        work,
        f"{glove[part][key] / 1e6:.1f} M {unit}/s",
        f"{glove['against_c'][part]:.1f} x the C program's {theirs:.2f} M {unit}/s, a typed-in constant*",
        load(glove[part].get("load")),
    )


def times(ratio: float, quartiles: Sequence[float] | None, peer: str) -> str:
    """A ratio of medians with the quartiles of the rounds, where rounds were kept."""
    spread = f" ({quartiles[0]:.1f} to {quartiles[1]:.1f})" if quartiles else ""
    return f"{ratio:.1f} x{spread} {peer}"


def load(
    summary: Mapping[str, Any] | None, systems: Mapping[str, Mapping[str, float]] | None = None
) -> str:
    """The load before the rounds, and how many began on a busy machine; of older files what they have of it."""
    if summary:
        busy, counted = summary["rounds_busy"], summary["rounds_counted"]
        return f"{summary['load_average']:.1f}; {busy} of {counted} rounds busy"
    loads = [
        system["load_average"] for system in (systems or {}).values() if "load_average" in system
    ]
    return f"{min(loads):.1f} to {max(loads):.1f}: busy" if loads else "not recorded"


SENSES = {
    "one_sense": "one sense for all",
    "given_log_rank": "forms, squared log rank, Ward, number given",
    "forms_tf_idf": "forms, tf-idf",
    "lemmas_tf_idf": "lemmas, tf-idf",
    "lemmas_distance": "lemmas, by rarity and distance",
    "lemmas_views": "**lemmas, four views: ships**",
    "word_state": "BERT, the word's own state",
    "around": "BERT, states of the words around",
    "substitutes": "BERT, bags of substitutes",
    "word_state_and_static": "the word's state with lemmas",
    "substitutes_and_static": "substitutes with lemmas",
    "around_and_static": "states around with lemmas",
    "form_and_static": "**the word's state, less its form's mean, with lemmas: ships**",
}


def senses() -> str:
    """Agreement of the senses found with the marked ones, by method; the shipped ones over the seeds of the clusterings."""
    tables = read_results("senses")["tables"]
    sets = ("wiki-wiki", "active-dict", "ru", "de", "en")
    spread = {row["method"]: row for row in tables["spread"]}
    rows = []
    for row in tables["methods"]:
        if name := SENSES.get(row["method"]):
            cells = [figure(row[name_of_set], 3) for name_of_set in sets]
            if spread_row := spread.get(row["method"]):
                cells = [
                    "–"
                    if spread_row[name_of_set] is None
                    else f"{spread_row[name_of_set]:.3f} ± {spread_row[name_of_set + '_deviation']:.3f}"
                    for name_of_set in sets
                ]
            rows.append((name, *cells))
    return table(("method", "wiki-wiki", "active-dict", "own ru", "own de", "own en"), rows)


INTERACTIONS = {
    "open": "opened",
    "again": "nothing changed",
    "text": "a new word or sentence",
    "control": "a slider or switch",
    "box": "a closed section opened",
}


def clicks() -> str:
    """Milliseconds of the server's processor time per click, by page and interaction."""
    return by_page(
        read_results("clicks")["rows"],
        ("open", "again", "text", "control"),
        "milliseconds",
        0,
        "ms",
    )


def stillness() -> str:
    """Seconds from a click until the picture in the browser is still, by page and interaction."""
    measured = read_results("stillness")
    text = by_page(measured["rows"], ("open", "text", "control", "box"), "still", 2, "s")
    return f"{text} Load average: {load(measured['load'])}."


def by_page(
    rows: Sequence[Mapping[str, Any]], kinds: Sequence[str], key: str, digits: int, unit: str
) -> str:
    """Return a table with a row per page and a column per kind of click, and the median of all below."""
    values = {(r["page"], r["interaction"]): r[key] for r in rows if r["interaction"] in kinds}
    lines = []
    for page in dict.fromkeys(page for page, _ in values):
        cells = [values.get((page, kind)) for kind in kinds]
        lines.append((page, *(figure(v, digits) for v in cells)))
    head = ("page", *(INTERACTIONS[kind] for kind in kinds))
    median = statistics.median(values.values())
    return f"{table(head, lines)}\n\nMedian of all: {median:.{digits}f} {unit}."


def base_size() -> str:
    """Seconds and memory of networks of base size."""
    names = {"bert": "BERT-base", "xlm-roberta": "XLM-RoBERTa-base"}
    head = (
        "network",
        "open, s",
        "200 contexts, s",
        "on the clock, s",
        "another layer, ms",
        "attention of 128 tokens, s",
        "peak, GB",
    )
    rows = [
        (
            names[row["network"]],
            f"{row['open_seconds']:.1f}",
            f"{row['contexts_seconds']:.1f}",
            f"{row['contexts_wall_seconds']:.1f}",
            f"{row['layer_milliseconds']}",
            f"{row['attention_seconds']:.1f}",
            f"{row['peak_bytes'] / 1e9:.1f}",
        )
        for row in read_results("base_size")["rows"]
    ]
    return table(head, rows)


MODELS = ROOT / "data" / "models"
SENTENCE_TASK = {"bert": "NSP", "albert": "SOP"}
FEWEST_ITEMS = 100  # a test set of fewer is no measure


def cards() -> dict[str, dict[str, Any]]:
    """Return the card of each model that ships, by the model's name."""
    return {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(MODELS.glob("*/card.json"))
    }


def scores_of(card: Mapping[str, Any]) -> Iterator[str]:
    """Yield the scores of a card as short texts, each with its coverage."""
    scores = card.get("scores", {})
    for name, score in scores.items():
        if not isinstance(score, Mapping) or score.get("total", FEWEST_ITEMS) < FEWEST_ITEMS:
            continue
        covered = f" ({score['covered']} of {score['total']})" if "covered" in score else ""
        if "spearman" in score:
            yield f"{name}: {score['spearman']:.3f}{covered}"
        elif "accuracy" in score:
            yield f"{name}: {100 * score['accuracy']:.1f} %{covered}"
    if "heldout_mlm_accuracy" in scores:
        yield f"MLM accuracy {100 * scores['heldout_mlm_accuracy']:.1f} %"
    for name, score in card.get("bleu", {}).items():
        yield f"{name}: {score['score']:.1f} BLEU"


def size_of(name: str, card: Mapping[str, Any]) -> str:
    """Return the sizes of a model that its settings name, and its bytes on disk."""
    size = sum(path.stat().st_size for path in (MODELS / name).iterdir() if path.is_file())
    settings = card.get("settings", {})
    network = settings.get("network")
    if network:
        shape = f"{network['num_hidden_layers']} layers of {network['hidden_size']}"
    elif "vector_size" in settings:
        shape = f"{settings['vector_size']} dimensions"
    else:
        shape = ""
    return ", ".join(filter(None, (shape, f"{size / 1e6:.1f} MB")))


def model_cards() -> str:
    """Return one section for each model: text, size, scores, licence."""
    sections = []
    for name, card in cards().items():
        corpus = card["corpus"]
        amount = next(
            (
                f"{corpus[key]:,} {key}".replace(",", " ")
                for key in ("words", "tokens", "sentences")
                if corpus.get(key)
            ),
            "",
        )
        seen = card.get("tokens_seen")
        languages = card.get("languages", [card["language"]])
        lines = [
            ("Kind", ", ".join(filter(None, (card["kind"], card["method"], *languages)))),
            ("Text", ": ".join(filter(None, (amount, corpus["title"])))),
            ("Tokens seen in training", f"{seen:,}".replace(",", " ") if seen else ""),
            ("Size", size_of(name, card)),
            ("Scores", "; ".join(scores_of(card))),
            ("Note", card.get("note", "")),
            ("Licence", corpus["licence"]),
        ]
        body = "\n".join(f"- {key}: {value}" for key, value in lines if value)
        sections.append(f"### {name}\n\n{body}")
    return "\n\n".join(sections)


def networks() -> str:
    """Return the scores of the networks on held-out passages, from their cards."""
    rows = []
    for name, card in cards().items():
        if card["kind"] == "network":
            scores = card["scores"]
            rows.append(
                (
                    name,
                    f"{card['tokens_seen'] / 1e6:.1f} M",
                    f"{scores['heldout_mlm_loss']:.2f} nats",
                    f"{100 * scores['heldout_mlm_accuracy']:.1f} %",
                    f"{SENTENCE_TASK[card['method']]} {100 * scores['heldout_sentence_accuracy']:.1f} %",
                )
            )
    head = ("network", "tokens seen", "MLM loss", "MLM accuracy", "sentence-pair accuracy")
    return table(head, rows)


def knowledge() -> str:
    """Return what the networks know beyond their own passages: words, grammar, word in context."""
    rows = []
    for name, card in cards().items():
        if card["kind"] != "network":
            continue
        scores = card["scores"]
        for language in card.get("languages", [card["language"]]):
            short = scores.get(f"short sentences {language}")
            if short is None:
                continue
            ending = {"en": ("BLiMP",), "ru": ("RuBLiMP", "CLAMS ru"), "de": ("CLAMS de",)}
            grammar = [
                f"{mark} {100 * scores[mark]['accuracy']:.1f} %"
                for mark in ending.get(language, ())
                if mark in scores
            ]
            context = scores.get(f"WiC {language}")
            rows.append(
                (
                    name,
                    language,
                    f"{short['covered']} of {short['total']}",
                    f"{100 * short['accuracy']:.1f} %",
                    f"{100 * short['top5']:.1f} %",
                    f"{100 * short['copies']:.1f} %",
                    ", ".join(grammar) or "–",
                    f"{100 * context['accuracy']:.1f} %" if context else "–",
                )
            )
    head = (
        "network",
        "language",
        "answered",
        "first guess right",
        "among five",
        "first guess repeats a word",
        "minimal pairs",
        "word in context",
    )
    return table(head, rows)


QUESTIONS = {  # of this project, by the claim that has no source: what is asked, what was measured
    "warm_cbow": (
        "Does a network that begins as CBOW beat one that has the vectors in its token embedding matrix alone?",
        "{fast} nats of MLM loss against {slow}",
    ),
    "deeper_loss_equal_operations": (
        "Do four layers have a lower loss than one at equal operations?",
        "{gain} nats lower, a minus meaning higher",
    ),
    "slow_over_fast_table": (
        "Does a pretrained token embedding matrix learn better at the rate of the layers than five times as fast?",
        "{gain} points",
    ),
    "fast_over_slow": (
        "Does the higher learning rate give a better classifier from the pretrained network?",
        "{gain} points (standard error {error})",
    ),
    "pretrained_over_random_slow": (
        "Is pretraining worth something at a learning rate of 2e-4 too?",
        "{gain} points (standard error {error})",
    ),
    "fused_not_longer": (
        "Does the gain of BERT-fused translation come from BERT, not from the additional steps?",
        "{first} BLEU fused, {second} plain with as many additional steps",
    ),
    "copies_rarely": (
        "Does {network} fill fewer than 3 % of the blanks in short sentences with a word of the sentence, {language}?",
        "{copies} %",
    ),
    "short_is_harder": (
        "Is the loss of {network} higher on short sentences than on passages, {language}?",
        "{short} nats against {passages}",
    ),
}


def own_questions() -> str:
    """Return the verdicts of the experiments on claims that no publication makes."""
    rows = []
    for name in NAMES_OF_LAB:
        for claim in parse(read_json(RESULTS / f"{name}.json"))[0].claims:
            if not claim.source:
                fields = {
                    key: value if isinstance(value, str) else figure(value.value, value.digits)
                    for key, value in claim.fields
                }
                question, measured = (text.format(**fields) for text in QUESTIONS[claim.name])
                rows.append((question, claim.verdict, measured))
    return table(("question", "answer", "measured"), rows)


def figure(value: float | None, digits: int = 1) -> str:
    """Return a number with so many digits, "–" where nothing was measured."""
    return "–" if value is None else f"{value:.{digits}f}"


def pilots() -> str:
    """Return what short trainings of a small BERT with other settings learned."""
    rows = [
        (
            pilot["name"],
            figure(pilot["scores"].get("heldout_mlm_loss"), 2),
            percent(pilot["parts"].get("short_en", {}).get("top1")),
            percent(pilot["parts"].get("short_en", {}).get("copies")),
            percent(pilot["parts"].get("blimp_en", {}).get("accuracy")),
        )
        for pilot in read_results("pretraining_pilots")["pilots"]
    ]
    head = ("pilot", "MLM loss, nats", "first guess right, %", "repeats a word, %", "BLiMP, %")
    return table(head, rows)


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return figure(None if share is None else 100 * share)


def calibration() -> str:
    """Return how often the classifier is right where it is so sure, before and after its temperature was fitted."""
    measured = read_results("calibration")["calibration"]
    rows = [
        (
            f"{100 * before['low']:.0f} to {100 * before['high']:.0f} %",
            f"{percent(before['accuracy'])} % of {before['texts']}",
            f"{percent(after['accuracy'])} % of {after['texts']}",
        )
        for before, after in zip(measured["bins_before"], measured["bins"], strict=True)
    ]
    before, after = percent(measured["error_before"]), percent(measured["error"])
    errors = f"Expected calibration error: {before} % before, {after} % after"
    head = ("probability of the class", "right without a temperature", "right with it")
    return f"{table(head, rows)}\n\n{errors}; temperature {measured['temperature']:.2f}."


def growth() -> str:
    """Return the exponent with which processor time grows along each axis."""
    experiment, _ = parse(read_json(RESULTS / "scaling.json"))
    exponents = next(part for part in experiment.tables if part.name == "exponents")
    rows = [
        (str(axis).removeprefix("grows_").replace("_", " "), str(work), figure(exponent, 2))  # type: ignore[arg-type]
        for axis, work, exponent in exponents.rows
    ]
    return table(("what grows", "work", "exponent"), rows)


def translators_and_classifiers() -> str:
    """Return the scores of the translators and the classifier, from their cards."""
    rows = []
    for name, card in cards().items():
        for test, score in card.get("bleu", {}).items():
            rows.append((name, test, f"{score['score']:.1f} BLEU"))
        if card["kind"] == "classifier":
            for test, score in card["scores"].items():
                rows.append((name, test, f"{100 * score['accuracy']:.1f} % of {score['total']}"))
    return table(("model", "test set", "score"), rows)


def blocks() -> tuple[tuple[str, str, str], ...]:
    """Return what stands between each pair of markers: the document, the markers' name, the text."""
    return (
        ("docs/results/vectors.md", "scores", quality()),
        ("docs/results/senses.md", "senses", senses()),
        ("docs/results/speed.md", "bench", bench()),
        ("docs/results/speed.md", "speed", speed()),
        ("docs/results/speed.md", "clicks", clicks()),
        ("docs/results/speed.md", "stillness", stillness()),
        ("docs/results/speed.md", "base_size", base_size()),
        ("docs/results/networks.md", "networks", networks()),
        ("docs/results/networks.md", "knowledge", knowledge()),
        ("docs/results/networks.md", "others", translators_and_classifiers()),
        ("docs/results/networks.md", "own_questions", own_questions()),
        ("docs/results/networks.md", "pilots", pilots()),
        ("docs/results/networks.md", "calibration", calibration()),
        ("docs/results/speed.md", "growth", growth()),
        ("docs/models.md", "models", model_cards()),
        ("README.md", "bench_short", bench_short()),
    )


def rates() -> str:
    """Return data/rates.toml: what `embeddings.jobs.estimate` expects of a machine."""
    text, words, glove, bert = map(read_results, ("text", "word2vec", "glove", "bert_speed"))
    trained = [
        f"{row['method']} = {row['words_per_second']}"
        for row in words["rows"]
        if row["system"] == "klyuch"
    ]
    lines = (
        "# Rates of two cores of a server (embeddings/jobs/estimate.py), written by python -m benchmarks.report",
        f"encoded = {text['results']['en']['klyuch']['words_per_second']}",
        f"counted = {glove['cooccurrence']['words_per_second']}",
        f"pairs = {glove['training']['pairs_per_second']}",
        f"tokens = {bert['ours_tokens_per_second']}",
        "",
        "[trained]",
        *trained,
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Replace what stands between the markers of the documents, and write the rates of the estimates."""
    with atomic_file(ROOT / "data" / "rates.toml") as temporary:
        temporary.write_text(rates(), encoding="utf-8")
    for document, name, content in blocks():
        path = ROOT / document
        pattern = rf"<!-- {name} -->(.*?<!-- /{name} -->)?"
        block = f"<!-- {name} -->\n{content}\n<!-- /{name} -->"
        text = path.read_text(encoding="utf-8")
        text = re.sub(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
        with atomic_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Write the README's tables from benchmarks/results: `python -m benchmarks.report`."""

from __future__ import annotations

import re

from benchmarks.build_models import ROOT
from embeddings.files import read_json, whole_file

RESULTS = ROOT / "benchmarks" / "results"
ANALOGIES = ("questions-words.txt", "ru.txt", "syntactic.questions", "semantic_bm.questions")
KINDS = (("WordSim", ("WS-353", "wordsim")), ("SimLex", ("SIMLEX", "simlex")))


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def quality() -> str:
    """Scores of the shipped models with coverage."""
    rows = []
    for model in read_json(RESULTS / "quality.json")["models"]:
        found = model["scores"]
        cells = [
            " / ".join(
                f"{100 * found[name]['accuracy']:.1f} % of {found[name]['covered']}"
                for name in ANALOGIES
                if name in found
            )
        ]
        for _, marks in KINDS:
            score = next(s for name, s in found.items() if any(m in name for m in marks))
            cells.append(f"{score['spearman']:.3f} ({score['covered']} of {score['total']})")
        royal = model["royal_answer_rank"]
        cells.append("not among 100" if royal is None else str(royal))
        rows.append((model["model"], str(model["vector_size"]), *cells))
    head = ("model", "size", "analogies", "WordSim-353", "SimLex-999", "rank of the queen")
    return table(head, rows)


def speed() -> str:
    """Speed against the peers, each row from one run."""
    rows = []
    text = read_json(RESULTS / "text.json")
    words = read_json(RESULTS / "word2vec.json")
    glove = read_json(RESULTS / "glove.json")
    for language, systems in text["results"].items():
        own = f"{systems['klyuch']['words_per_second'] / 1e6:.1f} M words/s"
        told = f"{systems['gensim_scan_vocab']['times_slower_than_klyuch']:.1f} x gensim, which only counts"
        rows.append((f"text to ids, {language}", own, told))
    for method, against in words["against_gensim"].items():
        own = next(r for r in words["rows"] if (r["system"], r["method"]) == ("klyuch", method))
        told = (
            f"{against['speed']:.1f} x gensim, analogies {100 * against['analogies']:+.1f} points"
        )
        rows.append((method, f"{own['words_per_second'] / 1e6:.1f} M words/s", told))
    c = glove["against_c"]
    rows.append(
        (
            "GloVe, counting",
            f"{glove['cooccurrence']['words_per_second'] / 1e6:.1f} M words/s",
            f"{c['cooccurrence']:.1f} x the C program, indirect",
        )
    )
    rows.append(
        (
            "GloVe, training",
            f"{glove['training']['pairs_per_second'] / 1e6:.1f} M pairs/s",
            f"{c['training']:.1f} x the C program, indirect",
        )
    )
    return table(("work", "this project, 2 cores", "against"), rows)


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
    "word_state_and_static": "the word's state beside lemmas",
    "substitutes_and_static": "substitutes beside lemmas",
    "around_and_static": "**states around beside lemmas: ships**",
}


def senses() -> str:
    """Agreement of the senses found with the marked ones, by method; the shipped ones over the seeds of the clusterings."""
    found = read_json(RESULTS / "senses.json")["tables"]
    sets = ("wiki-wiki", "active-dict", "ru", "de", "en")
    spread = {row["method"]: row for row in found["spread"]}
    rows = []
    for row in found["methods"]:
        if name := SENSES.get(row["method"]):
            cells = ["–" if row[one] is None else f"{row[one]:.3f}" for one in sets]
            if own := spread.get(row["method"]):
                cells = [
                    "–" if own[one] is None else f"{own[one]:.3f} ± {own[one + '_deviation']:.3f}"
                    for one in sets
                ]
            rows.append((name, *cells))
    return table(("method", "wiki-wiki", "active-dict", "own ru", "own de", "own en"), rows)


def main() -> None:
    """Replace what stands between the markers of the README."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    for name, made in (("scores", quality()), ("senses", senses()), ("speed", speed())):
        pattern = rf"<!-- {name} -->(.*?<!-- /{name} -->)?"
        block = f"<!-- {name} -->\n{made}\n<!-- /{name} -->"
        text = re.sub(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

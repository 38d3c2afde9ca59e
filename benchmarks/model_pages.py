"""Tables of the models that ship, from their cards alone, for docs/models.md and docs/results/networks.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.result_files import markdown_table as table
from benchmarks.source_tree import ROOT

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

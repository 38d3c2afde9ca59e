"""The same in Python for the page Classify: code that runs when pasted and prints what the page shows."""

from __future__ import annotations


def classify(model: str, text: str, label: str) -> str:
    """Code for a text classified, and for what each word adds to the log-odds of a label."""
    return (
        "from embeddings.library.classifiers import load_classifier\n"
        "from embeddings.probing.attribution import attribute\n"
        "from embeddings.probing.classification import predict\n\n"
        f"classifier = load_classifier({model!r})\n"
        f"text = {text!r}\n"
        "print(predict(classifier, [text])[0])\n"
        f"found = attribute(classifier, text, {label!r})\n"
        "for word in found.words:\n"
        '    print(f"{word.attribution:+.4f}  {word.attention:.4f}  {word.word}")\n'
        "print(round(found.baseline, 4), round(found.residual, 6), round(found.log_odds, 4))\n"
    )

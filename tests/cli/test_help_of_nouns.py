"""A noun without verbs shows in its help what it does, and asks for no command behind it."""

import pytest


@pytest.mark.parametrize(
    ("noun", "sentence"),
    [
        ("fill", "Print the likeliest tokens at each mask, with their probabilities."),
        ("attention", "The .npz holds weights (layers, heads, from, to), float32"),
        ("costs", "Count parameters (with pooler, without heads; kazan-2019: all of it)"),
        ("translate", "Translate line by line"),
        ("bert", "pretrain a BERT"),
        ("concordance", "All contexts of a word in a corpus"),
    ],
)
def test_help_says_what_the_noun_does(noun, sentence, run):
    said = " ".join(run(noun, "--help").out.replace("`", "").split())
    assert sentence.lower() in said.lower()
    takes_verbs = noun in ("bert", "concordance")
    assert ("COMMAND [ARGS]" in said) == takes_verbs

"""The methods that Train, `embeddings.train` and the shelf know, in the order in which pages list them; each is registered here once.

`embeddings.static.methods` has what trains a static one, by the same names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """How a job asks the command line for a training.

    Attributes
    ----------
    command : tuple of str
        Words behind ``klyuch``: two of the command, then switches that are always given.
    passes : str
        The option for the number of passes through the text.
    is_network : bool
        Whether it trains a network instead of one vector per word.
    has_heldout : bool
        Whether its loss can be measured on sentences that it does not train on.
    """

    command: tuple[str, ...]
    passes: str = "epochs"
    is_network: bool = False
    has_heldout: bool = True


METHODS = {
    "skipgram": Method(("word2vec", "train", "--sg")),
    "cbow": Method(("word2vec", "train", "--cbow")),
    "glove": Method(("glove", "train"), "iterations", has_heldout=False),  # its loss is over counts
    "fasttext": Method(("fasttext", "train")),
    "bert": Method(("bert", "pretrain"), "steps", is_network=True),
    "albert": Method(("albert", "pretrain"), "steps", is_network=True),
}


def static_methods() -> tuple[str, ...]:
    """Return the names of the methods that train one vector per word."""
    return tuple(name for name, method in METHODS.items() if not method.is_network)


def network_methods() -> tuple[str, ...]:
    """Return the names of the methods that train a network."""
    return tuple(name for name, method in METHODS.items() if method.is_network)

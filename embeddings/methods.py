"""The methods that Train, `embeddings.train` and the shelf know, in the order in which pages list them.

Each method has one row here; a static one has a second in `embeddings.static.trainers`, by the same name: what trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """What a training needs to know of a method.

    Attributes
    ----------
    passes : str
        The setting for the number of passes through the text.
    is_network : bool
        Whether it trains a network instead of one vector per word.
    has_heldout : bool
        Whether its loss can be measured on sentences that it does not train on.
    """

    passes: str = "epochs"
    is_network: bool = False
    has_heldout: bool = True


METHODS = {
    "skipgram": Method(),
    "cbow": Method(),
    "glove": Method("iterations", has_heldout=False),  # its loss is over counts
    "fasttext": Method(),
    "bert": Method("steps", is_network=True),
    "albert": Method("steps", is_network=True),
}


def call_text(call: Mapping[str, object]) -> str:
    """Return the call of `embeddings.train` with some arguments as Python.

    Examples
    --------
    >>> call_text({"text": ["a.txt"], "method": "cbow"})
    "embeddings.train(text=['a.txt'], method='cbow')"
    """
    return f"embeddings.train({', '.join(f'{name}={value!r}' for name, value in call.items())})"


def static_methods() -> tuple[str, ...]:
    """Return the names of the methods that train one vector per word."""
    return tuple(name for name, method in METHODS.items() if not method.is_network)


def network_methods() -> tuple[str, ...]:
    """Return the names of the methods that train a network."""
    return tuple(name for name, method in METHODS.items() if method.is_network)

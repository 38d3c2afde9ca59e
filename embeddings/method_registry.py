"""The methods that Train, `embeddings.train` and the shelf know, in the order in which pages list them: the one place to add another.

The recipes in `embeddings.training.recipes` turn a text into a model's folder. `train_static` calls the trainer that a row names and
imports its module only then, since it loads numba. `train_network` pretrains the networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Method:
    """What a training needs to know of a method.

    Attributes
    ----------
    trainer : str
        The function below `embeddings` that trains a static method: it takes a corpus, settings by their names, the call that an error
        message names and the options of a training, and returns `embeddings.static.trained_vectors.TrainedVectors`. "" for a network.
    passes : str
        The setting for the number of passes through the text.
    is_network : bool
        Whether it trains a network instead of one vector per word.
    has_heldout : bool
        Whether its loss can be measured on sentences that it does not train on.
    colour : str
        The name of its colour in figures (`app.figures.palette.COLOURS`); "" where it has none of its own.
    """

    trainer: str = ""
    passes: str = "epochs"
    is_network: bool = False
    has_heldout: bool = True
    colour: str = ""

    @property
    def train(self) -> Callable[..., Any]:
        """What trains a static method."""
        module, _, name = self.trainer.rpartition(".")
        function: Callable[..., Any] = getattr(import_module(f"embeddings.{module}"), name)
        return function


SKIPGRAM, CBOW = "skipgram", "cbow"
DEFAULT_METHOD = SKIPGRAM
METHODS = {
    SKIPGRAM: Method("static.trained_vectors.skipgram", colour="blue"),
    CBOW: Method("static.trained_vectors.cbow", colour="vermilion"),
    "glove": Method(
        "static.trained_vectors.glove", "iterations", has_heldout=False, colour="green"
    ),
    "fasttext": Method("static.trained_vectors.fasttext", colour="wine"),
    "bert": Method(passes="steps", is_network=True, colour="purple"),
    "albert": Method(passes="steps", is_network=True),
}


def word2vec_method(sg: int) -> str:
    """Return the method that Word2Vec's setting ``sg`` (as in gensim) names: skip-gram, or CBOW for 0."""
    return SKIPGRAM if sg else CBOW


def call_text(function: str, call: Mapping[str, object]) -> str:
    """Return the call of a function of `embeddings` with some arguments as Python, without those that are None.

    Examples
    --------
    >>> call_text("train", {"text": ["a.txt"], "method": "cbow"})
    "embeddings.train(text=['a.txt'], method='cbow')"
    """
    given = {name: value for name, value in call.items() if value is not None}
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"embeddings.{function}({arguments})"


def static_methods() -> tuple[str, ...]:
    """Return the names of the methods that train one vector per word."""
    return tuple(name for name, method in METHODS.items() if not method.is_network)


def network_methods() -> tuple[str, ...]:
    """Return the names of the methods that train a network."""
    return tuple(name for name, method in METHODS.items() if method.is_network)

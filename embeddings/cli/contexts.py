"""``klyuch contexts``: words in contexts: their vectors in a network, their senses, their neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import typer

from embeddings.cli.network_argument import NETWORK, open_named
from embeddings.cli.output import emit, progress_bar
from embeddings.files import whole_file

commands = typer.Typer(no_args_is_help=True)

FILE = typer.Argument(..., help="Contexts in the tab-separated form of RUSSE 2018.")
LANGUAGE = typer.Option("", help="en, ru or de; found out from the text if left out.")
JSON = typer.Option(False, "--json", help="Print JSON.")


@commands.command(
    epilog="Example: klyuch contexts vectors data/contexts/ru.tsv --model bert-en-ru-de --layer 3 --output ru.npz"
)
def vectors(
    file: Path = FILE,
    model: str = NETWORK,
    layer: int = typer.Option(-1, help="0 is the embedding output; -1 the last layer."),
    output: Path = typer.Option(..., help="An .npz file to write."),
    language: str = LANGUAGE,
    as_json: bool = JSON,
) -> None:
    """Write the vector of each context's word: arrays context_id, word, vectors, truncated.

    A word that stands several times in its context gets the mean.
    """
    from embeddings.probing.states import check_layer, mean_states
    from embeddings.text.contexts import language_of, locate, read_contexts

    contexts = read_contexts(file)
    language = language or language_of(one.text for one in contexts)
    groups = [[(one.text, span) for span in locate(one, language)] for one in contexts]
    reader = open_named(model)
    layer = check_layer(reader, layer)
    with progress_bar(as_json) as report:
        states = mean_states(reader, groups, report=report)
    with whole_file(output) as temporary, temporary.open("wb") as target:
        np.savez(
            target,
            context_id=np.array([one.context_id for one in contexts]),
            word=np.array([one.word for one in contexts]),
            vectors=states.vectors[:, layer],
            truncated=states.truncated,
        )
    value = {
        "output": str(output),
        "contexts": len(groups),
        "occurrences": sum(map(len, groups)),
        "layer": layer,
        "vector_size": reader.config.hidden_size,
        "truncated": int(states.truncated.sum()),
        "unknown": int(states.unknown.sum()),
    }
    said = (
        f"{len(groups)} vectors of {reader.config.hidden_size} numbers, layer {layer}, in {output}"
    )
    if states.truncated.any():
        said += f"; {value['truncated']} contexts cut around the word to {reader.longest} tokens"
    if states.unknown.any():
        said += f"; {value['unknown']} words that the vocabulary cannot spell"
    emit(value, as_json, lambda: said)

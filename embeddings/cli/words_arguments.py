"""Arguments that several commands of ``klyuch words`` share."""

from __future__ import annotations

import typer

MODEL = typer.Option(
    ..., "--model", "-m", help="A model on the shelf, a folder, or a file of vectors in any format."
)
JSON = typer.Option(False, "--json", help="Print JSON.")

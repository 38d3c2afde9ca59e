"""``klyuch models``: what is on the shelf."""

from __future__ import annotations

import typer
from rich.table import Table

from embeddings.cli.output import emit, grid
from embeddings.library import data, find, home, read_card, shelf

commands = typer.Typer(no_args_is_help=True)


@commands.command("list", epilog="Example: klyuch models list --json")
def list_models(
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """List the models that ship and your own."""
    entries = shelf()

    def table() -> Table | str:
        if not entries:
            return (
                f"There are no models in {data() / 'models'} and {home() / 'models'}. "
                "Does KLYUCH_DATA name the folder of what ships?"
            )
        rows: list[tuple[object, ...]] = [
            (entry.name, entry.kind, entry.method, entry.language, str(entry.path))
            for entry in entries
        ]
        return grid("name", "kind", "method", "language", "path", rows=rows)

    emit(entries, as_json, table)


@commands.command("card", epilog="Example: klyuch models card en-skipgram --json")
def show_card(
    name: str = typer.Argument(help="A name on the shelf, or a folder."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Show where a model comes from: corpus, command, seed, commit, scores, checksums."""
    card = read_card(find(name))
    emit(card, as_json, lambda: grid("key", "value", rows=[(k, str(v)) for k, v in card.items()]))

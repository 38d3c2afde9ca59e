"""``klyuch albert``: pretrain an ALBERT."""

from __future__ import annotations

import typer

from embeddings.cli.bert_commands import pretrain_command
from embeddings.networks.bert_config import AlbertConfig

commands = typer.Typer(no_args_is_help=True)
commands.callback()(lambda: None)
commands.command(
    name="pretrain",
    epilog="Example: klyuch albert pretrain prepared --run runs/albert --hidden-size 512 --num-attention-heads 8",
)(pretrain_command(AlbertConfig))

"""Command-line flags generated from a dataclass of settings, and arguments that several commands share.

- `with_flags`: one flag a setting, so that a setting is declared once.
- `CARD_LANGUAGE`, `NETWORK`, `MODEL`, `JSON`: ``--language`` of a model's card, ``--model``, ``--json``.
- `FormulaCommand`: an argument that may begin with a minus, as ``klyuch words analogy "-king + woman"``.
- `CLUSTER`: ``--cluster`` of what can run on many machines.
- `check_file_target`: whether a file can be written where ``--output`` says, checked before any work is done for it.
"""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

from embeddings.configuration import check_language, describe
from embeddings.errors import InputError
from embeddings.files import CARD
from embeddings.shelf import Entry, find
from embeddings.shelf.loading import load_network

if TYPE_CHECKING:
    from embeddings.probing.network import Network


def _checked(value: str) -> str:
    """Refuse what is no code; left out, it stays unknown."""
    if value:
        check_language(value)
    return value


TEXT_ENCODING = typer.Option(
    "",
    "--encoding",
    help="Encoding of the text, as windows-1251 or gb18030; detect: find each file's. UTF-8 if not given.",
)
CARD_LANGUAGE = typer.Option(
    "",
    "--language",
    help="For the card: en, ru, de or another code of two or three letters (ISO 639).",
    callback=_checked,
)


def with_flags(
    kind: type[Any], skip: tuple[str, ...] = (), name: str = "config"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option per field of ``kind``; the command receives the built object as its argument ``name``.

    Help texts, bounds and defaults are the fields' own (`embeddings.configuration.setting`); ``vector_size`` becomes
    ``--vector-size`` and a bool ``--name/--no-name`` (or what ``metadata["flag"]`` says, as ``--sg/--cbow``).
    ``skip`` names fields that the command sets itself. Several configs may be stacked under several names.
    """
    hints = get_type_hints(kind)
    chosen = [field for field in fields(kind) if field.name not in skip]
    renamed = [field for field in chosen if "former" in field.metadata]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            settings = {field.name: values.pop(field.name) for field in chosen}
            for field in renamed:
                option = field.metadata["former"]
                if (value := values.pop(f"former_{field.name}")) is not None:
                    typer.echo(f"{option} is now {_flag(field)}; the old name goes.", err=True)
                    settings[field.name] = value
            command(**{name: kind(**settings)}, **values)

        parameters = inspect.signature(command, eval_str=True).parameters
        others = [parameter for known, parameter in parameters.items() if known != name]
        options = [_parameter(field, hints[field.name]) for field in chosen]
        options += [_former(field, hints[field.name]) for field in renamed]
        merged = sorted(others + options, key=lambda parameter: parameter.kind)
        run.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in merged}
        del run.__wrapped__
        return run

    return decorate


def _parameter(field: Field[Any], hint: Any) -> inspect.Parameter:
    """Turn one field into a keyword-only typer option."""
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    flag = _flag(field)
    if hint in (bool, bool | None) and "/" not in flag:
        flag += "/--no-" + field.name.replace("_", "-")
    option = typer.Option(... if default is MISSING else default, flag, help=describe(field))
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=hint
    )


def _former(field: Field[Any], hint: Any) -> inspect.Parameter:
    """Return the hidden option by which a setting was called in the version before."""
    option = typer.Option(None, field.metadata["former"], hidden=True)
    return inspect.Parameter(
        f"former_{field.name}",
        inspect.Parameter.KEYWORD_ONLY,
        default=option,
        annotation=hint | None,
    )


def _flag(field: Field[Any]) -> str:
    """Return the option of a setting."""
    return str(field.metadata.get("flag", "--" + field.name.replace("_", "-")))


MINUS = "\N{MINUS SIGN}"


class FormulaCommand(TyperCommand):
    """A command whose formula is distinguished from an option, though both may begin with ``-``.

    What begins with one hyphen and is neither the name of an option nor an option's value is the
    formula. Its first hyphen becomes a minus sign, which means the same in a formula and nothing
    to the parser of options. (``ignore_unknown_options`` is not enough: it finds ``-m`` in
    ``-woman`` and takes ``an`` for the model.)
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Mark the formula, then parse as ever."""
        return super().parse_args(ctx, self._marked(args))

    def _marked(self, args: list[str]) -> list[str]:
        """Return the arguments with a minus sign before the formula."""
        options = [p for p in self.params if isinstance(p, TyperOption)]
        names = {name for p in options for name in (*p.opts, *p.secondary_opts)}
        with_value = {name for p in options if not p.is_flag for name in p.opts}
        end = args.index("--") if "--" in args else len(args)
        marked = [
            MINUS + arg[1:]
            if arg[:1] == "-" and arg[:2] != "--" and arg not in names and before not in with_value
            else arg
            for before, arg in pairwise(["", *args[:end]])
        ]
        return marked + args[end:]


MODEL_FILES = (CARD, "config.json", "vectors.safetensors", "vectors.tsv")
NETWORK = typer.Option(
    ...,
    "--model",
    "-m",
    help="A BERT or ALBERT: its name on the shelf (klyuch models list) or its folder.",
)


def open_named(model: str) -> Network:
    """Open a network with its tokenizer, as `open_entry`."""
    return open_entry(model)[1]


def open_entry(model: str) -> tuple[Entry, Network]:
    """Find a network and open it with its tokenizer.

    Raises
    ------
    InputError
        If there is no such model, or it is no network.
    MissingFileError
        If it is a folder that holds no model at all.
    """
    entry = network_entry(model)
    return entry, load_network(entry)


def network_entry(model: str) -> Entry:
    """Find a network by its name or folder; raises as `open_entry`."""
    entry = find(model)
    is_model = not entry.path.is_dir() or any((entry.path / name).exists() for name in MODEL_FILES)
    if entry.kind != "network" and is_model:
        raise InputError("model_not_network", name=entry.name, kind=entry.kind)
    return entry


def check_file_target(path: Path) -> None:
    """Raise what writing the file ``path`` would raise; nothing is made on the way.

    Raises
    ------
    OSError
        If a folder is there, something above it is no folder, or the folder may not be written to.
    """
    if path.is_dir():
        raise _refused(errno.EISDIR, path)
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise _refused(errno.ENOTDIR, path)
    if not os.access(above, os.W_OK | os.X_OK):
        raise _refused(errno.EACCES, path)


def _refused(number: int, path: Path) -> OSError:
    """Return the error that the system itself would raise."""
    return OSError(number, os.strerror(number), str(path))


CLUSTER = typer.Option(
    "",
    "--cluster",
    metavar="ADDRESS",
    help="Work on the workers of this Dask scheduler, as tcp://127.0.0.1:8786 (klyuch cluster local).",
)
MODEL = typer.Option(
    ..., "--model", "-m", help="A model on the shelf, a folder, or a file of vectors in any format."
)
JSON = typer.Option(False, "--json", help="Print JSON.")

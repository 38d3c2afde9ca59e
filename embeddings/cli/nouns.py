"""Verbs of the command line: functions whose arguments and options are described by the rows of commands.toml.

- `verb`: makes a function a verb of a noun.
- `with_settings`: one option a setting, so that a setting is declared once.
- `CARD_LANGUAGE`: ``--language`` of a model's card.
- `open_named`, `open_entry`, `network_entry`: the network that ``--model`` names.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, Field, fields, make_dataclass
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.core import TyperCommand, TyperOption
from typer.models import ParameterInfo

from embeddings.cli import commands_of, rows
from embeddings.configuration import check_language, describe, setting
from embeddings.errors import InputError, clause
from embeddings.files import check_file, check_file_target, read_text
from embeddings.model_card import CARD
from embeddings.shelf import Entry, find
from embeddings.shelf.loading import load_network

if TYPE_CHECKING:
    from embeddings.probing.network import Network

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
Command = TypeVar("Command", bound=Callable[..., None])


ANSWERING = ("words", "contexts", "concordance", "fill", "grammar", "wic", "translate", "classify")
HTML: ContextVar[tuple[Path, typer.Context] | None] = ContextVar("html", default=None)
"""Where ``--html`` says that the answer is to be written, and the command that runs; None once it is written."""
# whether the command that runs has --json
AS_JSON: ContextVar[bool] = ContextVar("as_json", default=False)


class Verb(TyperCommand):
    """A command that shows its example where an argument or an option is missing."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message or self.epilog or ""  # one that is wrong has a message
            raise

    def invoke(self, ctx: Any) -> Any:
        """Note how the answer is to be given, and run."""
        AS_JSON.set(ctx.params.get("as_json", False))
        html = ctx.params.get("html", "")
        if html:
            check_file_target(Path(html))
        HTML.set((Path(html), ctx) if html else None)
        return super().invoke(ctx)


class FormulaVerb(Verb):
    """A verb of a formula that may begin with a hyphen: it becomes a minus sign, which means the same there and is no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Mark what begins with one hyphen and is neither an option nor the value of one, and read the arguments."""
        options = [parameter for parameter in self.params if isinstance(parameter, TyperOption)]
        names = {name for option in options for name in option.opts}
        with_value = {name for option in options if not option.is_flag for name in option.opts}
        marked = [
            f"\N{MINUS SIGN}{arg[1:]}"
            if re.match("-(?!-)", arg) and arg not in names and before not in with_value
            else arg
            for before, arg in pairwise(["", *args])
        ]
        return super().parse_args(ctx, marked)


def verb(
    noun: str, name: str = "", *, answers: bool = True, cls: type[Verb] = Verb, **kinds: type[Any]
) -> Callable[[Command], Command]:
    """Make a function ``klyuch NOUN NAME``, or ``klyuch NOUN`` without a name, by its row of commands.toml.

    Positional parameters are arguments, keyword-only ones options. A parameter without a default is required, a list aside.
    Parameters that are settings become options as `with_settings` says.
    A command that ``answers`` has the option ``--json``, by which `embeddings.cli.output.emit` prints, and one of the nouns of
    `ANSWERING` also ``--html`` (`embeddings.cli.output`).
    """
    of_noun = rows()[noun]
    row = of_noun[name or noun]
    described = {**rows()["options"], **of_noun.get("options", {}), **row}
    added: dict[str, str | bool] = {"as_json": False} if answers else {}
    if answers and noun in ANSWERING:
        added["html"] = ""

    def register(command: Command) -> Command:
        run = with_settings(command, **kinds)
        parameters = [*inspect.signature(run, eval_str=True).parameters.values()]
        parameters += [
            inspect.Parameter(option, KEYWORD_ONLY, default=default, annotation=type(default))
            for option, default in added.items()
        ]
        _declare(
            run,
            [
                parameter
                if isinstance(parameter.default, ParameterInfo)
                else parameter.replace(default=_declared(parameter, described[parameter.name]))
                for parameter in parameters
            ],
        )
        several = "s" if " · " in row["example"] else ""
        epilog = f"Example{several}: {row['example']}"
        commands_of(noun).command(name or noun, cls=cls, epilog=epilog)(run)
        return command

    return register


def _declare(run: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Let a function that wraps a command have these parameters."""
    run.__signature__ = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _declared(parameter: inspect.Parameter, row: str | dict[str, Any]) -> Any:
    """Return the typer argument or option of a parameter."""
    settings = {"help": row} if isinstance(row, str) else dict(row)
    flags = settings.pop("flag", "").split()
    default = ... if parameter.default is parameter.empty else parameter.default
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return typer.Argument(default, **settings)
    if default is ... and get_origin(parameter.annotation) is list:
        default = []
    if default is False and not flags:
        flags = ["--" + parameter.name.replace("_", "-")]
    return typer.Option(default, *flags, **settings)


def with_settings(command: Callable[..., None], **kinds: type[Any]) -> Callable[..., None]:
    """Return a command with one option per field in the place of each parameter that is a dataclass of settings, which it receives built.

    Help texts, bounds and defaults are the fields' own (`embeddings.configuration.setting`); ``vector_size`` becomes
    ``--vector-size`` and a bool ``--name/--no-name`` (or what ``metadata["flag"]`` says, as ``--sg/--cbow``).
    ``Annotated[Kind, "field", ...]`` leaves out fields, ``kinds`` has the classes that are made at run time.
    """
    own = inspect.signature(command, eval_str=True).parameters
    parameters: list[inspect.Parameter] = []
    options: list[inspect.Parameter] = []
    built: dict[str, tuple[Any, list[Field[Any]], list[Field[Any]]]] = {}
    for name, parameter in own.items():
        annotation = kinds.get(name, parameter.annotation)
        kind: Any = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        if not dataclasses.is_dataclass(kind):
            parameters.append(parameter)
            continue
        left_out, hints = get_args(annotation)[1:], get_type_hints(kind)
        chosen = [field for field in fields(kind) if field.name not in left_out]
        renamed = [field for field in chosen if "former" in field.metadata]
        built[name] = kind, chosen, renamed
        options += [_parameter(field, hints[field.name]) for field in chosen]
        options += [_former(field, hints[field.name]) for field in renamed]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, (kind, chosen, renamed) in built.items():
            settings = {field.name: values.pop(field.name) for field in chosen}
            for field in renamed:
                if (value := values.pop(f"former_{field.name}")) is not None:
                    option = field.metadata["former"]
                    typer.echo(f"{option} is now {_flag(field)}; the old name goes.", err=True)
                    settings[field.name] = value
            values[name] = kind(**settings)
        command(**{name: values[name] for name in own})  # without --json and --html

    _declare(run, sorted(parameters + options, key=lambda parameter: parameter.kind))
    return run


def optional_flags(kind: type[Any], names: Sequence[str], *, told: bool = True) -> type:
    """Return settings of a network for `with_settings`, None where the preset says; their defaults are ``told`` or not."""
    hints, of_kind = get_type_hints(kind), {field.name: field for field in fields(kind)}
    flags = []
    for name in names:
        note = f" [default: {of_kind[name].default}]" if told else ""
        flags.append((name, hints[name] | None, setting(None, f"{describe(of_kind[name])}{note}")))
    return make_dataclass(f"{kind.__name__}Flags", flags, frozen=True)


def _parameter(field: Field[Any], hint: Any) -> inspect.Parameter:
    """Turn one field into a keyword-only typer option, or leave what has no help to its row of commands.toml."""
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    if help_text := describe(field):
        flag = _flag(field)
        if hint in (bool, bool | None) and "/" not in flag:
            flag += "/--no-" + field.name.replace("_", "-")
        default = typer.Option(field.default, flag, help=help_text)
    return inspect.Parameter(field.name, KEYWORD_ONLY, default=default, annotation=hint)


def _former(field: Field[Any], hint: Any) -> inspect.Parameter:
    """Return the hidden option by which a setting was called in the version before."""
    option = typer.Option(None, field.metadata["former"], hidden=True)
    name = f"former_{field.name}"
    return inspect.Parameter(name, KEYWORD_ONLY, default=option, annotation=hint | None)


def _flag(field: Field[Any]) -> str:
    """Return the option of a setting."""
    return str(field.metadata.get("flag", "--" + field.name.replace("_", "-")))


def _checked(value: str) -> str:
    """Refuse what is no code; left out, it stays unknown."""
    if value:
        check_language(value)
    return value


CARD_LANGUAGE = typer.Option(
    "",
    "--language",
    help="For the card: en, ru, de or another code of two or three letters (ISO 639).",
    callback=_checked,
)

MODEL_FILES = (CARD, "config.json", "vectors.safetensors", "vectors.tsv")


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


def read_words(path: Path) -> list[str]:
    """Words of a file, one per line; what follows a tab, and lines that start with #, are passed over."""
    check_file(path, clause("name_word_list"))
    lines = read_text(path).splitlines()
    words = [line.split("\t")[0].strip() for line in lines if not line.startswith("#")]
    listed = [word for word in words if word]
    if not listed:
        raise InputError("compare_words", words=path)
    return listed

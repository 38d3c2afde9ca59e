"""An argument of the command line that may begin with a minus: ``klyuch words analogy "-king + woman"``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from typer.core import TyperCommand, TyperOption

MINUS = "\N{MINUS SIGN}"


class FormulaCommand(TyperCommand):
    """A command whose formula is told from an option, though both may begin with ``-``.

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

"""What is kept and under which key, and who computes it: the decorator of every cached loader.

Streamlit's own caches digest every argument at every call, and let whoever asks what somebody else computes wait without a word,
deaf to the next click. What is kept of a model lies under the state of its files. A page asks for dozens of such values: in `one_look` each
state is looked up once.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import update_wrapper, wraps
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from app.loaders.answer_queue import QUEUE, Answer, is_computing
from app.streamlit_private import is_page_run
from embeddings.files import stamp
from embeddings.shelf import Entry

P = ParamSpec("P")
R = TypeVar("R")
Keys = Mapping[type[Any], Callable[[Any], Hashable]]
Tell = Callable[
    [int | None], None
]  # how many are before the person; None once the answer has begun
MOST_BYTES = 512 << 20  # of arrays that grow with the square of a text, kept of one loader
LOOK = 0.2  # seconds between two looks at the queue, and at whether the person has left
_looked_up: ContextVar[dict[Hashable, Any] | None] = ContextVar("looked_up", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Look up each state of the shelf once until the block ends: as long as a page is drawn.

    A model that is replaced meanwhile is seen by the next run. Callbacks, fragments that run alone and answers from the queue look anew.
    """
    token = _looked_up.set({})
    try:
        yield
    finally:
        _looked_up.reset(token)


def looked_up(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of the shelf's state be asked once in `one_look` for the same arguments, and every time outside."""

    @wraps(function)
    def look(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _looked_up.get()
        if known is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items())
        if key not in known:
            known[key] = function(*args, **kwargs)
        value: R = known[key]
        return value

    return look


@looked_up
def file_key(path: Path) -> tuple[str, str]:
    """Return a path and the state of what lies there."""
    return str(path), stamp(path)


@looked_up
def model_key(entry: Entry | None) -> str:
    """Return the stamp of a model; "" where there is none."""
    return entry.stamp if entry else ""


def digest(content: bytes) -> bytes:
    """Return what tells files of a person apart without keeping them."""
    return hashlib.sha256(content).digest()


KEYS: Keys = {Entry: model_key, type(Path()): file_key, bytes: digest}


def tell_nobody() -> AbstractContextManager[Tell]:
    """Return what tells a person their place where there is no page."""
    return nullcontext(lambda _: None)


telling: Callable[[], AbstractContextManager[Tell]] = tell_nobody  # `app.main` puts a sentence here


def is_person() -> bool:
    """Whether this thread draws a page for somebody, and computes nothing for others."""
    return not is_computing() and is_page_run()


def array_bytes(value: object) -> int:
    """Return how many bytes the arrays of a result take, one held twice counted twice."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(array_bytes, value))
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


class Kept(Generic[P, R]):
    """A function whose values are kept, and computed once for all who ask the same at the same time.

    Parameters
    ----------
    function : callable
    max_entries : int
    keys : mapping of type to function
    is_heavy : bool
    most_bytes : int or None
    """

    def __init__(
        self,
        function: Callable[P, R],
        max_entries: int,
        keys: Keys,
        *,
        is_heavy: bool,
        most_bytes: int | None,
    ) -> None:
        update_wrapper(self, function)
        self._function, self._most, self._most_bytes = function, max_entries, most_bytes
        self._keys, self._is_heavy = keys, is_heavy
        self._signature = inspect.signature(function)
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, R] = OrderedDict()
        self._bytes: dict[Hashable, int] = {}  # of the values, where they are bounded
        self._begun: dict[Hashable, Answer[R]] = {}

    def clear(self) -> None:
        """Forget all values."""
        self._values, self._bytes, self._begun = OrderedDict(), {}, {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the value for some arguments."""
        key = self._key(args, kwargs)
        while True:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
                answer, is_first = self._join(key, args, kwargs)
            self._see_to(answer, key, is_first=is_first)
            if is_first or not answer.is_broken_off:
                return answer.result()

    def _join(self, key: Hashable, args: Any, kwargs: Any) -> tuple[Answer[R], bool]:
        """Return the answer that is on its way, and whether it is a new one; a heavy one is in the queue then."""
        if (answer := self._begun.get(key)) is not None:
            answer.people += 1
            return answer, False
        answer = Answer(lambda: self._compute(key, args, kwargs))
        if self._is_heavy and is_person():
            QUEUE.add(answer)
        self._begun[key] = answer
        return answer, True

    def _see_to(self, answer: Answer[R], key: Hashable, *, is_first: bool) -> None:
        """Return once an answer is computed, here or elsewhere."""
        if is_person() and (self._is_heavy or not is_first):
            try:
                self._wait(answer)
            except BaseException:  # the person has left, or clicked elsewhere
                self._leave(answer, key)
                raise
        elif is_first or QUEUE.take(answer):  # whoever computes waits for nothing that waits itself
            answer.run()
        else:
            answer.wait()

    @staticmethod
    def _wait(answer: Answer[R]) -> None:
        """Wait as a person does: told their place, and free to leave."""
        if answer.wait(LOOK):
            return
        with telling() as tell:
            tell(QUEUE.place(answer))
            while not answer.wait(LOOK):
                tell(QUEUE.place(answer))

    def _leave(self, answer: Answer[R], key: Hashable) -> None:
        """Take an answer for which nobody waits any more out of the queue."""
        with self._lock:
            answer.people -= 1
            if not answer.people and QUEUE.take(answer):
                del self._begun[key]

    def _compute(self, key: Hashable, args: Any, kwargs: Any) -> R:
        """Compute a value and keep it; what cannot be computed is asked anew the next time."""
        try:
            value = self._function(*args, **kwargs)
            size = array_bytes(value) if self._most_bytes is not None else 0
            with self._lock:
                self._values[key], self._bytes[key] = value, size
                while self._is_too_much():
                    oldest, _ = self._values.popitem(last=False)
                    del self._bytes[oldest]
        finally:
            with self._lock:
                self._begun.pop(key, None)
        return value

    def _is_too_much(self) -> bool:
        """Whether a value must go; the newest one stays, whatever its size."""
        if self._most_bytes is None or len(self._values) <= 1:
            return len(self._values) > self._most
        held = sum(self._bytes.values())
        return len(self._values) > self._most or held > self._most_bytes

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
        """Return what tells some arguments from others."""
        if kwargs or len(args) < len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return tuple([self._key_of(value) for value in args])

    def _key_of(self, value: Any) -> Hashable:
        """Return what tells a value from others of its type."""
        if key := self._keys.get(type(value)):
            return key(value)
        if type(value) is tuple and not self._keys.keys().isdisjoint(map(type, value)):
            return tuple([self._key_of(part) for part in value])
        return value


def cached(
    max_entries: int,
    keys: Keys | None = None,
    *,
    is_heavy: bool = False,
    most_bytes: int | None = None,
) -> Callable[[Callable[P, R]], Kept[P, R]]:
    """Keep the values of a function under its arguments, models and files under their state.

    Parameters
    ----------
    max_entries : int
        Values kept; the one that was not asked for longest goes first.
    keys : mapping of type to function, optional
        What arguments of further types count as.
    is_heavy : bool
        Whether values take so long that people wait for them in a queue (`app.loaders.answer_queue`).
    most_bytes : int, optional
        Bytes of arrays in all values kept, beside ``max_entries``; the newest value is kept in any case.
    """
    return lambda function: Kept(
        function,
        max_entries,
        {**KEYS, **(keys or {})},
        is_heavy=is_heavy,
        most_bytes=most_bytes,
    )

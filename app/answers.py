"""The one cache and queue of the pages.

`cached` keeps the answers of a function under its arguments and the state of the files of its models, and computes each once for all who
at the same time. Heavy answers are computed in a pool of as many threads as the machine has cores. A person who waits reads how many
answers come first; who clicks elsewhere or leaves gives the place up. An answer that has begun is computed to its end, for the next
person who asks. Errors are not kept. Streamlit's own caches do not answer to the next click while another person's answer is computed.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import partial, update_wrapper, wraps
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import streamlit as st

from app.streamlit_private import script_run
from app.wording import wording
from embeddings.errors import InputError
from embeddings.files import stamp
from embeddings.shelf import Entry

P = ParamSpec("P")
R = TypeVar("R")
Keys = Mapping[type[Any], Callable[[Any], Hashable]]
Key = tuple[Hashable, ...]
MAX_BYTES = 1 << 30  # of the arrays in all answers; the newest answer is kept whatever its size
MAX_WAITING = 200  # answers: two classes of a hundred, each of whom asks something else
LOOK = 0.2  # seconds between two looks at the queue, and at whether the person has left
WORKERS = max(1, os.cpu_count() or 1)

POOL_NAME = "answers"  # of the pool's threads, which add _0, _1 ...

_lock = threading.Lock()
_pool = ThreadPoolExecutor(WORKERS, POOL_NAME)
_here = threading.local()
_of_run: ContextVar[dict[Hashable, Any] | None] = ContextVar("_of_run", default=None)


class Answer(Future[R]):
    """An answer that is computed or on its way.

    ``work`` computes it, None once that has begun; ``people`` wait for it; ``size`` has the bytes of its arrays, None until it is there.
    """

    def __init__(self, work: Callable[[Answer[R]], None]) -> None:
        super().__init__()
        self.work: Callable[[Answer[R]], None] | None = work
        self.people = 0
        self.size: int | None = None

    def compute(self) -> None:
        """Compute it in this thread, unless somebody has begun."""
        with _lock:
            work, self.work = self.work, None
        if work is not None:
            work(self)


# In the order in which they were asked for last; those that wait for their turn in the order in which they came.
_kept: OrderedDict[Key, Answer[Any]] = OrderedDict()


@contextmanager
def page_run() -> Iterator[None]:
    """Look up each state of the shelf once until the block ends, as long as a page is drawn.

    A model that is replaced meanwhile is seen by the next run. Callbacks, fragments that run alone and answers of the pool look again.
    """
    token = _of_run.set({})
    try:
        yield
    finally:
        _of_run.reset(token)


def once_per_run(function: Callable[P, R]) -> Callable[P, R]:
    """Call a function of the shelf's state once in a `page_run` for the same arguments, and every time outside."""

    @wraps(function)
    def look(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _of_run.get()
        if known is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items())
        if key not in known:
            known[key] = function(*args, **kwargs)
        value: R = known[key]
        return value

    return look


@once_per_run
def file_key(path: Path) -> tuple[str, str]:
    """Return a path and the state of what lies there."""
    return str(path), stamp(path)


@once_per_run
def model_key(entry: Entry | None) -> str:
    """Return the stamp of a model; "" where there is none."""
    return entry.stamp if entry else ""


def digest(content: bytes) -> bytes:
    """Return what tells files of a person apart without keeping them."""
    return hashlib.sha256(content).digest()


KEYS: Keys = {
    Entry: model_key,
    type(Path()): file_key,
    bytes: digest,
    np.ndarray: lambda array: digest(array.tobytes()),
    partial: lambda function: (function.func, function.args, *sorted(function.keywords.items())),
}


def array_bytes(value: object) -> int:
    """Return how many bytes the arrays of a result take, one held twice counted twice."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(array_bytes, value))
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


class Cached(Generic[P, R]):
    """A function whose values are kept in the one cache, at most ``max_entries`` of them."""

    def __init__(
        self, function: Callable[P, R], max_entries: int, keys: Keys, *, is_heavy: bool
    ) -> None:
        update_wrapper(self, function)
        self._function, self._max, self._keys = function, max_entries, {**KEYS, **keys}
        self._is_heavy, self._signature = is_heavy, inspect.signature(function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the value for some arguments."""
        key = self._key(args, kwargs)
        waits_in_queue = self._is_heavy and not is_computing()
        while True:
            answer, is_new = self._join(key, args, kwargs, waits_in_queue=waits_in_queue)
            if answer.done():
                return answer.result()
            try:
                if waits_in_queue and is_new:
                    _submit(answer)
                elif is_new or is_computing():  # an answer computes what it needs itself
                    answer.compute()
                _wait(answer)
            finally:
                _leave(answer, key)
            # That the person who computed it was called away is no outcome for others.
            if is_new or isinstance(answer.exception(), Exception | None):
                return answer.result()

    def soon(self, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Return the value for some arguments if it is computed; else have the pool compute it, and return None."""
        answer, is_new = self._join(self._key(args, kwargs), args, kwargs, waits_in_queue=True)
        if is_new:
            _submit(answer)
        return answer.result() if answer.done() else None

    def _join(
        self, key: Key, args: Any, kwargs: Any, *, waits_in_queue: bool
    ) -> tuple[Answer[R], bool]:
        """Return the answer that is kept or on its way, and whether it is a new one."""
        with _lock:
            answer = _kept.get(key)
            if is_new := answer is None:
                if waits_in_queue and len(waiting := _waiting()) >= MAX_WAITING:
                    raise InputError("queue_full", waiting=len(waiting))
                answer = _kept[key] = Answer(partial(self._compute, key, args, kwargs))
            elif answer.done():
                _kept.move_to_end(key)
            answer.people += 1
        return answer, is_new

    def _compute(self, key: Key, args: Any, kwargs: Any, answer: Answer[R]) -> None:
        """Compute a value in this thread; heavy answers that it needs are computed here too."""
        outer, _here.is_computing = is_computing(), True
        try:
            value = self._function(*args, **kwargs)
        except BaseException as error:
            # raised where it is asked for, and asked again the next time
            with _lock:
                _forget(key, answer)
            answer.set_exception(error)
        else:
            answer.set_result(value)
            with _lock:
                if _kept.get(key) is answer:
                    answer.size = array_bytes(value)
                    _kept.move_to_end(key)
                    self._bound()
        finally:
            _here.is_computing = outer

    def _bound(self) -> None:
        """Forget the answers that nobody asked for longest: of this function, then of all."""
        sizes = {key: answer.size for key, answer in _kept.items() if answer.size is not None}
        own = [key for key in sizes if key[0] is self]
        if len(own) > self._max:
            del _kept[own[0]], sizes[own[0]]
        while sum(sizes.values()) > MAX_BYTES and len(sizes) > 1:
            oldest = next(key for key, size in sizes.items() if size)
            del _kept[oldest], sizes[oldest]

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Key:
        """Return what tells some arguments from others."""
        if kwargs or len(args) < len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return (self, *[self._key_of(value) for value in args])

    def _key_of(self, value: Any) -> Hashable:
        """Return what tells a value from others of its type."""
        if key := self._keys.get(type(value)):
            return key(value)
        if isinstance(value, dict):
            return tuple((name, self._key_of(part)) for name, part in sorted(value.items()))
        if type(value) is tuple:
            return tuple([self._key_of(part) for part in value])
        if is_dataclass(value) and type(value).__eq__ is not object.__eq__:
            parts = [self._key_of(getattr(value, field.name)) for field in fields(value)]
            return type(value), *parts
        return value


def cached(
    max_entries: int, keys: Keys | None = None, *, is_heavy: bool = False
) -> Callable[[Callable[P, R]], Cached[P, R]]:
    """Keep the values of a function under its arguments, models and files under their state.

    Parameters
    ----------
    max_entries : int
        Values kept of this function; all functions together are bounded by `MAX_BYTES`.
    keys : mapping of type to function, optional
        What arguments of further types count as.
    is_heavy : bool
        Whether values take so long that people wait for them in a queue.
    """
    return lambda function: Cached(function, max_entries, keys or {}, is_heavy=is_heavy)


def _forget(key: Key, answer: Answer[Any]) -> None:
    """Drop an answer; the lock is held."""
    if _kept.get(key) is answer:
        del _kept[key]


def _waiting() -> list[Answer[Any]]:
    """Return the answers that nobody has begun, the next one first; the lock is held."""
    return [answer for answer in _kept.values() if answer.work is not None]


def _submit(answer: Answer[Any]) -> None:
    """Let a thread of the pool compute an answer when its turn comes; where the system gives no further one, those that are there do."""
    try:
        _pool.submit(answer.compute)
    except RuntimeError as error:
        if not any(thread.name.startswith(f"{POOL_NAME}_") for thread in threading.enumerate()):
            raise InputError("queue_threads") from error


def _leave(answer: Answer[Any], key: Key) -> None:
    """Note that a person waits no more; what nobody waits for leaves the queue."""
    with _lock:
        answer.people -= 1
        if not answer.people and answer.work is not None:
            answer.work = None
            _forget(key, answer)


def place(answer: Answer[Any]) -> int | None:
    """Return how many answers come before one that waits; None once it has begun."""
    with _lock:
        return None if answer.work is None else _waiting().index(answer)


def _wait(answer: Answer[Any]) -> None:
    """Wait until an answer is there; a person is notified the place and may leave."""
    if is_computing() or script_run() is None:  # no page of a person, or Streamlit does not say
        wait([answer])
    elif not wait([answer], LOOK).done:
        with telling() as tell:
            tell(place(answer))
            while not wait([answer], LOOK).done:
                tell(place(answer))


def is_computing() -> bool:
    """Whether this thread computes an answer."""
    return bool(getattr(_here, "is_computing", False))


@contextmanager
def telling() -> Iterator[Callable[[int | None], None]]:
    """Say how many answers come before a person's, where it will stand; the sentence goes when the answer is begun."""
    slot = st.empty()
    said: int | None = None

    def tell(before: int | None) -> None:
        nonlocal said
        language = st.session_state.get("lang", "en")  # here Streamlit ends the run of who has left
        if before == said:
            return
        said = before
        if before is None:
            slot.empty()
        else:
            say = wording(language)
            sentence = say("queue.before", before=before) if before else say("queue.next")
            slot.info(sentence, icon=":material/hourglass_empty:")

    yield tell
    slot.empty()

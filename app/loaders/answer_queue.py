"""Heavy answers: so many computed at a time as the machine has cores, the others in the order in which they were asked.

An `Answer` is computed once for all who ask it at the same time. Who waits leaves the queue with it, unless others wait for the same
answer; one that has begun is computed to its end, for whoever asks next.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from embeddings.errors import InputError

R = TypeVar("R")
MOST_WAITING = 200  # answers: two classes of a hundred, each of whom asks something else
IDLE, BUSY = (
    "answers",
    "answers computing",
)  # names of threads, by which `app.warm_up` sees what is computed
_here = threading.local()


class Answer(Generic[R]):
    """A computation that has not ended yet, and how many people wait for it.

    Parameters
    ----------
    compute : callable
    """

    def __init__(self, compute: Callable[[], R]) -> None:
        self._compute = compute
        self._outcome: list[R] = []
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self.people = 1

    def run(self) -> None:
        """Compute it in this thread; heavy answers that it needs are computed here too, whatever the queue."""
        outer, _here.is_computing = is_computing(), True
        try:
            self._outcome.append(self._compute())
        except BaseException as error:  # raised where it is asked for
            self._error = error
        finally:
            _here.is_computing = outer
            self._ended.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is computed, for so many seconds at most; return whether it is."""
        return self._ended.wait(seconds)

    @property
    def is_broken_off(self) -> bool:
        """Whether whoever computed it was called away, which is no outcome for others."""
        return self._error is not None and not isinstance(self._error, Exception)

    def result(self) -> R:
        """Return what was computed, or raise what computing it raised."""
        if self._error is not None:
            raise self._error
        return self._outcome[0]


def is_computing() -> bool:
    """Whether this thread computes an answer."""
    return bool(getattr(_here, "is_computing", False))


class AnswerQueue:
    """Threads that compute answers, and the answers that wait for one.

    Parameters
    ----------
    workers : int
        Answers computed at a time.
    most_waiting : int
        Answers that may wait.
    """

    def __init__(self, workers: int, most_waiting: int = MOST_WAITING) -> None:
        self.workers, self.most_waiting = workers, most_waiting
        self._waiting: deque[Answer[Any]] = deque()
        self._changed = threading.Condition()
        self._started = self._idle = 0

    def add(self, answer: Answer[Any]) -> None:
        """Let an answer be computed when its turn comes.

        Raises
        ------
        InputError
            If as many wait as may, or if the system gives no thread to compute in.
        """
        with self._changed:
            if len(self._waiting) >= self.most_waiting:
                raise InputError("queue_full", waiting=len(self._waiting))
            self._waiting.append(answer)
            if self._idle >= len(self._waiting):
                self._changed.notify()
            elif self._started < self.workers:
                self._start_worker(answer)

    def _start_worker(self, answer: Answer[Any]) -> None:
        """Start a thread; where the system gives none, threads that compute already come to the answer, or it is refused."""
        try:
            threading.Thread(target=self._work, name=IDLE, daemon=True).start()
        except RuntimeError as error:
            if not self._started:
                self._waiting.remove(answer)
                raise InputError("queue_threads") from error
        else:
            self._started += 1

    def place(self, answer: Answer[Any]) -> int | None:
        """Return how many answers are computed before one that waits; None once it has begun."""
        with self._changed:
            return self._waiting.index(answer) if answer in self._waiting else None

    def take(self, answer: Answer[Any]) -> bool:
        """Take an answer that waits out of the queue; return whether it was there."""
        with self._changed:
            if answer not in self._waiting:
                return False
            self._waiting.remove(answer)
            return True

    def _work(self) -> None:
        """Compute one answer after the other."""
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                answer = self._waiting.popleft()
            threading.current_thread().name = BUSY
            answer.run()
            threading.current_thread().name = IDLE
            del answer  # what it holds is not kept until the next one comes


QUEUE = AnswerQueue(max(1, os.cpu_count() or 1))

"""A question of Contexts goes a straight way: from the click on another word to the map it enters few rooms and comes back to few."""

import threading
from pathlib import Path

from app.loaders import context_answers
from tests.app import visits

ROOT = Path(visits.MAIN).parents[1]
MOST_ROOMS, MOST_RETURNS = 16, 14
# what every step may lean on: it does no step of its own
EVERYWHERE = (
    "app/wording/",
    "app/access.py",
    "app/events.py",
    "app/main.py",
    "app/streamlit_private.py",
    "app/answers.py",
    "embeddings/__init__.py",
    "embeddings/archives.py",
    "embeddings/configuration.py",
    "embeddings/errors.py",
    "embeddings/files.py",
    "embeddings/optional.py",
    "embeddings/results/",
    "embeddings/runtime.py",
)
IN_A_FUNCTION = 1  # CO_OPTIMIZED: neither a module's body nor a class's


class Walk:
    """The modules of ours in the order in which a function of each is first called, up to the first figure."""

    def __init__(self):
        self.modules, self.is_done, self._known = [], False, set()

    def note(self, frame, event, _):
        """Take a call, as `sys.setprofile` hands it over."""
        code = frame.f_code
        if event != "call" or self.is_done or code in self._known:
            return
        self._known.add(code)
        if not code.co_flags & IN_A_FUNCTION:
            return
        path = Path(code.co_filename)
        if not path.is_relative_to(ROOT):
            return
        module = path.relative_to(ROOT).as_posix()
        self.is_done = (module, code.co_name) == ("app/widgets/outputs.py", "figure")
        is_step = module.startswith(("app/", "embeddings/")) and not module.startswith(EVERYWHERE)
        if is_step and not self.is_done and module not in self.modules:
            self.modules.append(module)

    @property
    def rooms(self):
        """The rooms in which the modules lie, one after the other."""
        rooms = ["/".join(module.split("/")[:2]) for module in self.modules]
        return [
            room for number, room in enumerate(rooms) if not number or room != rooms[number - 1]
        ]


def test_a_question_of_contexts_enters_few_rooms_and_returns_to_few():
    # the shipped models: a shelf that a test replaces is asked another way
    app = visits.open_page("contexts", lang="en", contexts_word="spring")
    for kept in (context_answers.answer, context_answers._in_contexts):
        kept.clear()
    walk = Walk()
    threading.setprofile(walk.note)
    try:
        app.selectbox(key="contexts_word").select("bat").run()
    finally:
        threading.setprofile(None)
    assert not app.exception
    assert walk.is_done
    rooms = walk.rooms
    assert {"app/views", "app/loaders", "embeddings/probing", "embeddings/analysis"} < set(rooms)
    assert len(set(rooms)) <= MOST_ROOMS, rooms
    assert len(rooms) - len(set(rooms)) <= MOST_RETURNS, rooms

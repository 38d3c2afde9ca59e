"""The drawing of a saved answer in a notebook, through anywidget (extra ``notebook``): the same module and contract as in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.optional import optional

if TYPE_CHECKING:
    from embeddings.saved_page.answer import SavedAnswer

FOLDER = Path(__file__).parent
RENDER = 'export default { render: ({ model, el }) => drawAnswer(el, model.get("answer")) };\n'


def widget_module() -> str:
    """Return the ES module that anywidget loads: it draws the model's ``answer`` into an element."""
    return (FOLDER / "drawing.js").read_text(encoding="utf-8") + RENDER


def answer_widget(answer: SavedAnswer) -> Any:
    """Return a widget that shows an answer.

    Raises
    ------
    MissingLibraryError
        Without anywidget.
    """
    with optional():
        import anywidget
        import traitlets

    class AnswerWidget(anywidget.AnyWidget):  # type: ignore[misc]
        """An answer in a cell."""

        _esm = widget_module()
        _css = (FOLDER / "answer.css").read_text(encoding="utf-8")
        answer = traitlets.Dict().tag(sync=True)

    return AnswerWidget(answer=answer.payload())

"""A picture in a notebook, through anywidget (extra ``notebook``): the script, style and data of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from embeddings.optional import is_installed

THEME = """.klyuch-notebook { --st-text-color: var(--jp-content-font-color1); --st-background-color: var(--jp-layout-color0);
  --st-border-color: var(--jp-border-color1); }
"""
RENDER_EXPORT = """
export default { render({ model, el }) { el.classList.add("klyuch-notebook"); draw(el, model.get("data")); } };
"""


def widget_bundle(
    script: str, style: str, draw: str, data: Callable[[], object], **options: Any
) -> Any:
    """Return what a notebook displays: a widget; {} without anywidget, so that the notebook writes the text.

    Parameters
    ----------
    script, style : str
        JavaScript and CSS, as in the file.
    draw : str
        A function of ``script`` that draws the data into an element.
    data : callable
        Makes what is drawn.
    **options
        As IPython passes them to ``_repr_mimebundle_``.
    """
    if not is_installed("anywidget"):
        return {}
    import anywidget
    import traitlets

    class PictureWidget(anywidget.AnyWidget):
        """A picture in a cell."""

        _esm = script + RENDER_EXPORT.replace("draw", draw)
        _css = THEME + style
        data = traitlets.Dict().tag(sync=True)

    return PictureWidget(data=data())._repr_mimebundle_(**options)

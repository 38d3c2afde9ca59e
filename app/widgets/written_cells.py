"""Tables whose cells the page writes itself, in the form that ``st.dataframe`` takes.

A pandas Styler holds the same: the values, which order the rows, the text of each cell, and its ground. Making and reading one takes four
to eight times as long as writing the cells does, more than all else that most clicks ask of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd


class WrittenTable:
    """A table for ``st.dataframe`` with the text of each cell, and a darker ground for larger shares.

    Streamlit knows a Styler by the name of its class, and asks it for what stands here and nothing else.

    Parameters
    ----------
    rows : pandas.DataFrame
        The values.
    forms : mapping of column to callable
        How the values of a column are written; those of others as they are.
    shares : sequence of str
        Columns of numbers from 0 to 1.
    """

    __module__, __qualname__ = "pandas.io.formats.style", "Styler"
    uuid = caption = None

    def __init__(
        self, rows: pd.DataFrame, forms: Mapping[Any, Callable[[Any], str]], shares: Sequence[str]
    ) -> None:
        self.data = _Values(rows)
        text = {n: list(map(forms.get(n, str), cells.tolist())) for n, cells in rows.items()}
        self.data.text = pd.DataFrame(text, index=rows.index, dtype=object)
        columns = [rows.columns.get_loc(name) for name in shares]
        self._grounds = [
            {
                "props": [("background-color", _ground(share))],
                "selectors": [f"row{row}_col{column}"],
            }
            for column in columns
            for row, share in enumerate(rows.iloc[:, column])
        ]

    def set_uuid(self, uuid: str) -> None:
        """Take the number of the table on the page."""
        self.uuid = uuid

    def _compute(self) -> None:
        """Do nothing: all cells are written."""

    def _translate(self, *_: bool) -> dict[str, Any]:
        """Return the grounds of cells; their text is that of ``data``."""
        return {"cellstyle": self._grounds}


class _Values(pd.DataFrame):  # type: ignore[misc]
    """Values that turn into the text which the page has written."""

    _metadata = ("text",)
    text: pd.DataFrame

    def astype(self, dtype: Any, *args: Any, **options: Any) -> pd.DataFrame:
        """Return the text where text is asked for."""
        return self.text if dtype is str else super().astype(dtype, *args, **options)


def _ground(share: float) -> str:
    """Return the colour behind a cell with a share."""
    return f"rgba(0, 114, 178, {0.5 * share:.3f})"

"""An array of numpy mapped from its file, opened without unpickling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.errors import FormatError, clause

_NPY = b"\x93NUMPY"


def map_npy(path: Path) -> NDArray[Any]:
    """Map the array of a ``.npy`` file read-only after its header was checked against the file; nothing is unpickled.

    Raises
    ------
    FormatError
        If the header is damaged, the array holds objects, or the file is shorter than the header claims.
    OSError
        If the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(_NPY)) != _NPY:  # numpy would open a zip and a pickle too
                raise ValueError(clause("npy_start"))
        with np.errstate(over="ignore"):  # sizes past 64 bits are met below
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array
    except OSError:
        raise
    except Exception as error:  # whatever numpy's parser of a damaged header meets
        code = "vectors_npy" if "Python objects" in str(error) else "file_unreadable"
        raise FormatError(code, path=path, reason=error) from error

"""Names for arrays of one type of number, whatever their shape: docstrings say the shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Floats = NDArray[np.floating]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

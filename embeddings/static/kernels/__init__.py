"""The compiled inner loops: plain numba functions over arrays, each held to a plain-numpy reference by its tests."""

"""The compiled inner loops over arrays, each held to a plain-numpy reference by its tests."""

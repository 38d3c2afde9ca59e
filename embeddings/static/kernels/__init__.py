"""The compiled inner loops over arrays, each compared with a plain-numpy reference by its tests."""

"""Small hostile inputs, each of which once broke a reader: a name, the reader, and what writes the input into a folder.

Kept as seeds: a fuzzer begins from these.
"""

from tests.hostile import (  # noqa: F401 - each registers its cases
    cases_of_damage,
    cases_of_json,
    cases_of_size,
    cases_of_tokenizers,
)
from tests.hostile.hostile_inputs import CASES

__all__ = ["CASES"]

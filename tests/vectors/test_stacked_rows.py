"""Two tables read as one: every way of asking for rows equals that of the copied table, and nothing is copied before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.vectors.quantized_rows import QuantizedRows
from embeddings.vectors.stacked_rows import StackedRows

DRAW = np.random.default_rng(5)
CODES, SCALE = DRAW.integers(-127, 128, (11, 5)).astype(np.int8), DRAW.random(11).astype(np.float32)
BELOW = DRAW.standard_normal((4, 5)).astype(np.float32)
PLAIN = np.concatenate([CODES * SCALE[:, None], BELOW]).astype(np.float32)
TABLES = {
    "quantised": StackedRows(QuantizedRows(CODES, SCALE), BELOW),
    "plain": StackedRows(PLAIN[:11], BELOW),
    "halves": StackedRows(PLAIN[:11].astype(np.float16), BELOW),
}


@pytest.mark.parametrize("name", TABLES)
@given(data=st.data())
def test_rows_are_those_of_the_copied_table_however_they_are_asked_for(name, data):
    table, plain = (
        TABLES[name],
        PLAIN if name != "halves" else np.vstack([PLAIN[:11].astype(np.float16), BELOW]),
    )
    one = st.integers(-15, 14)
    bound = st.one_of(st.none(), st.integers(-20, 20))
    step = st.one_of(st.none(), st.sampled_from([1, 2, 3, -1, -4]))
    key = data.draw(
        st.one_of(
            one,
            st.lists(one, max_size=6),
            st.builds(slice, bound, bound, step),
            st.lists(st.booleans(), min_size=15, max_size=15).map(np.array),
        )
    )
    if isinstance(key, list):
        key = np.array(key, np.int64)
    np.testing.assert_array_equal(table[key], np.asarray(plain[key], np.float32))
    assert table[key].dtype == np.float32


def test_it_has_the_shape_of_both_and_becomes_an_array():
    for table in (TABLES["quantised"], TABLES["plain"]):
        assert (table.shape, table.size, table.ndim, len(table)) == ((15, 5), 75, 2, 15)
        np.testing.assert_array_equal(np.asarray(table), PLAIN)
        np.testing.assert_array_equal(table[3, 1:3], PLAIN[3, 1:3])
        with pytest.raises(IndexError):
            table[15]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(TABLES["plain"], copy=False)

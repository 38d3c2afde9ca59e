"""Two tables read as one: every way of asking for rows equals that of the copied table, and nothing is copied before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.errors import CheckpointError
from embeddings.vectors.table import QuantizedRows, StackedRows

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
    expected = plain[np.array(key, np.int64) if isinstance(key, list) else key]
    np.testing.assert_array_equal(table[key], np.asarray(expected, np.float32))
    assert table[key].dtype == np.float32


def test_it_has_the_shape_of_both_and_becomes_an_array():
    for table in (TABLES["quantised"], TABLES["plain"]):
        assert (table.shape, table.size, table.ndim, len(table)) == ((15, 5), 75, 2, 15)
        np.testing.assert_array_equal(np.asarray(table), PLAIN)
        np.testing.assert_array_equal(table[3, 1:3], PLAIN[3, 1:3])
        for outside in (15, -16):
            with pytest.raises(IndexError):
                table[outside]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(TABLES["plain"], copy=False)


def test_a_mapped_file_that_is_cut_is_refused_before_its_rows_are_read(tmp_path):
    file = tmp_path / "rows"
    file.write_bytes(np.ones((3000, 5), np.float32).tobytes())
    table = StackedRows(np.memmap(file, np.float32, "r", shape=(3000, 5)), BELOW)
    assert table[2999].tolist() == 5 * [1.0]
    with file.open("r+b") as cut:
        cut.truncate(100)
    for rows in (2999, slice(0, 10), [1, 3001]):
        with pytest.raises(CheckpointError, match="rows"):
            table[rows]

"""What holds of any bytes, text and JSON: a reader reads or refuses, a name can be a folder's, an error message stays short."""

import json
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.access import _cut
from embeddings.errors import FormatError, KlyuchError, messages
from embeddings.files import parse_json
from embeddings.sources.pasted_and_uploaded import corpus_name
from embeddings.vectors.formats import MAGIC
from tests.hostile.readers import READERS

SHORT = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LINES = st.lists(st.text("a1 .-\t,\"\n'«[MASK]eя\r\0ß:", max_size=60), max_size=8).map("\n".join)
MAGIC_BYTES = st.sampled_from((b"", b"2 2\n", b"\x1f\x8b", *MAGIC))
CONTENT = LINES.map(str.encode) | st.builds(bytes.__add__, MAGIC_BYTES, st.binary(max_size=300))
READ = [
    *(("vectors", "a.txt"), ("vectors", "a.npy"), ("labelled", "a.csv"), ("labelled", "a.txt")),
    *(("blanks", "a.tsv"), ("minimal_pairs", "a.tsv"), ("contexts", "a.tsv")),
    ("analogies", "a.txt"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(("reader", "name"), READ)
@SHORT
@given(content=CONTENT)
def test_any_lines_and_bytes_are_read_or_refused(reader, name, tmp_path, content):
    (tmp_path / name).write_bytes(content)
    try:
        said = READERS[reader](tmp_path / name)
    except KlyuchError as error:
        said = str(error)
    assert 0 < len(said.strip()) < 4000


@SHORT
@given(value=st.dictionaries(st.text(max_size=9), JSON, max_size=4))
def test_any_json_object_comes_back_or_is_refused(value):
    text = json.dumps(value)
    try:
        parsed = parse_json(text, "a.json")
    except KlyuchError:
        assert "\\ud" in text  # half a character alone is refused
    else:
        assert set(parsed) == set(value)


@SHORT
@given(name=st.text(max_size=300))
def test_any_file_name_gives_a_name_that_a_corpus_can_have(name):
    made = corpus_name(name)
    assert made
    assert not set(made) & set("/\\\0\n")
    assert not made.startswith(".")


@SHORT
@given(value=st.text(max_size=9000), code=st.sampled_from(sorted(messages())))
def test_a_sentence_stays_short_whatever_a_file_claims(value, code):
    names = {name for _, name, _, _ in string.Formatter().parse(messages()[code]) if name}
    longest = 1001 * max(1, len(names)) * 3 + 700
    assert len(str(FormatError(code, **dict.fromkeys(names, value)))) < longest


NAMES = st.text(alphabet=string.ascii_letters + string.digits + "._-", min_size=1, max_size=9)


@SHORT
@given(parts=st.lists(NAMES, min_size=2, max_size=5))
def test_of_any_path_only_the_last_name_is_left(parts):
    for first, last in ("«»", "“”"):
        said = f"{first}/{'/'.join(parts)}{last} cannot be read"
        assert _cut(said) == f"{first}{parts[-1]}{last} cannot be read"

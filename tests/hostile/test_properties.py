"""What holds of any bytes, any text and any JSON: a reader reads or refuses, a sentence stays short, a seal is noticed."""

import json
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.access import _cut
from embeddings.analysis.evaluation import read_analogies
from embeddings.corpora.evaluation_sets import read_blanks, read_minimal_pairs
from embeddings.corpora.labelled import read_labelled
from embeddings.corpora.sense_contexts import read_contexts
from embeddings.errors import FormatError, KlyuchError, messages
from embeddings.files import parse_json
from embeddings.sources.pasted_and_uploaded import corpus_name
from embeddings.vectors.formats import MAGIC, read

SHORT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
LINES = st.lists(st.text(alphabet="a1 .-\t,\"\n'«[MASK]eя\r\0ß:", max_size=60), max_size=8).map("\n".join)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=12,
)
READERS = {
    "vectors": (read, "a.txt"),
    "labelled": (lambda path: read_labelled(path).texts, "a.csv"),
    "labelled lines": (lambda path: read_labelled(path).texts, "a.txt"),
    "blanks": (read_blanks, "a.tsv"),
    "minimal pairs": (read_minimal_pairs, "a.tsv"),
    "contexts": (read_contexts, "a.tsv"),
}


def reads_or_refuses(read_file, path):
    try:
        sentence = str(len(read_file(path) or ()))
    except KlyuchError as error:
        sentence = str(error)
    assert 0 < len(sentence.strip()) < 4000


@pytest.mark.parametrize("name", READERS)
@SHORT
@given(text=LINES)
def test_any_lines_are_read_or_refused(name, tmp_path, text):
    read_file, file = READERS[name]
    path = tmp_path / file
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    reads_or_refuses(read_file, path)


@pytest.mark.parametrize(("read_file", "name"), [(read, "a.npy"), (read_analogies, "a.txt")])
@SHORT
@given(magic=st.sampled_from((b"", b"2 2\n", b"\x1f\x8b", *MAGIC)), content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path, read_file, name, magic, content):
    (tmp_path / name).write_bytes(magic + content)
    reads_or_refuses(read_file, tmp_path / name)


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

"""A text without a word is refused before anything is stored."""

import io

import pytest

from embeddings.errors import FormatError
from embeddings.sources.incoming_files import IncomingFile
from embeddings.sources.intake import store_texts


def incoming(text, name="mine.txt"):
    data = text.encode()
    return IncomingFile(name, io.BytesIO(data), len(data))


@pytest.mark.parametrize("text", ["😀 😀", "... !!! —\n\n", "_"])
def test_signs_alone_are_refused_and_nothing_is_kept(tmp_path, text):
    with pytest.raises(FormatError, match=r"mine\.txt: no words were found"):
        store_texts([incoming(text)], tmp_path, "mine", "en")
    assert not [*tmp_path.iterdir()]


def test_one_file_with_a_word_is_enough(tmp_path):
    stored = store_texts([incoming("!"), incoming("ключ", "b.txt")], tmp_path, "mine", "ru")
    assert stored.files == ("ru_mine.txt", "ru_b.txt")

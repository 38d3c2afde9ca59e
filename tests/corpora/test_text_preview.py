"""The preview of a short text is that of the compiled loops, word by word."""

import numpy as np
import pytest

from embeddings.corpora import word_counts
from embeddings.corpora.text_preview import SHORT, preview
from embeddings.errors import InputError
from embeddings.jobs.recipes import demonstration

HARD = "Don’t pay 1,000 in 1914-1918 — кто-то сказал: «за\u0301мок»!\n\nStraße, STRASSE ﬁne\u00ad\r\nΣΊΣΥΦΟΣ\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Short texts: the demonstrations, and one with what is hard to tokenize."""
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    hard = tmp_path / "hard.txt"
    hard.write_text(HARD * 3, encoding="utf-8")
    return {**{name: demonstration(name) for name in ("en", "ru", "de")}, "hard": hard}


@pytest.mark.parametrize("name", ["en", "ru", "de", "hard"])
@pytest.mark.parametrize("lower", [True, False])
def test_a_short_text_is_counted_as_the_compiled_loops_count_it(files, name, lower):
    short, compiled = (
        preview([files[name]], lower=lower),
        word_counts.preview([files[name]], lower=lower),
    )
    assert short.total < SHORT
    assert short.common == compiled.common
    assert np.array_equal(short.counts, compiled.counts)
    assert (short.words, short.sentences) == (compiled.words, compiled.sentences)
    assert (short.read, short.total) == (compiled.read, compiled.total)


def test_a_long_text_goes_to_the_compiled_loops_and_one_without_a_word_is_an_error(
    tmp_path, monkeypatch
):
    text = tmp_path / "text.txt"
    text.write_text("word " * SHORT, encoding="utf-8")
    monkeypatch.setattr(word_counts, "preview", lambda sources, lower: (sources, lower))
    assert preview([text], lower=False) == ([text], False)
    text.write_text("… — !", encoding="utf-8")
    with pytest.raises(InputError, match=r"text\.txt"):
        preview([text])

"""The compiled loops of static training, compiled once: ``python -m embeddings.jobs.kernel_compilation``.

Numba keeps what it compiles on disk. Until then the first training, and the first estimate of one, waits some ten seconds for it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from embeddings.corpora.encoded_corpus import EncodingConfig, encode
from embeddings.corpora.word_counts import preview
from embeddings.jobs.speed_sample import TRAINED, timed_passes
from embeddings.methods import static_methods

TEXT = "the key opens the door\nthe spring is a season\n" * 8


def compile_kernels() -> None:
    """Count the words of a few lines and train each static model on them."""
    with tempfile.TemporaryDirectory(prefix="klyuch-kernels-") as folder:
        text = Path(folder) / "text.txt"
        text.write_text(TEXT, encoding="utf-8")
        preview([text])
        corpus = encode([text], Path(folder) / "ids", EncodingConfig(min_count=1))
        for method in static_methods():
            timed_passes(method, corpus, TRAINED)
        del corpus  # its arrays are files of the folder


if __name__ == "__main__":
    compile_kernels()

"""Libraries that not every installation has, and the extra of the package that brings each.

The base install (numpy, numba, scipy, safetensors, threadpoolctl, rich, typer) trains static vectors and answers questions
about them. All other libraries are imported where they are used, inside `optional`; docs/install.md says what needs which.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from embeddings.errors import InputError, MissingLibraryError

_LIBRARIES = {
    "app": "babel pandas plotly segno simplemma sklearn starlette streamlit umap usearch",
    "cluster": "dask distributed",
    "documents": "pypdf striprtf",
    "formats": "gensim pyarrow",
    "hub": "huggingface_hub transformers",
    "networks": "sacrebleu tensorboard tokenizers torch",
    "notebook": "anywidget traitlets",
    "segmentation": "janome jieba pythainlp",
    "sign-in": "authlib httpx",
}
EXTRAS = {name: extra for extra, names in _LIBRARIES.items() for name in names.split()}
POSIX_ALONE = {"fcntl", "resource"}  # modules of Python that Windows lacks: jobs need them
DISTRIBUTIONS = {
    "huggingface_hub": "huggingface-hub",
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
}  # where the name differs


@contextmanager
def optional() -> Iterator[None]:
    """Turn the failed import of an optional library into the refusal that names its extra.

    Raises
    ------
    MissingLibraryError
        If a library of `EXTRAS` is not installed. Any other failed import is raised as it is.
    InputError
        If a module of `POSIX_ALONE` is not there.

    Examples
    --------
    >>> with optional():
    ...     raise ModuleNotFoundError("No module named 'umap'", name="umap")
    Traceback (most recent call last):
    embeddings.errors.MissingLibraryError: This needs umap-learn, which is not installed. In a clone: pip install ".[app]"
    """
    try:
        yield
    except MissingLibraryError:
        raise
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in POSIX_ALONE:
            raise InputError("posix_alone", library=library) from error
        if library not in EXTRAS:
            raise
        raise _refusal(library) from error


def require(*libraries: str) -> None:
    """Refuse if one of some libraries is not installed, without importing them.

    Raises
    ------
    MissingLibraryError
        For the first that is missing.
    """
    for library in libraries:
        if find_spec(library) is None:
            raise _refusal(library)


def is_installed(library: str) -> bool:
    """Whether a library can be imported; it is not."""
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def _refusal(library: str) -> MissingLibraryError:
    """Return the refusal that names the library as pip knows it, and the extra."""
    name = DISTRIBUTIONS.get(library, library)
    return MissingLibraryError("library_missing", library=name, extra=EXTRAS[library])

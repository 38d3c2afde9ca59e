"""What the system refuses (a full disk, a right that is not there), as refusals that a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from embeddings.errors import InputError, KlyuchError


def refusal(error: OSError) -> KlyuchError:
    """Return the refusal that says what the system refused: path, reason, way out."""
    codes = {
        errno.ENOSPC: "file_room",
        errno.EDQUOT: "file_room",
        errno.EACCES: "file_right",
        errno.EPERM: "file_right",
        errno.EROFS: "file_right",
        errno.ENOTDIR: "file_above",
        errno.EEXIST: "file_above",
        errno.EISDIR: "file_folder",
    }
    number = error.errno or (errno.ENOSPC if "requested and" in str(error) else 0)  # numpy's tofile
    path = error.filename2 or error.filename or "A file"
    return InputError(
        codes.get(number, "file_system"), path=path, reason=error.strerror or str(error)
    )


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what the system refuses (disk full, no right) into the `InputError` that says so."""
    try:
        yield
    except KlyuchError:  # some of them are OSErrors too
        raise
    except OSError as error:
        raise refusal(error) from error

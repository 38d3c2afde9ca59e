"""Whether a file can be written where ``--output`` says, found out before any work is done for it."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_file_target(path: Path) -> None:
    """Raise what writing the file ``path`` would raise; nothing is made on the way.

    Raises
    ------
    OSError
        If a folder is there, something above it is no folder, or the folder may not be written to.
    """
    if path.is_dir():
        raise _refused(errno.EISDIR, path)
    above = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise _refused(errno.ENOTDIR, path)
    if not os.access(above, os.W_OK | os.X_OK):
        raise _refused(errno.EACCES, path)


def _refused(number: int, path: Path) -> OSError:
    """Return the error that the system itself would raise."""
    return OSError(number, os.strerror(number), str(path))

"""Files that a person brings."""

import io
import zipfile

from embeddings.sources.pasted_and_uploaded import IncomingFile


def incoming(name, data):
    return IncomingFile(name, io.BytesIO(data), len(data))


def zipped(members):
    """A zip of name -> bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()

"""The register of hostile inputs, and what writes them."""

import json
from pathlib import Path

from safetensors.numpy import save_file

FILES = Path(__file__).parent / "files"
DEEP = "[" * 2000 + "]" * 2000
NESTED = '{"a":' * 975 + "1" + "}" * 975
CASES = {}


def case(reader):
    """Register what writes an input, under its name."""

    def register(write):
        CASES[write.__name__] = (reader, write)
        return write

    return register


def kept(reader, name):
    """Register a file that is kept as it is."""
    CASES[name] = (reader, lambda folder: FILES / name)  # noqa: ARG005


def safetensors(path, tensors, metadata=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, metadata=metadata)


def put(path, content):
    """Write text, bytes or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path

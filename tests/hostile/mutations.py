"""Changes of a file that a reader may meet: of its bytes, of the JSON, the members or the packed data in it. One random generator says all.

A seed is a sound input, or one that once broke a reader: files by name, and the name that the reader is given ("" for the folder).
"""

import gzip
import io
import json
import lzma
import random
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

NUMBERS = (0, 1, -1, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
TEXTS = (b"9" * 20, b"-1", b"1e999", b"nan", b"0", b"\0", b"\xff", b"\xd0", b'"', b"\t", b"\n", b" ", b",", b"..", b"[MASK]")  # fmt: skip
VALUES = (
    *(None, True, -1, 0, 2**31, 2**63, 2**64, 10**30, 1e999, float("nan"), [], {}, [[]]),
    *("", "x" * 3000, "../x", "a\0b", "\ud800", "9" * 400, {"a": []}),
)
UNCHANGEABLE = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
UNCHANGEABLE += (struct.error, RecursionError, NotImplementedError, RuntimeError, MemoryError)
UNCHANGEABLE += (IndexError, KeyError, TypeError, AttributeError)
LARGEST = 1 << 18  # bytes of what a mutation leaves of a file


@dataclass(frozen=True)
class Seed:
    """An input: bytes by name, and which of them the reader is given."""

    files: dict[str, bytes]
    main: str = ""

    def write(self, folder: Path) -> Path:
        """Write it below a folder; return what the reader is given."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / self.main


def mutated(seeds: list[Seed], generator: random.Random) -> Seed:
    """One of the seeds, some of its files changed; each seed has some."""
    seed = generator.choice(seeds)
    files = dict(seed.files)
    for _ in range(generator.choice((1, 1, 1, 2, 3))):
        name = generator.choice(sorted(files))
        other = generator.choice(seeds).files
        donor = other[generator.choice(sorted(other))]
        if len(files) > 1 and generator.random() < 0.04:
            del files[name]
        else:
            files[name] = changed(files[name], donor, generator)[:LARGEST]
    return Seed(files, seed.main)


def changed(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """A file's content changed in a way that suits what it is, or anyhow."""
    if generator.random() < 0.6:
        for is_of_kind, change in KINDS:
            if is_of_kind(content):
                try:
                    return change(content, donor, generator)
                except UNCHANGEABLE:  # it is damaged already
                    break
    return changed_bytes(content, donor, generator)


def changed_bytes(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """Bytes flipped, put in, taken out, doubled, cut off; numbers and texts of all kinds in their place."""
    data = bytearray(content)
    for _ in range(generator.choice((1, 1, 2, 4))):
        at = generator.randrange(len(data) + 1)
        length = min(generator.choice((1, 2, 4, 8, 64, 1000)), len(data) - at)
        old = bytes(data[at : at + length])
        data[at : at + length] = generator.choice(REPLACEMENTS)(old, donor, generator)
    if generator.random() < 0.1:
        del data[generator.randrange(len(data) + 1) :]
    return bytes(data)


def flipped(old: bytes, donor: bytes, generator: random.Random) -> bytes:
    return bytes([old[0] ^ 1 << generator.randrange(8)]) + old[1:] if old else b""


def packed_number(old: bytes, donor: bytes, generator: random.Random) -> bytes:
    size, order = generator.choice((1, 2, 4, 8)), generator.choice(("little", "big"))
    return (generator.choice(NUMBERS) % 256**size).to_bytes(size, order)


def piece_of_another(old: bytes, donor: bytes, generator: random.Random) -> bytes:
    start = generator.randrange(len(donor) + 1)
    return donor[start : start + generator.choice((4, 64, 1000))]


def changed_piece(old: bytes, donor: bytes, generator: random.Random) -> bytes:
    more = generator.randbytes(generator.choice((1, 4, 16)))
    return generator.choice((b"", old * 2, old * 50, generator.choice(TEXTS), more, old + more))


REPLACEMENTS = (flipped, flipped, packed_number, packed_number, piece_of_another)
REPLACEMENTS += (changed_piece,) * 5


def is_json(content: bytes) -> bool:
    return content[:1] in b"{[" and content[:1] != b""


def changed_json(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """A value replaced, taken out, nested, given another name."""
    value = json.loads(content)
    places = [(None, None, value)]
    for _, _, inner in places:
        if isinstance(inner, dict):
            places += [(inner, key, below) for key, below in inner.items()]
        elif isinstance(inner, list):
            places += [(inner, number, below) for number, below in enumerate(inner[:50])]
    holder, key, inner = generator.choice(places)
    if holder is None:
        return generator.choice((b"[" * 3000, b"null", b"[]", b'{"a":' * 500 + b"1" + b"}" * 500))
    generator.choice(JSON_CHANGES)(holder, key, inner, generator)
    return json.dumps(value).encode("utf-8", "surrogatepass")


def drop(holder, key, inner, generator):
    del holder[key]


def repeat(holder, key, inner, generator):
    holder[key] = [inner] * generator.choice((0, 1, 300))


def other_number(holder, key, inner, generator):
    number = inner if isinstance(inner, int | float) else 1
    third = (
        number / 3 if abs(number) < 1e300 else number // 3
    )  # no float is as large as an integer can be
    holder[key] = generator.choice((*NUMBERS, number + 1, -number, number * 1000, third))


def other_key(holder, key, inner, generator):
    if isinstance(holder, dict):
        holder[generator.choice(("", "x", "type", "files", "../a", *holder))] = inner


def other_value(holder, key, inner, generator):
    holder[key] = generator.choice(VALUES)


JSON_CHANGES = (drop, repeat, other_number, other_key, other_value, other_value)


def is_safetensors(content: bytes) -> bool:
    return len(content) > 9 and content[8:9] == b"{" and struct.unpack("<Q", content[:8])[0] < len(content)  # fmt: skip


def changed_safetensors(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """The header's JSON changed, or JSON within its notes, or the numbers behind it."""
    size = struct.unpack("<Q", content[:8])[0]
    head, body = content[8 : 8 + size], content[8 + size :]
    kind = generator.randrange(4)
    if kind == 0:
        body = changed_bytes(body, donor, generator)
    elif kind == 1:
        value = json.loads(head)
        notes = value.get("__metadata__") or {}
        texts = [key for key, note in notes.items() if note[:1] in ("{", "[")]
        if texts:
            key = generator.choice(texts)
            note = changed_json(notes[key].encode(), b"", generator)
            value["__metadata__"][key] = note.decode("utf-8", "replace")
        head = json.dumps(value).encode("utf-8", "surrogatepass")
    elif kind == 2:
        value = json.loads(head)
        name = generator.choice([key for key in value if key != "__metadata__"])
        about = value[name]
        about["dtype"] = generator.choice((about["dtype"], "I64", "F16", "U8", "I8", "BOOL", "F64"))
        start, end = about["data_offsets"]
        widths = {"I64": 8, "F64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "U16": 2}
        cells = (end - start) // widths.get(about["dtype"], 1)
        about["shape"] = generator.choice(([cells], [1, cells], [cells, 1], [1, 1, cells]))
        head = json.dumps(value).encode()
    else:
        head = changed_json(head, donor, generator)
    return struct.pack("<Q", len(head)) + head + body


def changed_zip(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """A member changed, renamed or packed otherwise."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > LARGEST:
            raise ValueError("a bomb is changed as bytes alone")
        members = [(info.filename, archive.open(info).read(LARGEST)) for info in archive.infolist()]
    place = generator.randrange(len(members))
    name, inner = members[place]
    if generator.random() < 0.2:
        name = generator.choice(("", "../a", "/a", "a\\b", "a" * 300, "card.json", ".hidden", name + "/"))  # fmt: skip
    members[place] = (name, changed(inner, donor, generator))
    with zipfile.ZipFile(made, "w") as archive:
        for name, inner in members:
            archive.writestr(zipfile.ZipInfo(name), inner, generator.choice((0, 8, 12, 14)))
    return made.getvalue()


def changed_gz(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    with gzip.open(io.BytesIO(content)) as packed:
        return gzip.compress(changed(packed.read(LARGEST), donor, generator), 1)


def changed_xz(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    with lzma.open(io.BytesIO(content)) as packed:
        return lzma.compress(changed(packed.read(LARGEST), donor, generator), preset=0)


def is_lines(content: bytes) -> bool:
    return content.count(b"\n") > 1 and b"\0" not in content[:1000]


def changed_lines(content: bytes, donor: bytes, generator: random.Random) -> bytes:
    """Lines and fields doubled, dropped, swapped, replaced."""
    lines = content.split(b"\n")
    at = generator.randrange(len(lines))
    kind = generator.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at] = [lines[at]] * generator.choice((1, 100))
    elif kind == 2:
        other = donor.split(b"\n")
        lines[at] = other[generator.randrange(len(other))]
    else:
        mark = generator.choice((b"\t", b" ", b","))
        fields = lines[at].split(mark)
        place = generator.randrange(len(fields))
        fields[place] = generator.choice((*TEXTS, b"", fields[-1], fields[place] * 2))
        lines[at] = mark.join(fields)
    return b"\n".join(lines)


KINDS = (
    (lambda content: content.startswith(b"PK\x03\x04"), changed_zip),
    (lambda content: content.startswith(b"\x1f\x8b"), changed_gz),
    (lambda content: content.startswith(b"\xfd7zXZ"), changed_xz),
    (is_safetensors, changed_safetensors),
    (is_json, changed_json),
    (is_lines, changed_lines),
)

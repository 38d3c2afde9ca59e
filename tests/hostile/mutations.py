"""Changes of a file that a reader may meet: of its bytes, lines, members or packed data."""

import gzip
import io
import lzma
import random
import zipfile
import zlib

from tests.hostile.seeds import Seed

NUMBERS = (0, 1, -1, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
TEXTS = (b"9" * 20, b"-1", b"1e999", b"nan", b"0", b"\0", b"\xff", b"\xd0", b'"', b"\t", b"\n", b" ", b",", b"..", b"[MASK]")  # fmt: skip
NAMES = ("", "../a", "/a", "a\\b", "a" * 300, "card.json", ".hidden", "a/")
UNCHANGEABLE = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
LARGEST = 1 << 18  # bytes of what a mutation leaves of a file


def mutated(seeds: list[Seed], generator: random.Random) -> Seed:
    """One of the seeds, some of its files changed; each seed has some."""
    seed = generator.choice(seeds)
    files = dict(seed.files)
    for _ in range(generator.choice((1, 1, 2))):
        name = generator.choice(sorted(files))
        files[name] = changed(files[name], generator)[:LARGEST]
    return Seed(files, seed.main)


def changed(content: bytes, generator: random.Random) -> bytes:
    """A file's content changed in a way that suits what it is, or anyhow."""
    kinds = [change for is_of_kind, change in KINDS if is_of_kind(content)]
    if kinds and generator.random() < 0.6:
        try:
            return kinds[0](content, generator)
        except UNCHANGEABLE:  # it is damaged already
            pass
    return changed_bytes(content, generator)


def changed_bytes(content: bytes, generator: random.Random) -> bytes:
    """Bytes flipped, put in, taken out, doubled, cut off; numbers and texts in their place."""
    data = bytearray(content)
    for _ in range(generator.choice((1, 1, 2, 4))):
        at = generator.randrange(len(data) + 1)
        end = at + generator.choice((1, 2, 4, 8, 64, 1000))
        old = bytes(data[at:end])
        number = (generator.choice(NUMBERS) % 2**64).to_bytes(8, "little")
        pieces = (b"", old * 2, old * 50, number, number[:4], generator.choice(TEXTS), generator.randbytes(4))  # fmt: skip
        data[at:end] = generator.choice(pieces)
    if generator.random() < 0.1:
        del data[generator.randrange(len(data) + 1) :]
    return bytes(data)


def changed_zip(content: bytes, generator: random.Random) -> bytes:
    """A member changed, renamed or packed otherwise."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    place = generator.randrange(len(members))
    name, inner = members[place]
    if generator.random() < 0.2:
        name = generator.choice(NAMES)
    members[place] = (name, changed(inner, generator))
    with zipfile.ZipFile(made, "w") as archive:
        for name, inner in members:
            archive.writestr(zipfile.ZipInfo(name), inner, generator.choice((0, 8, 12, 14)))
    return made.getvalue()


def changed_lines(content: bytes, generator: random.Random) -> bytes:
    """Lines and fields doubled, dropped, replaced."""
    lines = content.split(b"\n")
    at = generator.randrange(len(lines))
    kind = generator.randrange(4)
    if kind < 2:
        lines[at : at + 1] = [lines[at]] * generator.choice((0, 2, 100))
    else:
        separator = generator.choice((b"\t", b" ", b","))
        fields = lines[at].split(separator)
        fields[generator.randrange(len(fields))] = generator.choice((*TEXTS, b"", fields[-1]))
        lines[at] = separator.join(fields)
    return b"\n".join(lines)


KINDS = (
    (lambda content: content.startswith(b"PK\x03\x04"), changed_zip),
    (
        lambda content: content.startswith(b"\x1f\x8b"),
        lambda content, draw: gzip.compress(changed(gzip.decompress(content), draw), 1),
    ),
    (
        lambda content: content.startswith(b"\xfd7zXZ"),
        lambda content, draw: lzma.compress(changed(lzma.decompress(content), draw), preset=0),
    ),
    (lambda content: content.count(b"\n") > 1 and b"\0" not in content[:1000], changed_lines),
)

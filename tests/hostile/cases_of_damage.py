"""Damaged archives and arrays, numbers past all bounds."""

import lzma
import struct
import zipfile

import numpy as np

from tests.hostile.hostile_inputs import CASES, NESTED, case, put


@case("text")
def utf16_without_mark(folder):
    return put(folder / "utf-16.txt", "The key.\n".encode("utf-16-le"))


def member(name, content, kind=zipfile.ZIP_DEFLATED):
    """What writes a zip of one member."""

    def write(folder, file="packed.zip"):
        with zipfile.ZipFile(folder / file, "w", kind) as archive:
            archive.writestr(name or zipfile.ZipInfo(name), content, kind)
        return folder / file

    return write


@case("text")
def zip_of_damaged_lzma(folder):
    path = member("a.txt", b"The key was cold. " * 999, zipfile.ZIP_LZMA)(folder)
    data = bytearray(path.read_bytes())
    start = 30 + len("a.txt") + 4
    data[start : start + 5] = b"\xff" * 5
    return put(path, bytes(data))


@case("text")
def zip_of_an_lzma_dictionary_without_end(folder):
    path = member("a.txt", b"The key was cold. " * 999, zipfile.ZIP_LZMA)(folder)
    data = bytearray(path.read_bytes())
    start = 30 + len("a.txt") + 4 + 1
    data[start : start + 4] = b"\xff" * 4
    return put(path, bytes(data))


@case("text")
def xz_of_a_dictionary_without_end(folder):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=[{**filters[0], "dict_size": 1 << 16}])
    data = bytearray(packer.compress(b"The key was cold. " * 999) + packer.flush())
    data[12 + 4] = 40  # the header of the block: a dictionary of 4 GiB - 1
    import zlib

    size = 4 * (data[12] + 1)
    data[12 + size - 4 : 12 + size] = struct.pack("<I", zlib.crc32(data[12 : 12 + size - 4]))
    return put(folder / "text.txt.xz", bytes(data))


@case("text")
def zip_of_a_name_that_is_no_utf8(folder):
    path = member("ключ.txt", b"The key.")(folder)
    return put(
        path, path.read_bytes().replace("ключ".encode(), b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")
    )


@case("text")
def zip_of_an_empty_name(folder):
    return member("", b"The key.")(folder)


@case("model")
def zip_of_an_empty_name_as_a_model(folder):
    return member("", b"1 1\na 1\n")(folder)


@case("model")
def zip_of_something_that_is_no_model(folder):
    return member("card.json", '{"kind": "whatever"}')(folder)


@case("model")
def zip_of_a_classifier_of_nothing(folder):
    return member("card.json", '{"kind": "classifier"}')(folder)


@case("model")
def zip_of_a_nested_card(folder):
    return member("card.json", NESTED)(folder)


def npy(header):
    """What writes an array with a header of one's own."""

    def write(folder):
        text = header.encode().ljust(118) + b"\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)
        put(folder / "v.npy", data)
        put(folder / "v.txt", "a\nb\n")
        return folder / "v.npy"

    return write


HEADERS = {
    "brackets": "(((2, 2), ",
    "shape_of_1e20": "{'descr': '<f4', 'fortran_order': False, 'shape': (10**20, 2)}",
    "shape_of_20_digits": f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({10**20}, 2)}}",
    "shape_past_64_bits": f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({1 << 32}, {1 << 32})}}",
    "shape_below_0": "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -2)}",
    "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}",
    "minus": "{'descr': '<f4', 'fortran_order': False, 'shape': " + "-" * 60 + "(2, 2)}",
}
for name, header in HEADERS.items():
    CASES[f"npy_{name}"] = ("vectors", npy(header))

COUNT = "9" * 20


@case("vectors")
def npy_of_counts_of_20_digits(folder):
    np.save(folder / "v.npy", np.ones((2, 2), np.float32))
    put(folder / "v.txt", f"a\t{COUNT}\nb\t1\n")
    return folder / "v.npy"


@case("vectors")
def gensim_counts_of_20_digits(folder):
    put(folder / "vectors.bin", b"1 1\na " + struct.pack("<f", 1))
    put(folder / "counts.txt", f"a {COUNT}\n")
    return folder

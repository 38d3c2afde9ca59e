"""Words of a text counted on all cores: blocks to provisional ids.

Blocks are normalised where they need it, tokenized and counted. Each thread fills a table of its
own; the compiled loops hold no lock. Results come back in the order of the text, so what is made of
them does not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from embeddings.arrays import Int32s, Int64s
from embeddings.configuration import CheckedConfig, setting
from embeddings.corpora import text_files
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.corpora.word_table import WordTable
from embeddings.results import Value
from embeddings.text import tokenizer_kernel
from embeddings.text.characters import character_table
from embeddings.text.lemmas import LEMMA_LANGUAGES
from embeddings.text.words import normalize


class Block(Value):
    """A piece of text made of whole lines.

    It starts ``offset`` bytes into the text of ``path``; ``read`` bytes of all files are done then.
    """

    path: text_files.TextFile
    offset: int
    data: bytes
    read: int
    ends_file: bool


class CountedBlock(Value):
    """A block as ids of table number ``table``, SENTENCE_END and DOCUMENT_END between them."""

    table: int
    ids: Int32s
    read: int


def text_blocks(files: Sequence[Path], size: int) -> Iterator[Block]:
    """Yield the blocks of several files, each file's last one marked."""
    done = 0
    for path in files:
        whole = path.stat().st_size
        for block in file_blocks(path, size):
            read = whole if block.ends_file else block.read
            yield replace(block, read=done + read)
        done += whole


def file_blocks(path: text_files.TextFile, size: int, *, is_start: bool = True) -> Iterator[Block]:
    """Yield the blocks of one file, the last one marked; arguments as `read_blocks`."""
    offset, last = 0, None
    for data, read in text_files.read_blocks(path, size, is_start=is_start):
        if last is not None:
            yield last
        last = Block(path, offset, data, read, ends_file=False)
        offset += len(data)
    if last is not None:
        yield replace(last, ends_file=True)


def count_block(block: Block, lower: bool, table: WordTable) -> Int32s:
    """Tokenize a block, count its words into ``table`` and return the provisional ids."""
    data = np.frombuffer(normalized(block, lower), np.uint8)
    letters = np.empty(2 * len(data) + 4, np.uint8)
    ends = np.empty(len(data) + 4, np.int64)
    hashes = np.empty(len(data) + 4, np.uint64)
    entries = tokenizer_kernel.tokenize(data, character_table(lower), letters, ends, hashes)
    ids = table.add(letters, ends[:entries], hashes[:entries])
    return np.append(ids, np.int32(tokenizer_kernel.DOCUMENT_END)) if block.ends_file else ids


def normalized(block: Block, lower: bool) -> bytes:
    """Return the block with each line that NFC might change normalised; refuse what is not text."""
    data = np.frombuffer(block.data, np.uint8)
    characters = character_table(lower)
    pieces: list[bytes] = []
    kept = at = 0
    while True:
        status, at = tokenizer_kernel.check(data, at, characters)
        if status == tokenizer_kernel.FINE:
            break
        if status != tokenizer_kernel.COMPOSING:
            text_files.refuse_byte(block.path, block.offset, block.data, int(at))
        start = block.data.rfind(b"\n", 0, at) + 1
        end = block.data.find(b"\n", at)
        end = len(block.data) if end < 0 else end
        try:
            line = block.data[start:end].decode("utf-8")
        except UnicodeDecodeError as error:
            text_files.refuse_byte(block.path, block.offset, block.data, start + error.start)
        pieces += [block.data[kept:start], normalize(line, lower=lower).encode("utf-8")]
        kept = at = end
    return b"".join([*pieces, block.data[kept:]]) if pieces else block.data


def count_blocks(
    files: Sequence[Path], *, lower: bool, workers: int, size: int, tables: list[WordTable]
) -> Iterator[CountedBlock]:
    """Yield every block of ``files`` in order, counted by threads into as many new ``tables``."""
    tables += [WordTable() for _ in range(workers)]
    free: SimpleQueue[int] = SimpleQueue()
    for number in range(workers):
        free.put(number)

    def work(block: Block) -> CountedBlock:
        number = free.get()
        try:
            return CountedBlock(number, count_block(block, lower, tables[number]), block.read)
        finally:
            free.put(number)

    waiting: deque[Future[CountedBlock]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for block in text_blocks(files, size):
                waiting.append(pool.submit(work, block))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def count_beginning(
    files: Sequence[Path], *, lower: bool, bound: int, most: int
) -> tuple[Int64s, tuple[tuple[str, int], ...], int]:
    """Count the words of the first ``bound`` bytes on disk.

    Returns
    -------
    counts : NDArray of int64, shape (words,)
        By falling count.
    common : tuple of (str, int)
        The ``most`` commonest words with their counts.
    read : int
        Bytes on disk that were read.

    Raises
    ------
    MissingFileError, FormatError, InputError
        As `embeddings.corpora.corpus_encoding.encode`.
    """
    table, read = WordTable(), 0
    for block in text_blocks(files, 1 << 20):
        count_block(block, lower, table)
        read = block.read
        if read >= bound:
            break
    counts, words = table.counts, table.words()
    order = np.argsort(-counts, kind="stable")
    common = tuple((words[row].decode(), int(counts[row])) for row in order[:most])
    return counts[order], common, read


class FrequencyList(Value):
    """A file of words with their counts: ``path``, and ``config`` with what a word is and how rare it may be."""

    path: Path
    config: EncodingConfig


class FrequencyConfig(CheckedConfig):
    """What is counted as a word of a list of frequencies."""

    min_count: int = setting(
        1, "With --frequencies: rarer words are left out of the list.", 1, 2**40
    )
    lower: bool = setting(
        True, "With --frequencies: lower-case all words.", flag="--lower/--keep-case"
    )
    lemmas: str = setting(
        "",
        "With --frequencies: count lemmas in this language: en, ru, de, fr, uk and 49 more.",
        choices=("", *LEMMA_LANGUAGES),
    )

    def list_in(self, path: Path) -> FrequencyList:
        """Return the list in a file, of the words that a corpus encoded so would have."""
        config = EncodingConfig(min_count=self.min_count, lower=self.lower, lemmas=self.lemmas)
        return FrequencyList(path, config)

"""Every refusal that a person can act on: a code, the values in it, and its English sentence.

The code and fields travel; `app/wording/` says the same sentence in the other languages. A sentence names what was given,
the bound, and the way out. Programming errors are not here: they stay plain exceptions.
"""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    # files
    "file_missing": "{path} does not exist. {way_out}",
    "file_checksum": "{path} is damaged: its sha256 is {found}, its card says {expected}. Get it again.",
    "file_unreadable": "{path} cannot be read: {reason}",
    # arguments
    "argument_range": "{name}={value} is out of range: it must lie between {low} and {high}.",
    "argument_choice": "{name}={value} is not known. Choose one of: {choices}.",
    "config_unknown_key": "{path} has a setting that this version does not know: {key}. Known are: {choices}.",
    # words
    "word_unknown": "«{word}» is not among the {size} words of this model.{suggestions}",
    "word_rare": "«{word}» was seen only {count} times, too rarely for this model's {size} words.{suggestions}",
    # vectors and their files (embeddings/vectors)
    "vectors_shape": "{words} words do not fit a matrix of shape {shape}: there must be one row a word.",
    "vectors_rows": "{path} has {words} words but {rows} rows of vectors. Get it again.",
    "vectors_folder": "{path} is not a folder of vectors: its config.json says format {found}, this version reads {expected}.",
    "vectors_word": "{path}, line {line}: the word «{word}» cannot be written: it is empty or holds a {forbidden}. {way_out}",
    "vectors_number": "{path}, line {line}: the vector of «{word}» holds {value}, which is not a finite number in the range of "
    "the format. Train with a lower learning rate, or leave the word out.",
    "card_lacks_file": "{path} names no sha256 for {name}, so the model cannot be verified. Get it again, or write it again.",
    # networks (embeddings/text/wordpiece.py, transformer, models, pretraining, training)
    "wordpiece_special": "The tokenizer has no {token}: it is not a WordPiece vocabulary for BERT. Train one: klyuch wordpiece train",
    "wordpiece_no_text": "There is no text to learn a WordPiece vocabulary from: name at least one file with words in it.",
    "corpus_line_long": "{path}, line {line}: {length} characters in one line, the bound is 16777216. Put a line end between paragraphs.",
    "corpus_unreadable": "{path}, line {line}: not text that can be read as UTF-8 ({reason}). Save it as UTF-8 and try again.",
    # models
    "model_unknown": "There is no model called «{name}» on the shelf, and no such file. On the shelf: {choices}.",
    # analysis
    "evaluation_question": "{path}, line {line}: {found} words where a question has four (a b c d): «{text}». Correct or remove the line.",
    "evaluation_pair": "{path}, line {line}: «{text}» is not two words and a number. Correct or remove the line.",
    "evaluation_empty": "{path} holds no line of the form «{what}». Is it a test set?",
    # co-occurrence and GloVe
    "cooccurrence_empty": "There is nothing to count: the corpus has no word of its vocabulary. Give a longer text or a smaller min_count.",
    "cooccurrence_folder": "memory_mb={memory_mb} counts on disk: give the folder to write to.",
    "cooccurrence_memory": "memory_mb={memory_mb} is too little for {words} words: at least {needed} MB are needed. Raise it, or cap the vocabulary.",
    "glove_diverged": "Training diverged in iteration {iteration}: the cost is {cost} at learning_rate={learning_rate}. Use a smaller learning_rate, as {advice}.",
}


class KlyuchError(Exception):
    """A refusal with a ``code`` of `SENTENCES` and its ``fields``; ``str()`` is the English sentence."""

    def __init__(self, code: str, **fields: object) -> None:
        self.code = code
        self.fields = fields
        super().__init__(SENTENCES[code].format(**fields))

    def __str__(self) -> str:
        return SENTENCES[self.code].format(**self.fields)


class InputError(KlyuchError, ValueError):
    """An argument, setting or formula that cannot be used."""


class FormatError(KlyuchError, ValueError):
    """A file whose content is not what it should be; the sentence names file, line and value."""


class CheckpointError(KlyuchError, ValueError):
    """A model or run folder that is incomplete, damaged or of another shape."""


class MissingFileError(KlyuchError, FileNotFoundError):
    """A file or folder that is not there; the sentence says how to get it."""


class UnknownWordError(KlyuchError, KeyError):
    """A word that the model has no vector for.

    ``suggestions`` holds up to three close spellings, ``count`` how often the corpus had the word (0: never seen; None: not known).
    """

    def __init__(
        self, word: str, size: int, suggestions: tuple[str, ...] = (), count: int | None = None
    ) -> None:
        self.word = word
        self.suggestions = suggestions
        self.count = count
        near = f" Close spellings: {', '.join(suggestions)}." if suggestions else ""
        code = "word_rare" if count else "word_unknown"
        super().__init__(code, word=word, size=size, count=count, suggestions=near)

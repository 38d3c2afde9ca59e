"""Every refusal that a person can act on: a code, the values in it, and its English sentence.

The code and fields travel; `app/wording/` says the same sentence in the other languages. A sentence names what was given,
the bound, and the way out. Programming errors are not here: they stay plain exceptions.
"""

from __future__ import annotations

from embeddings.error_sentences import FILES_AND_NETWORKS

SENTENCES: dict[str, str] = {
    # files
    "file_missing": "{path} does not exist. {way_out}",
    "file_checksum": "{path} is damaged: its sha256 is {found}, its card says {expected}. Get it again.",
    "file_unreadable": "{path} cannot be read: {reason}",
    "file_system": "{path} cannot be read or written: {reason}. Check the path and its rights, or choose another place.",
    "file_room": "{path} cannot be written: the disk is full. Make room, or choose another place.",
    "file_right": "{path} cannot be opened: {reason}. Get the right to it, or choose another place.",
    "file_above": "{path} cannot be written: a file stands where a folder is needed. Choose another place.",
    "file_folder": "{path} is a folder, and a file is needed there. Name a file.",
    "output_here": "{path} is the folder that you are in, or one above it, and cannot be replaced. Name a new folder, as {path}/out",
    # experiments (embeddings/library/experiments)
    "experiment_missing": "{path} is not here: this experiment has not been run yet, or its result did not come with the installation. Run it: {command}",
    "experiment_damaged": "{path} is damaged at {place}: what stands there is no result of this experiment. Make it again: {command}",
    # arguments
    "argument_range": "{name}={value} is out of range: it must lie between {low} and {high}.",
    "argument_least": "{name}={value} is out of range: it must be at least {low}.",
    "argument_choice": "{name}={value} is not known. Choose one of: {choices}.",
    "argument_language": "«{value}» is no code of a language. Give two or three small letters, as en, ru or de; several with + between.",
    "argument_languages": "«{value}» is no pair of languages. Give the codes of both with - between, as en-de.",
    "config_unknown_key": "{path} has a setting that this version does not know: {key}. Known are: {choices}.",
    # words
    "word_unknown": "«{word}» is not among the {size} words of this model.{suggestions}",
    "word_rare": "«{word}» was seen too rarely for this model's {size} words; times seen: {count}.{suggestions}",
    "word_table": "«{word}» is not among the {size} words of this table, which holds the commonest of its corpus.{suggestions}",
    "word_uncounted": "«{word}» is not among the {size} content words whose counts come with this model. For other words, train a GloVe "
    "of your own that keeps theirs: klyuch glove train … --examples WORDS.{suggestions}",
    **FILES_AND_NETWORKS,
    # translation (embeddings/models, training, probing; text/parallel.py, text/subwords.py)
    "translation_needs_bert": "This translator is fused with a BERT and was given none: open it together with the BERT that its card names.",
    "translation_bert_missing": "{path} was trained with the BERT «{name}», sha256 {sha256}, which is not on the shelf. Put its folder into KLYUCH_HOME/models.",
    "translation_not_plain": "{path} is a fused translator already. Start from a plain one: klyuch translation train without --bert.",
    "translation_fusion": "--bert needs --warm-start: a fused translator starts from a plain one. Name it, or leave --bert out.",
    "translation_long": "Line {line} has a sentence of {tokens} tokens, this translator takes {bound}: shorten it, or break it into sentences.",
    "translation_kind": "«{name}» is of kind {kind}, not a translator. On the shelf are: {choices}. Choose one of them, or train one: klyuch translation train",
    "translation_empty": "There is nothing to translate: type a sentence.",
    "pairs_lines": "{source} has {first} lines, {target} has {second}: line n of one must translate line n of the other. Mend the files.",
    "pairs_nothing": "{source} and {target} hold no sentence pair: no line has text in both. Name two files of sentences, line n of one the translation of line n of the other.",
    "pairs_long": "All {pairs} sentence pairs are longer than the {longest} tokens that the network takes. Break them up, or raise --max-position-embeddings.",
    "subwords_special": "The tokenizer's token {number} is not {token}: it is not the vocabulary of a translator.",
    "subwords_no_text": "There is no text to learn subwords from: the sentence pairs hold no words.",
    # classification (embeddings/text/labelled.py, models/classification*.py, training/classification*.py)
    "labelled_empty": "{path} holds no labelled sentence. Write one a line, the label first, as: 1 a fine film; or a table with the columns label and sentence.",
    "labelled_line": "{path}, line {line}: «{text}» is not a label and a sentence. Write the label first and the sentence behind a space, or remove the line.",
    "labelled_column": "{path} has no column {name}; its first line names: {found}. A table's first line names the columns label and sentence.",
    "labelled_fields": "{path}, line {line}: fields found: {found}; the first line names {expected}. Correct the line; a comma within a sentence of a .csv needs quotes around it.",
    "labelled_blank": "{path}, line {line}: the label or the sentence is empty. Fill it in or remove the line.",
    "labelled_quote": "{path}, line {line}: what begins there cannot be read: {reason}. Close its quotes, and double a quote that stands within quotes.",
    "labelled_one_class": "{path} has one label only, «{label}»: there is nothing to tell apart. Add sentences with another label.",
    "labelled_unknown": "{path} has the label «{label}», which {training} does not have: it knows {choices}. Correct the label, or train with sentences that have it.",
    "classify_labels": "«{labels}» are no labels of a classifier: at least two are needed, all different.",
    "classify_names": "The names «{names}» do not fit the labels «{labels}»: give one for each, all different, in this order.",
    "classify_kind": "«{name}» is of kind {kind}, and a classifier is needed here. See what there is: klyuch models list, or train one: klyuch classify train",
    "classify_bert_missing": "{path} needs the network «{name}» with the sha256 {sha256}, which is not on the shelf. Bring it: klyuch models import FOLDER",
    "classify_tokenizer": "{path} has no tokenizer: one of {wanted} is needed to read text. Put the tokenizer of that network there.",
    "classify_empty": "There is no word to classify. Type a sentence.",
    # contexts and senses (embeddings/text/contexts.py, analysis/senses.py, probing/senses.py)
    "contexts_column": "{path} lacks the column {name}. The first line names the columns, tab-separated: {expected}. The two of senses may be missing.",
    "contexts_twice": "{path} names the column {name} twice. Keep one of the two.",
    "contexts_fields": "{path}, line {line}: fields found: {found}; the first line names {expected}. Single tabs stand between them; a context holds none.",
    "contexts_position": "{path}, line {line}: «{value}» is not a position. Write start-end in characters, as 12-16, several with commas.",
    "contexts_blank": "{path}, line {line}: the word or the context is empty. Fill it in or remove the line.",
    "contexts_empty": "{path} holds no contexts, only the names of columns. Put one context a line.",
    "contexts_word_absent": "«{word}» does not stand in context {id}, «{text}». Correct its positions, or remove the context.",
    "contexts_word_nowhere": "«{word}» does not stand in «{text}», in no form. Give --word a word of the sentence.",
    "contexts_without_words": "None of the {contexts} contexts in {path} holds its word. Correct the words, or the language by --language.",
    "senses_companion": "«{name}» is a static model, and companion={companion} is one that stands beside a network. Leave --companion out, or name a network by --model.",
    "contexts_output": "{path} does not end in .npz, the form in which vectors of contexts are written. Name a file that does.",
    "senses_few": "Contexts of «{word}»: {found}, too few to find senses in: at least {least} are needed. Add contexts.",
    # questions to Vectors (embeddings/vectors/table.py)
    "vectors_uncounted": "These vectors bring no counts: their file does not say how often a word was seen. Import one that does, or train.",
    "similar_nothing": "There is nothing to look for: name at least one word, in positive or in negative.",
    # models
    "model_not_static": "«{name}» is of kind {kind}, which has no single vector a word. Choose a static model: klyuch models list.",
    "model_not_network": "«{name}» is of kind {kind}, and a BERT or ALBERT is needed here. See what there is: klyuch models list, or train one: klyuch bert pretrain",
    "model_name": "«{name}» cannot name a model: letters, digits, _ . and - can, 100 at most, a letter or digit first. Choose another name.",
    "model_taken": "There is a model called «{name}» on the shelf already. Choose another name, as {free}.",
    "model_gone": "There is no model of yours called «{name}» any more: it was deleted or renamed, perhaps in another window.",
    "model_shipped": "«{name}» ships with Klyuch and stays as it is: only your own models can be renamed and deleted.",
    "import_which": "{path} is not one model that is read here; it holds: {found}. Name the file of vectors itself, or a folder of one model.",
    "archive_files": "{path} holds over {bound} files, which no model does. Nothing was kept.",
    "archive_outside": "{path} names the file {name}, which would lie outside its folder. Nothing was kept. If you trust it, unpack it yourself and import the folder.",
    "archive_ratio": "{path} unpacks to over {ratio} times its size, which a model never does. Nothing was kept.",
    "export_there": "{path} is there already. Choose another name, or delete it first.",
    "export_limit": "«{name}» is of kind {kind}, and a limit counts the words of a static model. Leave --limit out.",
    "export_format": "«{name}» is of kind {kind} and cannot be written as {format}. Choose one of: {choices}.",
    "corpus_gone": "There is no corpus of yours called «{name}» any more: it was deleted, perhaps in another window.",
    "model_unknown": "There is no model called «{name}» on the shelf, and no such file. On the shelf: {choices}.",
    # Word2Vec
    "too_few_words": "There is nothing to learn from: the corpus holds {words} words of a vocabulary of {size}. Give more text, or lower min_count.",
    "word2vec_no_pairs": "No two of the {words} words that the vocabulary knows stand in one sentence after thinning. Give longer lines, lower min_count or raise sample.",
    "word2vec_diverged": "Training diverged in epoch {epoch}: numbers overflowed at alpha={alpha}. Use a smaller alpha, as 0.025.",
    # runs
    "run_damaged": "{path} cannot be read: {reason}. Start the run anew.",
    "run_other_setting": "{path} was begun with {name}={found}, not {value}. Resume with the same settings, or start anew.",
    "run_other_corpus": "{path} belongs to another corpus: the words, their order or their counts differ. Resume with the same corpus and window, or start anew with --restart.",
    "run_unfinished": "{path} holds a training with these settings, stopped after {done} of {total} {name}. Add --resume to go on, or --restart to throw it away.",
    "run_longer": "{path} holds {done} {name} already, asked for are {value}. Ask for more, or start anew: --restart.",
    "run_resume_restart": "--resume goes on with a training, --restart throws it away: give one of the two.",
    "training_overlap": "{first} and {second} are one folder, or one lies in the other: writing one would delete the other. Choose folders apart for --output and --run.",
    # jobs (embeddings/jobs)
    "job_unknown": "There is no job «{job}»: it was removed, perhaps in another window, or never was. All jobs: klyuch jobs list",
    "job_alive": "The job «{job}» waits or runs. Cancel it first: klyuch jobs cancel {job}",
    "job_ended": "The job «{job}» has ended already: there is nothing to cancel.",
    "job_done": "The job «{job}» is done: there is nothing to go on with.",
    "job_name": "The job «{job}» will bring a model called «{name}». Choose another name, or remove that job.",
    "job_command": "«{command}» cannot be run as a job. Give a klyuch command, as: klyuch jobs start -- word2vec train novels.txt --output novels",
    "job_killed": "The process was killed (signal {signal}); signal 9 often means that the memory ran out. What was saved is kept: resume goes on from there. "
    "If it is killed again, take fewer numbers a word or a smaller text.",
    "job_cut": "The process ended without a word: killed, or the machine went down. What was saved is kept: resume goes on from there.",
    "job_crashed": "The command ended with an error (exit code {number}). The last lines of its log say why; resume tries again from the last checkpoint.",
    "job_nothing": "This job has no {what} yet.",
    # text that a person brings (embeddings/text/intake.py), films (embeddings/jobs/learned.py)
    "intake_name": "«{name}» cannot name a corpus: letters, digits, _ . and - can, 80 at most, the first a letter or digit.",
    "intake_taken": "There is a corpus called «{name}» already. Choose another name, or take that corpus.",
    "intake_nothing": "{name} holds no text: it is empty.",
    "intake_members": "{name} holds {found} files; up to {bound} are taken. Join them, or bring them in several parts.",
    "intake_outside": "{name} holds a path that leads outside the archive: {member}. Nothing was taken. Pack it anew, without such names.",
    "intake_link": "{name} holds a link in place of a file: {member}. Nothing was taken. Pack the files themselves.",
    "intake_suffix": "{name} holds {member}, which is no text: only .txt, .gz and .xz in a zip are taken. Pack the texts alone.",
    "intake_cut": "{name} ends too early: the packed data is cut off. Bring it again.",
    "intake_damaged": "{name} cannot be unpacked: {reason}. Pack it anew, without a password.",
    "intake_ratio": "{name} unpacks to over {ratio} times its size, which text never does. Nothing was taken.",
    "intake_large": "{name}: the text passes {bound} GB, which is all that is taken here. Use klyuch corpus encode for more.",
    "intake_binary": "{name}, line {line}: a NUL byte, so this is not text. Save it as plain text in UTF-8.",
    "intake_encoding": "{name}, line {line}: byte {byte} is not UTF-8; the text looks like {guess}. Read it as {guess}, or save it as UTF-8.",
    "intake_byte": "{name}, line {line}: byte {byte} is not {encoding}, and no other encoding fits. Save the text as UTF-8.",
    "intake_foreign": "{name} is {what}, not text. Save it as plain text (.txt) in UTF-8.",
    "film_frames": "This training has kept fewer than two moments: there is no film of it.",
    "film_words": "A film needs three words that the training has kept; {words} of these are. Choose commoner ones.",
    # analysis
    "evaluation_question": "{path}, line {line}: words found: {found}; a question has four (a b c d): «{text}». Correct or remove the line.",
    "evaluation_pair": "{path}, line {line}: «{text}» is not two words and a number. Correct or remove the line.",
    "evaluation_nothing": "There is nothing to score: name a test set by --analogies or --pairs.",
    "evaluation_empty": "{path} holds no line of the form «{what}». Is it a test set?",
    "similarity_few": "«{words}» are too few: name at least three different words.",
    "axis_point": "«{low}» and «{high}» have the same vector, so no axis runs between them. Choose two other words.",
    "pattern_slow": "«{pattern}» could search for ever: use at most {repeats} repeats (* + {{}}), none of them behind a bracket, in at most {signs} signs.",
    "pattern_invalid": "«{pattern}» is not a regular expression: {reason}. Correct it, or escape signs with \\.",
    "formula_empty": "The formula is empty. Type one, as: king - man + woman",
    "formula_long": "The formula has {length} characters, the bound is {bound}. Shorten it.",
    "formula_character": "The formula cannot be read at character {position}: «{found}» has no meaning there. Put a word with such signs in quotes.\n{formula}\n{pointer}",
    "formula_brackets": "The formula cannot be read at character {position}: there are no brackets. Write a - (b - c) as a - b + c.\n{formula}\n{pointer}",
    "formula_word": "The formula cannot be read at character {position}: a word is missing there.\n{formula}\n{pointer}",
    "formula_operator": "The formula cannot be read at character {position}: + or - is missing before «{found}».\n{formula}\n{pointer}",
    "formula_quote": "The formula cannot be read at character {position}: the quote {found} is not closed.\n{formula}\n{pointer}",
    "formula_weight": "The formula cannot be read at character {position}: a weight must be more than 0 and at most 1000.\n{formula}\n{pointer}",
    "formula_zero": "«{formula}» adds up to nothing: the words cancel each other out. Change a word or a weight.",
    "inside_empty": "There is no word in the sentence. Type one, as: The dog sees the man.",
    "inside_words": "Words in the sentence: {words}; two at least are needed to exchange them. Type a longer one.",
    "inside_swap": "Word {place} cannot change places with itself. Choose two different words.",
    "compare_common": "«{first}» and «{second}» have {words} words in common, at least {least} are needed. Compare models of one language.",
    "compare_languages": "«{first}» is of the language {first_language}, «{second}» of {second_language}: only words spelled alike would be compared. Compare models of one language.",
    "compare_words": "None of these words is in both models: {words}. Name words that both know.",
    "compare_models": "Models to compare: {models}; at least two are needed. Name another.",
    "projection_words": "{words} words are too few for {method}: name at least {least}.",
    "projection_extra": "Only method=pca can place extra points on a map, not {method}.",
    "pca_components": "n_components={value} cannot be had from {rows} rows of {columns} columns: it must be a whole number from 1 to the smaller of the two, and two rows at least are needed.",
    "pca_columns": "{found} columns do not fit this PCA, which was fitted to {expected}.",
    "pca_matrix": "PCA takes a matrix of rows and columns, not an array of shape {shape}.",
    "pca_number": "The rows hold a number that is not finite, or too large to be squared. Remove it first.",
    # co-occurrence and GloVe
    "cooccurrence_empty": "There is nothing to count: the corpus has no word of its vocabulary. Give a longer text or a smaller min_count.",
    "cooccurrence_folder": "memory_mb={memory_mb} counts on disk: give the folder to write to.",
    "cooccurrence_memory": "memory_mb={memory_mb} is too little for {words} words: at least {needed} MB are needed. Give --memory-mb {needed}, or cap the vocabulary: klyuch corpus encode ... --max-words 50000",
    "glove_no_pairs": "No two of the {words} words stand in one sentence. Give longer lines or lower min_count.",
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

    ``suggestions`` holds up to three close spellings, ``count`` how often the corpus had the word (0: never seen; None: not known);
    ``code`` is another sentence than that of a word without a vector.
    """

    def __init__(
        self,
        word: str,
        size: int,
        suggestions: tuple[str, ...] = (),
        count: int | None = None,
        code: str = "",
    ) -> None:
        self.word, self.size = word, size
        self.suggestions = suggestions
        self.count = count
        near = f" Close spellings: {', '.join(suggestions)}." if suggestions else ""
        code = code or ("word_rare" if count else "word_unknown")
        super().__init__(code, word=word, size=size, count=count, suggestions=near)

"""Every refusal that a person can act on: a code, the values in it, and its English sentence.

The code and fields travel; `app/wording/` says the same sentence in the other languages. A sentence names what was given,
the bound, and the way out. Programming errors are not here: they stay plain exceptions. What the system refuses (a full
disk, a right that is not there) becomes a refusal by `refusal` and `refusals`.

In this order: the sentences, room by room as in docs/architecture.md; the exceptions; the system's errors turned into them.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from string import Formatter

SENTENCES: dict[str, str] = {
    # files and what the system refuses (files.py, archives.py)
    "file_missing": "{path} does not exist. {way_out}",
    "file_checksum": "{path} is damaged: its sha256 is {found}, its card says {expected}. Get it again.",
    "file_cut": "{path} was truncated while it was open: {size} of its {expected} bytes are left. Get it again.",
    "file_unreadable": "{path} cannot be read: {reason}",
    "json_large": "{path} holds more than {bound} bytes, which is all that is read of such a file. Get it again, or take out what does not belong there.",
    "json_deep": "{path} nests values deeper than {bound}, which is all that is read. Get it again.",
    "file_system": "{path} cannot be read or written: {reason}. Check the path and its permissions, or choose another place.",
    "file_room": "{path} cannot be written: the disk is full. Make room, or choose another place.",
    "file_right": "{path} cannot be opened: {reason}. Get permission for it, or choose another place.",
    "file_above": "{path} cannot be written: a file stands where a folder is needed. Choose another place.",
    "file_folder": "{path} is a folder, and a file is needed there. Name a file.",
    "output_here": "{path} is the folder that you are in, or one above it, and cannot be replaced. Name a new folder, as {path}/out",
    "archive_files": "{path} holds over {bound} files, which no model does. Nothing was kept.",
    "archive_outside": "{path} names the file {name}, which would lie outside its folder. Nothing was kept. If you trust it, unpack it yourself and import the folder.",
    "archive_ratio": "{path} unpacks to over {ratio} times its size, which a model never does. Nothing was kept.",
    # libraries that are optional (optional.py) and the page's own server (cli/app_commands.py)
    "library_missing": 'This needs {library}, which is not installed. In a clone: pip install ".[{extra}]"',
    "port_taken": "Port {port} is taken by another program. Choose another: klyuch app --port {free}",
    "port_right": "Port {port} is reserved for the system. Choose another: klyuch app --port {free}",
    "server_looking": "On this server models, corpora and jobs can be looked at, not changed. On your own machine you can do both: klyuch app",
    "queue_full": "{waiting:answer waits|answers wait} already, which is the limit of this server. Nothing that you entered is lost: ask again in a minute.",
    "queue_threads": "The system gives this server no further thread to compute the answer in. Nothing that you entered is lost: ask again in a minute.",
    # settings and arguments (configuration.py, cli)
    "argument_range": "{name}={value} is out of range: it must lie between {low} and {high}.",
    "argument_least": "{name}={value} is out of range: it must be at least {low}.",
    "argument_choice": "{name}={value} is not known. Choose one of: {choices}.",
    "spelling_unknown": "There is no spelling rule «{name}». Choose one of: {names}; without --spelling words stay as they are written.",
    "spelling_language": "The spelling rule {name} is not one of the language {language} of the lemmas. Leave one of the two out, or choose both of one language.",
    "spelling_encoded": "{path} was encoded with the spelling rule «{present}», not «{name}». Encode the text again with --spelling {name}, or leave --spelling out.",
    "config_type": "{path} sets {key} to {value}, which has the wrong type for this setting. Get the file again, or correct the value.",
    "argument_language": "«{value}» is not a language code. Give two or three lower-case letters, such as en, ru or de; join several with +.",
    "argument_languages": "«{value}» is not a pair of languages. Give the codes of both with - between, as en-de.",
    "config_unknown_key": "{path} has a setting that this version does not know: {key}. Known are: {choices}.",
    # words, tokens and tokenizers (text)
    "tokenizer_part": "{path}: {name} is {value}; what is opened here is: {bound}. Take the tokenizer of a BERT, ALBERT or RoBERTa.",
    "wordpiece_special": "The tokenizer has no {token}: it is not that of a BERT, ALBERT or RoBERTa. Take all files of the model's folder, or train one: klyuch wordpiece train",
    "wordpiece_no_text": "There is no text to learn a WordPiece vocabulary from: name at least one file with words in it.",
    "wordpiece_text": "The text holds bytes that are not UTF-8. Give it in UTF-8.",
    "vocabulary_mismatch": "The corpus was prepared with {found:token|tokens}, vocab_size is {expected}: use the vocabulary that lies beside it.",
    "word_unknown": "«{word}» is not among the {size} words of this model.{suggestions}",
    "word_rare": "«{word}» is too rare for this model's {size} words; its count in the corpus: {count}.{suggestions}",
    "word_table": "«{word}» is not among the {size} words of this table, which holds the commonest of its corpus.{suggestions}",
    "word_uncounted": "«{word}» is not among the {size} content words whose counts come with this model. For other words, train a GloVe "
    "of your own that keeps theirs: klyuch glove train … --examples WORDS.{suggestions}",
    "word_without_contexts": "«{word}» is not among the {size} commonest words whose contexts are kept with this model. For other words, count the contexts "
    "of more: klyuch words contexts CORPUS --model MODEL --words NUMBER.{suggestions}",
    "contexts_target": "Contexts cannot be kept with {model}: only with a static model of your own, in its folder. Train one, or import the vectors: klyuch models import FILE",
    "contexts_corpus": "{path} is not the corpus of {model}: its commonest words are others. Name the folder of ids that the model was trained on.",
    "subwords_special": "The tokenizer's token {number} is not {token}: it is not the vocabulary of a translator.",
    "subwords_no_text": "There is no text to learn subwords from: the sentence pairs hold no words.",
    # text files, encoded corpora, concordances, contexts (corpora)
    "corpus_folder_empty": "{path} holds no text: put files with the suffixes {suffixes} there, or name one.",
    "corpus_line_long": "{path}, line {line}: {size} bytes without a line end or a space; at most {bound} are read. Is this text? Break it into paragraphs, one per line: fold -s -w 5000 '{path}' > lines.txt",
    "corpus_truncated": "{path} ends too early: the compressed data is cut off. Get the file again.",
    "corpus_damaged": "{path} is not valid {kind} data: {reason}. Get the file again.",
    "corpus_archive": "{path} is not plain text: it begins as {what} does. Give it its proper suffix, or unpack it first.",
    "corpus_binary": "{path}, line {line}: a NUL byte, so this is not text. Save it as plain text in UTF-8.",
    "corpus_encoding": "{path}, line {line}: byte {byte} is not UTF-8. The text seems to be in {guess} (confidence {confidence} %). Convert it: klyuch corpus convert '{path}' --encoding {guess} --output utf8",
    "corpus_byte": "{path}, line {line}: byte {byte} is not UTF-8, and no other encoding was recognised. If you know it, name it: klyuch corpus convert '{path}' --encoding NAME --output utf8; with --encoding utf-8 damaged bytes become U+FFFD, and every letter stays.",
    "corpus_output_source": "{path} is the source {source}, or holds it or lies in it: writing would endanger the text. Choose another place for --output.",
    "corpus_source_encoded": "{path} is an encoded corpus already, or a model, not a folder of text. Name the text files, or train on it: "
    "klyuch word2vec train {path}",
    "corpus_wordless": "{path}: no words were found, neither letters nor digits. Is the file empty, or the wrong one?",
    "corpus_min_count": "{path}: no word occurs as often as min_count={min_count} asks; the most frequent, «{word}», has the count {count}. Lower min_count.",
    "corpus_folder": "{path} is not a complete encoded corpus: {name} is missing, damaged or of another corpus. Run `klyuch corpus encode` again.",
    "corpus_no_text": "There is no text in these files ({files}): write one paragraph per line, a blank line between documents.",
    "concordance_other": "{path} is not a concordance. Build one: klyuch concordance build CORPUS... --output FILE",
    "concordance_version": "{path} is a concordance of version {found}, this program reads version {expected}. Build it again: klyuch concordance build",
    "concordance_damaged": "{path} is a damaged concordance: {reason}. Build it again: klyuch concordance build",
    "concordance_changed": "{path} is not used: {name} has changed since {model} was trained on it (its checksum is another). Train the model again on the text as it is now, or index the text as it was: klyuch concordance build",
    "concordance_target": "{path} exists already and is not a concordance: writing would delete it. Choose another place for --output.",
    "concordance_unwritten": "{path} could not be written: {reason}. Nothing is left of it. Make room, or install a Python whose SQLite has FTS5.",
    "concordance_words": "«{word}» is more than one word. Give one: it is found in all of its forms.",
    "concordance_word": "«{word}» holds no letter and no digit. Give one word.",
    "contexts_map_few": "{found:context is|contexts are} too few for a map: at least {least} are needed. Add sentences.",
    "pairs_too_few": "The corpus is too short for sentence pairs: {pairs:pair|pairs} from {documents:document|documents} cannot give a true and a false one. Add more documents of several sentences; a false second half comes from another document of the same file.",
    "pairs_lines": "{source} has {first:line|lines}, {target} has {second}: line n of one must translate line n of the other. Correct the files.",
    "pairs_nothing": "{source} and {target} hold no sentence pair: no line has text in both. Name two files of sentences, line n of one the translation of line n of the other.",
    "pairs_long": "Every sentence pair ({pairs}) is longer than the {longest:token|tokens} that the network takes. Break them up, or raise --max-position-embeddings.",
    "blanks_mask": "{path}, line {line}: «{text}» has {masks} [MASK]; a sentence has exactly one. Write [MASK] where the word is missing.",
    "blanks_answer": "{path}, line {line}: «{text}» has no answer. Write the missing word after the sentence, separated by a tab.",
    "blanks_empty": "{path} holds no sentence. Write one per line: a sentence with [MASK], a tab, the missing word.",
    "pairs_column": "{path} needs one column {name}; its first line names: {named}. The first line of a table of minimal pairs names the columns good and bad, tab-separated.",
    "pairs_line": "{path}, line {line}: «{text}» lacks one of its two sentences. Fill it in or remove the line.",
    "pairs_empty": "{path} holds no pair of sentences. Write one per line below the header, tab-separated.",
    "grammar_empty": "There is no sentence to score. Type one with at least one word.",
    "grammar_mask": "«{text}» contains {mask}. Type whole sentences: each token is masked in turn.",
    "wic_column": "{path} needs one column {name}; its first line names: {named}. The first line of a table of words in two contexts names {expected}, tab-separated.",
    "wic_fields": "{path}, line {line}: fields found: {fields}; the first line names {expected}. Correct the line or remove it.",
    "wic_same": "{path}, line {line}: the column same says «{value}». Write T where the word means the same in both sentences, F where it does not.",
    "wic_span": "{path}, line {line}: characters {start} to {end} are no word of «{text}», which has {length}. Give the first character and the one past the last, counted from 0.",
    "wic_empty": "{path} holds no pair of sentences. Write one per line below the header, tab-separated.",
    "wic_few": "Only one word has pairs ({pairs}). A threshold is chosen on half of the words and scored on the other: bring pairs of two words at least.",
    "labelled_empty": "{path} holds no labelled sentence. Write one per line, the label first, as: 1 a fine film; or a table with the columns label and sentence.",
    "labelled_line": "{path}, line {line}: «{text}» is not a label and a sentence. Write the label, a space and the sentence, or remove the line.",
    "labelled_column": "{path} has no column {name}; its first line names: {found}. A table's first line names the columns label and sentence.",
    "labelled_fields": "{path}, line {line}: fields found: {found}; the first line names {expected}. Correct the line; a comma within a sentence of a .csv needs quotes around it.",
    "labelled_blank": "{path}, line {line}: the label or the sentence is empty. Fill it in or remove the line.",
    "csv_quote_open": "{path}, line {line}: a quote that opens in this row is never closed. Close it, and double a quote that stands within quotes.",
    "csv_quote": "{path}, line {line}: there is text after a closing quote; perhaps an earlier one is not closed. Close its quotes or put them around the whole cell, and double a quote that stands within them.",
    "csv_field_long": "{path}, line {line}: a cell has more than {bound} characters; often a quote was not closed. Close it, or shorten the cell.",
    "csv_line_end": "{path}, line {line}: a carriage return stands within a row. End every line alike, by a line feed.",
    "labelled_one_class": "{path} has one label only, «{label}»: there is nothing to distinguish. Add sentences with another label.",
    "labelled_unknown": "{path} has the label «{label}», which {training} does not have: it knows {choices}. Correct the label, or train with sentences that have it.",
    "contexts_column": "{path} lacks the column {name}. The first line names the columns, tab-separated: {expected}. The two of senses may be missing.",
    "contexts_columns": "{path} names {found:column|columns}; at most {bound} are read. Keep those that say something of the contexts.",
    "contexts_twice": "{path} names the column {name} twice. Keep one of the two.",
    "contexts_fields": "{path}, line {line}: fields found: {found}; the first line names {expected}. Single tabs stand between them; a context holds none.",
    "contexts_position": "{path}, line {line}: «{value}» is not a position. Write start-end in characters, as 12-16, several with commas.",
    "contexts_blank": "{path}, line {line}: the word or the context is empty. Fill it in or remove the line.",
    "contexts_empty": "{path} holds no contexts, only the names of columns. Put one context per line.",
    "contexts_word_absent": "«{word}» does not occur in context {id}, «{text}». Correct its positions, or remove the context.",
    "contexts_word_nowhere": "«{word}» does not occur in «{text}» in any form. Give --word a word of the sentence.",
    "contexts_without_words": "Of {contexts:context|contexts} in {path}, none holds its word. Correct the words, or the language by --language.",
    "contexts_output": "{path} does not end in .npz, the form in which vectors of contexts are written. Name a file that does.",
    "contexts_large": "{path} is larger than {bound} MiB, all that is read of a file of contexts. Take a part of it.",
    "contexts_json": "{path} is no JSON file of contexts: it needs the entries format, «{format}», and contexts, a list. Export one from the page Contexts to see the form.",
    "contexts_json_entry": "{path}, context {line}: an object of texts is expected, with the columns as names. Correct the entry or remove it.",
    "senses_form": "{path} ends in none of {forms}, the forms in which contexts with senses are written. Name a file that does.",
    "corpus_gone": "There is no corpus of yours called «{name}» any more: it was deleted, perhaps in another window.",
    "corpus_encoding_unknown": "{path} cannot be read as «{encoding}»: this is not an encoding of text that Python knows, or the bytes do not fit it. Name another, as windows-1250 or gb18030, or let it be detected: --encoding detect",
    "corpus_markup_open": "{path}: a tag, or a line of JSON, has more than {bound} characters. Is the file damaged? Get it again.",
    "corpus_json": "{path}, line {line} is not valid JSON. In JSON lines each line is one object with a field text. Correct the line, or name the file .txt if it is plain text.",
    "corpus_json_text": "{path}, line {line}: the object has no field text that holds text; its fields: {fields}. Rename the field that does, as by: jq -c '{{text: .body}}'",
    "corpus_document": "{path} cannot be read as {kind}: {reason}. Save it again, or save its text as a .txt file in UTF-8.",
    "corpus_document_large": "{path} is larger than {bound} MB, all that is read of a document. Save its text as a .txt file: of that any size is read.",
    "corpus_document_scan": "{path} holds no text, only pictures of pages. Recognise the text first, as by: ocrmypdf '{path}' text.pdf",
    "corpus_convert_target": "{path} exists already. Choose another folder for --output.",
    # the catalogue, downloads, texts that a person brings (sources)
    "catalogue_close": "«{name}» is not in the catalogue. Near it: {choices}. All names: klyuch corpus list",
    "catalogue_unknown": "«{name}» is not in the catalogue. Names there: {choices}. An http or https address can be given too.",
    "catalogue_no_file": "{address} names no file. Give the address of the file itself.",
    "catalogue_name": "«{name}» cannot name a folder: letters, digits, _ . and - can, 100 at most. Choose another --name.",
    "catalogue_taken": "The name {name} belongs to {source}. Choose another by --name.",
    "fetch_mirror_only": "{file} of «{name}» has no public address: only a mirror has it. Set KLYUCH_MIRROR to a mirror's folder or address.",
    "fetch_mirror_lacks": "{mirror} does not have {file} of «{name}», and no public address has it. Set KLYUCH_MIRROR to a mirror that does.",
    "fetch_write": "{path} cannot be written: {reason}. Make room or give the right to write there, or set KLYUCH_HOME to another folder.",
    "fetch_busy": "Another Klyuch process is downloading «{name}». Wait until it has ended.",
    "download_scheme": "{address} cannot be opened: only http and https addresses without a password in them are. Fetch the file by "
    "another tool and give it to klyuch corpus encode.",
    "download_downgrade": "{address} leads on to {target}, from https to http, which anybody on the way can change. Give that address "
    "itself if you trust it.",
    "download_status": "{address} answers with the error {status}. Is the address right? A mirror can be named by KLYUCH_MIRROR.",
    "download_unreachable": "{address} cannot be reached: {reason}. Check the connection, or name a mirror by KLYUCH_MIRROR.",
    "download_broken": "The download of {address} broke off at {done} of {total} bytes. They are kept: the same command resumes the download.",
    "download_size": "{address} has {found} bytes where {expected} are expected: it is another file, or an error page. Nothing was kept.",
    "download_large": "{address} sends more than {bound} bytes, which is the limit. Nothing was kept.",
    "download_room": "{path} has room for {free} bytes, {needed} are needed. Make room, or set KLYUCH_HOME to another disk.",
    "download_checksum": "What {address} sent is not what it should be: its sha256 is {found}, expected is {expected}. Nothing was kept. "
    "Try again, or another mirror.",
    "download_changed": "{address} sends something else than at first: its sha256 is {found}, the first download recorded {expected}. "
    "Nothing was kept. If you want the new one, add --renew.",
    "unpack_ratio": "{path} unpacks to over {ratio} times its size, which text never does. Nothing was kept.",
    "unpack_members": "{path} holds {found:file|files}, not one text. Unpack it yourself and give the folder to klyuch corpus encode.",
    "intake_name": "«{name}» cannot name a corpus: letters, digits, _ . and - can, 80 at most, the first a letter or digit.",
    "intake_taken": "There is a corpus called «{name}» already. Choose another name, or take that corpus.",
    "intake_nothing": "{name} holds no text: it is empty.",
    "intake_members": "{name} holds {found} files; up to {bound} are taken. Join them, or upload them in several parts.",
    "intake_outside": "{name} holds a path that leads outside the archive: {member}. Nothing was taken. Pack it anew, without such names.",
    "intake_link": "{name} holds a link in place of a file: {member}. Nothing was taken. Pack the files themselves.",
    "intake_mark": "{name} was read as UTF-16, but it has no byte-order mark (BOM). Choose its true encoding, or save it as UTF-8.",
    "intake_suffix": "{name} holds {member}, which is not text: only .txt, .gz and .xz in a zip are taken. Pack the texts alone.",
    "intake_cut": "{name} ends too early: the compressed data is cut off. Upload it again.",
    "intake_damaged": "{name} cannot be unpacked: {reason}. Pack it anew, without a password.",
    "intake_ratio": "{name} unpacks to over {ratio} times its size, which text never does. Nothing was taken.",
    "intake_large": "{name}: the text passes {bound} GB, which is the limit here. Use klyuch corpus encode for more.",
    "intake_table_large": "{name}: the table passes {bound} MB, which is the limit here. Divide a larger one in a shell: klyuch words change TABLE --at YEAR",
    "intake_binary": "{name}, line {line}: a NUL byte, so this is not text. Save it as plain text in UTF-8.",
    "intake_encoding": "{name}, line {line}: byte {byte} is not UTF-8. The text seems to be in {guess} (confidence {confidence} %). Read it as {guess}, or save it as UTF-8.",
    "intake_byte": "{name}, line {line}: byte {byte} is not {encoding}, and no other encoding fits. Save the text as UTF-8.",
    "intake_foreign": "{name} is {what}, not text. Save it as plain text (.txt) in UTF-8.",
    # vectors and their files (vectors)
    "vectors_shape": "{words:word does|words do} not fit a matrix of shape {shape}: there must be one row per word. Give the words and the matrix of one model; to write them anew: klyuch words convert",
    "vectors_rows": "{path} has {words:word|words} but {rows:row|rows} of vectors. Get it again.",
    "vectors_folder": "{path} is not a folder of vectors: its config.json says format {found}, this version reads {expected}.",
    "vectors_word": "{path}, line {line}: the word «{word}» cannot be written: it is empty or holds a {forbidden}. {way_out}",
    "vectors_number": "{path}, line {line}: the vector of «{word}» holds {value}, which is not a finite number in the range of "
    "the format. Train with a lower learning rate, or leave the word out.",
    "vectors_memory": "{path} holds {rows} rows of {dimensions} numbers or more, which would take over {bound} MB of memory: far more than the vectors of a file of its size. Keep fewer rows.",
    "vectors_empty": "{path} holds no vectors. Expected one word and its numbers per line.",
    "vectors_unpacks": "{path} unpacks to over {ratio} times its size, which vectors never do. Unpack it first, if you trust it.",
    "vectors_dimensions": "{path}, line 1: the header says {value} dimensions; 1 to {high} can be read. Is it a file of vectors?",
    "vectors_claim": "{path}, line 1: the header promises {rows:row|rows} of {dimensions:number|numbers}, more than the {size} bytes of the "
    "file can hold. The file is cut short or the header is wrong: get it again, or correct the header.",
    "vectors_claim_rows": "{path}, line 1: the header promises {claimed:row|rows}, the file holds {found}. The file is cut short or the "
    "header is wrong: get it again, or write the true number there.",
    "vectors_line_long": "{path} has a line of over {size} bytes. Is it a file of vectors?",
    "vectors_ragged": "{path}, line {line}: numbers found: {found}; expected are {expected}. The file is cut short or damaged: "
    "get it again, or delete the line.",
    "vectors_field": "{path}, line {line}: «{value}» is not a number. The word must be followed by its numbers, separated by single spaces.",
    "vectors_comma": "{path}, line {line}: «{value}» is not a number: it has a comma. Write decimal points, as 0.5.",
    "vectors_tabs": "{path}, line {line}: tabs stand between the numbers. Put single spaces there, as by: tr '\\t' ' '",
    "vectors_header_value": "{path}, line 1: the header says «{value}»; the numbers of rows and dimensions are whole and at least 1, as: "
    "400000 100. Write the true numbers there.",
    "vectors_utf8": "{path}, line {line}: the word «{value}» is not UTF-8. Convert the file, as by: iconv -f LATIN1 -t UTF-8.",
    "vectors_word_empty": "{path}, line {line}: there is no word before the numbers. Delete the line, or give it a word.",
    "vectors_word_long": "{path}, row {line}: there is no word within {size} bytes. The header is wrong or the file is damaged: "
    "get it again.",
    "vectors_header": "{path}, line 1: a word2vec file begins with its numbers of rows and dimensions, as: 400000 100. "
    "Get it again, or write that line.",
    "vectors_claim_more": "{path}, line 1: the header promises {claimed:row|rows}, the file holds more. The header is wrong: write the "
    "true number there.",
    "vectors_columns": "{path}, line {line}: {found:column|columns} where the first line has {expected}. Correct the line.",
    "vectors_projector_rows": "{path} has shape {rows}, its metadata {words:word|words}, its JSON claims {shape}: they must agree. Write "
    "them again.",
    "vectors_npy": "{path} cannot be read: {reason}. Arrays of objects are pickles and are never opened: save a table of float32 "
    "by numpy.save instead.",
    "vectors_parquet": "{path} has the columns {found}; columns word and vector (a list of numbers per row) are needed. Rename them.",
    "vectors_refused": "{path} is {what}, which is not opened here. {way_out}",
    "vectors_no_folder": "{path} is not a folder of vectors; it holds {found}. A model's folder has a config.json, a Projector's a "
    "projector_config.json or vectors.tsv.",
    "card_kind": "{path} names the kind «{kind}»; the kinds of models are: {choices}. Is it the card of a model? Get the model again.",
    "vectors_target": "{path} exists already and holds {found}, which writing would delete. Choose a folder that is new.",
    "vectors_suffix": "The suffix of {path} names no known format. Choose one: {choices}.",
    "fasttext_cut": "{path} ends too early: it is cut short. Get it again.",
    "fasttext_version": "{path} is a fastText model of version {found}; versions that are read: {choices}. Write it anew with a fastText of today, or use the .vec file beside it.",
    "fasttext_quantized": "{path} is a quantised fastText model (.ftz), which holds codes in place of vectors. Use the .bin that it was made from, or print its words and vectors with fastText's print-word-vectors.",
    "fasttext_classifier": "{path} is a fastText classifier of texts, not a model of word vectors. Use one that fasttext skipgram or cbow has made, or print its words and vectors with fastText's print-word-vectors.",
    "fasttext_number": "{path} is damaged: it says {name}={value}, which must lie between {low} and {high}. Get it again.",
    "fasttext_claim": "{path} promises {rows:row|rows} of {bytes:byte|bytes}, which the {size} bytes of the file do not hold or pass. It is cut short or damaged: get it again.",
    "fasttext_rows": "{path} is damaged: its matrix has {rows:row|rows} of {columns:number|numbers}, for {words:word|words}, {bucket:bucket|buckets} and {dim:dimension|dimensions}. Get it again.",
    "card_lacks_file": "{path} names no sha256 for {name}, so the model cannot be verified. Get it again, or write it again.",
    "sense_number": "«{word}» has no sense {number}. Its senses: {senses}",
    "senses_corpus": "The model and the corpus share {words:word|words} of at least {uses:occurrence|occurrences}, and senses need {least}. Name the corpus that the model was trained on, "
    "or a larger one.",
    "senses_none": "{model} has no senses beside its vectors. Find them: klyuch senses build CORPUS --model {model} --output FOLDER",
    "senses_folder": "{path} is the folder of the model itself. Name another folder for the model with senses.",
    "vectors_no_subwords": "«{name}» has no vectors of n-grams, so a word's vector has no parts. Choose a fastText model, or train one: klyuch fasttext train",
    "vectors_uncounted": "These vectors have no counts: their file does not say how often a word occurs. Import one that does, or train.",
    # Word2Vec, GloVe and their runs (static)
    "run_settings": "{path} holds a training with {key}={before}, asked for is {now}. Choose another --run, or the same settings to resume.",
    "run_file": "{path} holds a training with another file as {key}: its sha256 begins with {before}, that of the one given now with {now}. Choose another --run, or give the same file to resume.",
    "too_few_words": "There is nothing to learn from: the corpus holds {words:word|words} of a vocabulary of {size}. Give more text, or lower min_count.",
    "word2vec_no_pairs": "No two words of the vocabulary, which has {words}, occur in one sentence after subsampling. Give longer lines, lower min_count or raise sample.",
    "word2vec_diverged": "Training diverged in epoch {epoch}: numbers overflowed at alpha={alpha}. Use a smaller alpha, as 0.025.",
    "run_damaged": "{path} cannot be read: {reason}. Start the run anew.",
    "run_other_setting": "{path} was begun with {name}={found}, not {value}. Resume with the same settings, or start anew.",
    "run_other_corpus": "{path} belongs to another corpus: the words, their order or their counts differ. Resume with the same corpus and window, or start anew with --restart.",
    "run_unfinished": "{path} holds a training with these settings, stopped after {done} of {total} {name}. Add --resume to continue, or --restart to discard it.",
    "run_longer": "{path} holds {done} {name} already, asked for are {value}. Ask for more, or start anew: --restart.",
    "run_resume_restart": "--resume continues a training, --restart discards it: give one of the two.",
    "training_overlap": "{first} and {second} are one folder, or one lies in the other: writing one would delete the other. Choose folders apart for --output and --run.",
    "cooccurrence_empty": "There is nothing to count: the corpus has no word of its vocabulary. Give a longer text or a smaller min_count.",
    "cooccurrence_folder": "memory_mb={memory_mb} counts on disk: give the folder to write to.",
    "cooccurrence_memory": "memory_mb={memory_mb} is too little for {words:word|words}: at least {needed} MB are needed. Give --memory-mb {needed}, or cap the vocabulary: klyuch corpus encode ... --max-words 50000",
    "glove_no_pairs": "No two words of the vocabulary, which has {words}, occur in one sentence. Give longer lines or lower min_count.",
    "glove_diverged": "Training diverged in iteration {iteration}: the cost is {cost} at learning_rate={learning_rate}. Use a smaller learning_rate, as {advice}.",
    # questions asked of vectors (analysis)
    "costs_positions": "sequence_length={length} is out of range: the position embedding matrix has {rows:row|rows}, and each token takes one. Raise --max-position-embeddings, or shorten the sequence.",
    "senses_companion": "«{name}» is a static model, and companion={companion} is one that stands beside a network. Leave --companion out, or name a network by --model.",
    "calibration_few": "Texts with a label: {found}; at least {least} are needed to calibrate. Take the whole validation set.",
    "senses_number": "{number:sense|senses} cannot be had of {contexts:context|contexts}. Choose a number from 1 to the number of contexts.",
    "senses_same": "A sense cannot be merged with itself. Choose another one.",
    "senses_split": "Sense {sense} has a single context and cannot be split. Move other contexts to it first, or split another sense.",
    "senses_name_taken": "Another sense is called «{name}» already. Choose another name, or merge the two.",
    "senses_name_long": "The name has {length} characters; at most {bound} are kept. Choose a shorter one.",
    "senses_values": "The column has {found:value|different values}; frequencies are counted for {bound} at most. Choose a column of documents, years or the like.",
    "annotation_unlabelled": "{path} gives no context a sense: the columns gold_sense_id and predict_sense_id are empty. Write a label into one of them for each context.",
    "annotation_other": "{path} annotates other contexts: none of its {found} is among those shown; its first is «{text}». Export the contexts shown and annotate that file.",
    "annotation_twice": "{path}, context {id}: «{text}» has two labels for the same position, {first} (context {other}) and {second}. Keep one of the two.",
    "annotation_overlap": "{path}, context {id}: in «{text}» the positions {first} (context {other}) and {second} overlap. Correct one of the two: each marks one occurrence of the word.",
    "annotation_few": "Contexts annotated in both: {found}; agreement needs at least 2. Annotate more of them.",
    "senses_few": "Contexts of «{word}»: {found}, too few to find senses in: at least {least} are needed. Add contexts.",
    "similar_nothing": "There is nothing to look for: name at least one word, in positive or in negative.",
    "evaluation_question": "{path}, line {line}: words found: {found}; a question has four (a b c d): «{text}». Correct or remove the line.",
    "evaluation_pair": "{path}, line {line}: «{text}» is not two words and a number. Correct or remove the line.",
    "evaluation_nothing": "There is nothing to score: name a test set by --analogies or --pairs.",
    "evaluation_empty": "{path} holds no line of the form «{what}». Is it a test set?",
    "similarity_few": "«{words}» are too few: name at least three different words.",
    "axis_point": "«{low}» and «{high}» have the same vector, so no axis runs between them. Choose two other words.",
    "pattern_slow": "«{pattern}» could search forever: use at most {repeats} repetitions (* + {{}}), none after a bracket, in at most {signs} characters.",
    "pattern_invalid": "«{pattern}» is not a regular expression: what begins at character {position} is not closed, or does not fit there. Correct it, or escape signs with \\.",
    "formula_empty": "The formula is empty. Type one, as: king - man + woman",
    "formula_long": "The formula has {length} characters, the bound is {bound}. Shorten it.",
    "formula_character": "The formula cannot be read at character {position}: «{found}» has no meaning there. Put a word with such signs in quotes.\n{formula}\n{pointer}",
    "formula_brackets": "The formula cannot be read at character {position}: there are no brackets. Write a - (b - c) as a - b + c.\n{formula}\n{pointer}",
    "formula_word": "The formula cannot be read at character {position}: a word is missing there.\n{formula}\n{pointer}",
    "formula_operator": "The formula cannot be read at character {position}: + or - is missing before «{found}».\n{formula}\n{pointer}",
    "formula_quote": "The formula cannot be read at character {position}: the quote {found} is not closed.\n{formula}\n{pointer}",
    "formula_weight": "The formula cannot be read at character {position}: a weight must be more than 0 and at most 1000.\n{formula}\n{pointer}",
    "formula_proportion": "«{formula}» is no proportion of four words, one of them asked for. Write one as: king : man :: queen : ?",
    "formula_zero": "«{formula}» adds up to nothing: the words cancel each other out. Change a word or a weight.",
    "compare_common": "«{first}» and «{second}» have {words:word|words} in common, at least {least} are needed. Compare models of one language.",
    "compare_languages": "«{first}» is of the language {first_language}, «{second}» of {second_language}: only words spelled alike would be compared. Compare models of one language.",
    "compare_words": "None of these words is in both models: {words}. Name words that both know.",
    "compare_models": "Models to compare: {models}; at least two are needed. Name another.",
    "stability_output": "There is no place for the spread: name one by --output, or a model by --like.",
    "stability_sets": "Two test sets are called {name}, and scores are kept by name. Rename one of the files.",
    "stability_documents": "The corpus has {documents:document|documents}: without two there is nothing to draw. Part it by blank lines, or take --resample none.",
    "stability_words": "{words:word is|words are} in all runs, at least 2 are needed. Take a larger corpus, or --resample none.",
    "stability_formula": "The spread keeps every run's vectors of {kept} words, and «{word}» is not among them: the answers to this formula have no ranges. Measure a spread that keeps it: klyuch words stability CORPUS --like MODEL --keep FILE",
    "stability_word": "«{word}» is not among the {rows} commonest words whose neighbours were kept. Measure more: klyuch words stability CORPUS --rows NUMBER",
    "stability_model": "{model} was trained by {method}: what is trained again here is skip-gram or CBOW. Name such a model, or leave --like out.",
    "documents_none": "Of {documents:document|documents} in the corpus, none is left. Name fewer to leave out.",
    "documents_no_word": "Of {words:word|words} in the text that takes the place, none is in the corpus, or common enough in itself. Take a text in the same language, or a longer one.",
    "change_second": "Name a second text, or the year at which a table of dated texts is divided: klyuch words change TABLE --at 1850",
    "change_tables": "With --dates, --at names the year and the first argument the text; there is no second text.",
    "dates_column": "{path} has no column {name}; its first line names: {named}. Name the column of dates, and that of texts or of document numbers.",
    "dates_one_column": "{path} is no table: its first line names {named}. It needs two columns at least, separated by tabs, commas or semicolons: dates, and texts or document numbers.",
    "dates_year": "«{year}» is no year at which texts can be divided. Write one from {low} to {high}, in digits.",
    "dates_none": "No row of {path} has a year in its column {name}; it begins with «{value}». A date begins with its year: 1850, 1850-03-01.",
    "dates_twice": "{path} dates document {document} twice. Name each document in one row.",
    "dates_side": "{path}: {before:text lies|texts lie} before {year} and {after} from it on. Choose another year, so that both parts have some.",
    "change_encoding": "The two corpora are encoded in different ways: one in lower case, by lemmas or by a spelling rule, the other not. Encode both alike: klyuch corpus encode",
    "change_documents": "The sides have {first} and {second:document|documents}; each needs at least two, to be shuffled. Part the texts by blank lines.",
    "change_common": "No word occurs at least {least:time|times} on both sides. Take longer texts, or lower --least.",
    "change_words": "{words:word|words} can be measured on both sides, at least {least} are needed. Take longer texts, or lower --least.",
    "change_same": "Both sides are the same text, «{name}». Choose another for one of them.",
    "change_missing": "Two texts are compared, and one is not there yet. Paste it or choose files, and store it; or choose one of yours.",
    "change_table_missing": "There is no table of dates yet. Paste it or choose a file, and store it; or choose one of yours.",
    "change_text_missing": "The table names documents by their numbers, and their text is not there yet. Paste it or choose files, and store it; or choose one of yours.",
    "change_deals": "The sides have {first} and {second:document|documents}, which can be dealt out in {ways:way|ways}; {permutations} shuffles need more. Part the texts by blank lines, or take longer ones.",
    "change_few": "{words:word occurs|words occur} at least {least:time|times} on both sides; at least {bound} are needed, or one side can be rotated onto the other whatever they mean. Take longer texts.",
    "report_name": "«{name}» cannot name a report: letters, digits, _ . and - can, 80 at most, the first a letter or digit.",
    "report_taken": "There is a report called «{name}» already, or one is being made. Choose another name, as {free}",
    "whatif_nothing": "Nothing is left out: name documents by --without, or a word by --without-word.",
    "whatif_no_swap": "No text is stored yet that could take the place of what is left out. Paste one or choose files, and store it; or put nothing there.",
    "whatif_documents": "«{part}» names no documents of this corpus, which has {documents}. Write numbers and ranges from 1, as 3,7-9.",
    "weat_few": "{set}: {known:of its words is|of its words are} in {model}, at least {least} are needed; not there: {missing}. Name other words, or a larger model.",
    "weat_shared": "«{word}» is among {first} and among {second}. Take it out of one of the two.",
    "weat_unknown": "«{name}» is no association test for the language «{language}». There are: {choices}; those of the paper after klyuch corpus get weat. A TOML file with four lists can be given too.",
    "weat_form": '{path} does not hold four lists of words. Write two sets of targets, then two of attributes, each as: `flowers = "rose, lily, tulip"`',
    "projection_words": "{words:word is|words are} too few for {method}: name at least {least}.",
    "projection_ended": "The process that computes UMAP has ended before its map of {words:word|words} was ready; most often memory ran out. Take fewer words, or ask again.",
    "projection_extra": "Only method=pca can place extra points on a map, not {method}.",
    "pca_components": 'n_components={value} cannot be computed from {rows:row|rows} of {columns:column|columns}: it must be a whole number from 1 to the smaller of the two, a share of the variance between 0 and 1, None, or "mle" where there are at least as many rows as columns.',
    "pca_columns": "X has {found} features, but PCA is expecting {expected} features as input.",
    "pca_names": "The feature names should match those that were passed during fit. The columns are {found}; fit saw {expected}. Select them in that order.",
    "pca_mixed_names": "Feature names are only supported if all input features have string names. Convert them: X.columns = X.columns.astype(str)",
    "pca_matrix": "Expected 2D array, got an array of shape {shape} instead. Reshape your data: array.reshape(-1, 1) makes one column, array.reshape(1, -1) one row.",
    "pca_no_rows": "Found array with 0 sample(s) (shape={shape}) while a minimum of 2 is required.",
    "pca_no_columns": "Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.",
    "pca_one_row": "Found array with 1 sample(s) (shape={shape}) while a minimum of 2 is required.",
    "pca_number": "Input X contains NaN, infinity or a value too large to be squared. Remove it first.",
    "pca_sparse": "Sparse data was passed, but dense data is required. Use X.toarray() to convert it to a dense array.",
    "pca_complex": "Complex data not supported. Take X.real, X.imag or abs(X).",
    "pca_unfitted": "This {name} instance is not fitted yet. Call fit before using this method.",
    # networks and their folders (models, pretraining, training)
    "prepared_damaged": "{path} is not a complete prepared corpus: {reason}. Make it again: klyuch bert prepare CORPUS... --tokenizer FOLDER --output FOLDER",
    "network_heads": "hidden_size={hidden_size} is not a multiple of num_attention_heads={heads}: choose sizes that divide.",
    "network_not_albert": "model_type={model_type} has neither shared layers nor a narrow token embedding matrix: that is ALBERT (klyuch albert pretrain).",
    "network_modern": "The ModernBERT in {path} can be asked here, but not trained further, put under a classifier or into a translator. Take a BERT, ALBERT, DistilBERT, RoBERTa or ELECTRA for that.",
    "network_memory": "The network in {path} needs about {needed} MB of memory, {free} MB are free. Close other programs, or take a smaller network.",
    "network_too_long": "A sequence of {tokens} tokens is longer than this network's {bound} (max_position_embeddings): shorten it.",
    "checkpoint_missing_weight": "{path} lacks the weight {name}: the file is incomplete, or of another kind of network.",
    "checkpoint_unknown_weight": "{path} holds a weight that this network does not have: {name}. Is its config.json of another model?",
    "checkpoint_two_names": "{path} stores one weight under two names: {first} and {second}. Which one counts cannot be told; save the network again, or delete one.",
    "checkpoint_claims": "{path} claims {rows:position|positions} of {columns:number|numbers}, {size} MB, for which no weights are stored; at most {bound} MB are taken. Get the model again, or correct its config.json.",
    "checkpoint_shape": "{path}: the weight {name} has shape {found}, config.json asks for {expected}.",
    "reader_types": "{path}: the tokenizer marks sentences by the number {found}, the network's table of segments has {rows:row|rows}. Put the tokenizer and the network of one model together.",
    "reader_vocabulary": "{path}: the tokenizer has {tokens:token|tokens}, the network's token embedding matrix {rows:row|rows}. Put the tokenizer and the network of one model together.",
    "checkpoint_model_type": "{path} is of model_type {found}; what opens here is: {choices}.",
    "checkpoint_setting": "{path} sets {key}={value}, which this version cannot build. Correct it if it is a mistake, or take another network.",
    "checkpoint_not_finite": "{path}: the weight {name} holds numbers that are not finite. The file is damaged, or training diverged: get it again.",
    "checkpoint_pickle": "{path} holds its weights as pytorch_model.bin, a pickle, which could run any code and is not opened. Save it "
    "as safetensors: transformers' save_pretrained does.",
    "checkpoints_damaged": "No checkpoint of {path} is intact: {reason} Start again in another --run.",
    "gpu_absent": "There is no GPU that torch can use here. Leave --device at auto or cpu, or install a CUDA build of torch.",
    "loss_not_finite": "The loss is not finite at step {step} (learning rate {rate}): lower --learning-rate, in another --run. The last finite checkpoint is kept: {kept} (klyuch bert and albert resume from it with --init-checkpoint).",
    "warm_start_size": "The vectors have {found:dimension|dimensions}, the token embedding matrix has {expected:column|columns}: train them with --vector-size {expected}.",
    "warm_start_words": "Only {found} of {size} tokens of the vocabulary are in {path}: train the vectors on the same WordPiece tokens (klyuch wordpiece vectors).",
    "initial_vocabulary": "{path} has another vocabulary than the prepared corpus: prepare the corpus with its own (klyuch bert prepare CORPUS --tokenizer {path} --output FOLDER).",
    "initial_kind": "{path} is of model_type {found}, asked for is {expected}: use klyuch {found} pretrain.",
    "initial_settings": "--init-checkpoint brings its own sizes and weights: leave out {names}.",
    "hub_missing": '{path} holds an older vocabulary without tokenizer.json, which the transformers library can read. In a clone: pip install ".[hub]"',
    "freeze_team": "--freeze-steps works in one process; this run has {processes}. Leave it out, or start without torchrun.",
    "team_lost": "Another of {processes} processes of this run has ended, and they train together. The same command resumes from the last checkpoint; torchrun does so by itself with --max-restarts 3.",
    # classifiers and translators (models, training, probing)
    "translation_needs_bert": "This translator is fused with a BERT and was given none: open it together with the BERT that its card names.",
    "translation_bert_missing": "{path} was trained with the BERT «{name}», sha256 {sha256}, which is not on the shelf. Put its folder into KLYUCH_HOME/models.",
    "translation_not_plain": "{path} is a fused translator already. Start from a plain one: klyuch translation train without --bert.",
    "translation_fusion": "--bert needs --warm-start: a fused translator starts from a plain one. Name it, or leave --bert out.",
    "translation_long": "Line {line} has a sentence of {tokens} tokens, this translator takes {bound}: shorten it, or break it into sentences.",
    "translation_kind": "«{name}» is of kind {kind}, not a translator. On the shelf are: {choices}. Choose one of them, or train one: klyuch translation train",
    "translation_empty": "There is nothing to translate: type a sentence.",
    "classify_labels": "«{labels}» are not valid labels for a classifier: at least two are needed, all different.",
    "classify_names": "The names «{names}» do not fit the labels «{labels}»: give one for each, all different, in this order.",
    "classify_kind": "«{name}» is of kind {kind}, and a classifier is needed here. See what there is: klyuch models list, or train one: klyuch classify train",
    "classify_bert_missing": "{path} needs the network «{name}» with the sha256 {sha256}, which is not on the shelf. Bring it: klyuch models import FOLDER",
    "classify_tokenizer": "{path} has no tokenizer: one of {wanted} is needed to read text. Put the tokenizer of that network there.",
    "classify_empty": "There is no word to classify. Type a sentence.",
    # questions asked of a network (probing) and the drawing of attention
    "occurrence_empty": "There is no text. Give a sentence with the word in it.",
    "occurrence_span": "Characters {start} to {end} are no part of a text of {length:character|characters}: «{text}». Give the word's first character and the one past its last, counted from 0.",
    "occurrence_no_token": "«{word}» gives no token in «{text}»: it holds only spaces or signs that are left out. Mark a word.",
    "attention_empty": 'There is nothing to look at: a sentence has no letters or symbols. Give one, as: "The cat sat on the mat."',
    "attention_one_sentence": "sentences={sentences} asks for a second sentence, and there is one only. Give the second by --second, or ask for all or 1-1.",
    "attention_output": "The suffix of {path} does not say what to write. Name a file that ends in .html (to look at), .svg (a picture) or .npz (the numbers).",
    "ablation_head": "«{value}» is not a head. Write the layer and the head from 1 with a point between, as 3.2.",
    "ablation_option": "{option} does not apply to «{model}», a model of kind {kind}. Leave it out.",
    "ablation_translator_head": "«{value}» is not a head of a translator. Write encoder, cross or decoder, a colon, then layer and head, as cross:3.2.",
    "ablation_texts": "The replacement «{kind}» needs other sentences, and {texts} are given: «mean» at least one, «patch» exactly one. Give them.",
    "ablation_tokens": "«{text}» has {tokens:token|tokens} and the sentence has {expected}: outputs are exchanged position by position. Give a second sentence of as many tokens.",
    "occurrence_none": "Context {number} has no occurrence of its word. Mark the word, or leave the context out.",
    "fill_no_mask": "There is no [MASK] in «{text}». Put [MASK] where a word is missing.",
    "fill_no_head": "«{name}» has no MLM head, which scores the vocabulary, so it cannot fill a blank. Choose a network that was saved with it, as a BertForMaskedLM or BertForPreTraining.",
    "removal_text": "The text has {masks} [MASK] and {words:other word|other words}. Give one with exactly one [MASK] and at least 2 other words.",
    "removal_word": "«{word}» is not in the network's vocabulary, so its probability cannot be followed. Choose a word of the vocabulary.",
    "fill_word_empty": "«{word}» gives no token. Ask for a word.",
    "attribution_no_words": "There is no word beside the blank, so nothing can have moved the guess. Give a sentence with words.",
    "substitutes_no_source": "All weights are 0: give at least one of masked, visible, pattern and embedding a weight.",
    "baseline_few": "At least two sentences with words are needed, and {texts:text does|texts do} not hold them.",
    "separation_labels": "{labels:label does|labels do} not fit {rows:occurrence|occurrences}: give each its sense.",
    "table_no_words": "The text of {files:file|files} holds too few words that occur twice, in sentences that the network can take. Give more text.",
    "table_layers": "layers={value} is no layer or range of layers. Write a number, as 3 or -1 (the last), or a range, as 1-3.",
    "table_other_network": "«{name}» was made from a network of hidden_size {size}, and this vector has {found:dimension|dimensions} or too few layers. Use the network that its card names.",
    "table_network": "«{name}» was made from another network than {path}: the sha256 of the weights is {found}, its card says {expected}. Choose that network, or make the table anew: klyuch contexts table",
    "table_not_contextual": "{path} is no table of contextual vectors: its card names no network and layers. Make one: klyuch contexts table",
    "inside_empty": "There is no word in the sentence. Type one, as: The dog sees the man.",
    "inside_words": "Words in the sentence: {words}; two at least are needed to exchange them. Type a longer one.",
    "inside_modern": "«{name}» is a ModernBERT: rotary position embeddings, pre-layer normalisation and gated feed-forward layers differ from the steps shown here. Choose a BERT or ALBERT; Attention, Fill and Contexts take this one.",
    "inside_swap": "Word {place} cannot change places with itself. Choose two different words.",
    # models on the shelf (shelf)
    "model_not_static": "«{name}» is of kind {kind}, which has no single vector per word. Choose a static model: klyuch models list.",
    "index_no_card": "{name} is no static model with a card on the shelf, so that no index can stand beside it. Import it first: klyuch models import",
    "index_small": "{name} has {words:word|words}; an index is built from {bound} words on. Over fewer, exact search is quick enough: ask without an index.",
    "index_ended": "Building the index of {name} ended before the index was whole; perhaps memory or the disk ran out. Make room and build it where you see it: klyuch models index {name}",
    "index_busy": "Another klyuch is building the index of {name} at this moment. Wait until it has ended.",
    "model_not_network": "«{name}» is of kind {kind}, and a BERT or ALBERT is needed here. See what there is: klyuch models list, or train one: klyuch bert pretrain",
    "model_name": "«{name}» cannot name a model: letters, digits, _ . and - can, 100 at most, a letter or digit first. Choose another name.",
    "model_taken": "There is a model called «{name}» on the shelf already. Choose another name, as {free}.",
    "model_gone": "There is no model of yours called «{name}» any more: it was deleted or renamed, perhaps in another window.",
    "model_shipped": "«{name}» ships with Klyuch and stays as it is: only your own models can be renamed and deleted.",
    "import_which": "{path} is not one model that is read here; it holds: {found}. Name the file of vectors itself, or a folder of one model.",
    "export_there": "{path} exists already. Choose another name, or delete it first.",
    "export_limit": "«{name}» is of kind {kind}, and a limit counts the words of a static model. Leave --limit out.",
    "export_format": "«{name}» is of kind {kind} and cannot be written as {format}. Choose one of: {choices}.",
    "export_unlike": "{name} was trained without {parts}, which the classes of the transformers library always have: they would draw it at random, and answer otherwise. Export it as native.",
    "model_unknown": "There is no model called «{name}» on the shelf, and no such file. On the shelf: {choices}.",
    # networks by name (sources/hub.py, shelf/hub_models.py)
    "hub_name": "«{name}» names no network of the Hugging Face Hub. Write owner and name, as hf:google-bert/bert-base-uncased, followed by a revision if you want another than the main branch, for example @v1.0.",
    "hub_unknown": "{endpoint} has no {name}, or shows it to its owners alone. Check the spelling; for a private one give your token: hf auth login, or HF_TOKEN.",
    "hub_gated": "{name} is gated: you have to request access. Ask for access at {address}, then give your token: hf auth login, or HF_TOKEN. It goes to the Hub alone and is not stored.",
    "hub_token": "{endpoint} rejects the token of your environment. Get a new one (hf auth login, or HF_TOKEN), or take it away: public networks need none.",
    "hub_revision": "{name} has no revision «{revision}». Leave it out for the main branch, or give a branch, a tag or a commit of it.",
    "hub_unreachable": "{endpoint} cannot be reached: {reason}. Check the connection, name another Hub by HF_ENDPOINT, or a folder that holds the network by KLYUCH_MIRROR.",
    "hub_status": "{endpoint} answers with the error {status}. Try again later, or name another Hub by HF_ENDPOINT.",
    "hub_answer": "{endpoint} does not answer as a Hugging Face Hub does: {reason}. Check HF_ENDPOINT and the connection.",
    "hub_offline": "{name} cannot be looked up: HF_HUB_OFFLINE asks for no connection. Take it away, or name a folder that holds the network by KLYUCH_MIRROR.",
    "hub_no_network": "{name} holds no {file}, so it is no network that opens here. Take a network of the BERT family, as those of klyuch models suggestions.",
    "hub_pickle": "{name} holds its weights as pytorch_model.bin alone, a pickle, which could run any code and is not fetched. Convert it where that may happen, then import the folder (klyuch models import {folder}): {command}",
    "hub_shards": "{name} holds its weights in several files, which are not opened here. Write them as one where there is memory for it, then import the folder (klyuch models import {folder}): {command}",
    "hub_kind": "{name} is a network of the kind {found}; what opens here is: {choices}. Take one of these, as those of klyuch models suggestions.",
    "hub_code": "{name} needs code of its own ({file} names it), and no foreign code is run here. Take a network that transformers opens without trust_remote_code.",
    "hub_memory": "{name} would take about {needed} MB of memory to open, {free} MB are free. Close other programs, or take a smaller network, as a DistilBERT.",
    "hub_large": "{file} of {name} has {size} bytes, which is more than the {bound} that are fetched. Take a smaller network.",
    # training in a process of its own (jobs)
    "posix_alone": "Training in a process of its own needs Linux or macOS: this system has no {library}. Train in this window instead, as: "
    "klyuch word2vec train novels.txt --output novels; on Windows, WSL has all of it.",
    "job_unknown": "There is no job «{job}»: it was removed, perhaps in another window, or never was. All jobs: klyuch jobs list",
    "job_alive": "The job «{job}» waits or runs. Cancel it first: klyuch jobs cancel {job}",
    "job_ended": "The job «{job}» has ended already: there is nothing to cancel.",
    "job_done": "The job «{job}» is done: there is nothing to resume.",
    "job_name": "The job «{job}» will create a model called «{name}». Choose another name, or remove that job.",
    "jobs_many": "{bound:job waits or runs|jobs wait or run}, which is the most at a time. Wait until one has ended, or cancel one: klyuch jobs cancel JOB",
    "job_command": "«{command}» cannot be run as a job. Give a klyuch command, as: klyuch jobs start -- word2vec train novels.txt --output novels",
    "job_killed": "The process was killed (signal {signal}); signal 9 often means that the memory ran out. What was saved is kept: resume continues from there. "
    "If it is killed again, take fewer dimensions or a smaller text.",
    "job_source_changed": "{path} was replaced or changed while this job waited, so the result would not be the one you asked for. Start it anew, on the text as it is now.",
    "job_cut": "The process ended without a message: it was killed, or the machine went down. What was saved is kept: resume continues from there.",
    "job_crashed": "The command ended with an error (exit code {number}). The last lines of its log say why; resume tries again from the last checkpoint.",
    "job_nothing": "This job has no {what} yet.",
    "film_frames": "This training has saved fewer than two frames: there is no film of it.",
    "film_words": "The animation needs at least three words whose vectors the training has saved; {words:of these has|of these have} them. Choose commoner ones.",
    # many machines (cluster)
    "cluster_absent": "No cluster answers at {address}. Start one on this machine: klyuch cluster local, and give the address that it prints.",
    "cluster_workers": "The scheduler at {address} has no worker. Start at least one: dask worker {address}",
    "cluster_versions": "The worker {worker} has {name} {theirs}, this machine has {ours}: results could differ. Install the same versions everywhere.",
    "cluster_memory": "A thread of the workers may take {limit} MB, and this work needs {needed} MB. Give workers more memory or fewer threads, or take smaller shards: --shard-mb",
    "cluster_memory_rows": "A thread of the workers may take {limit} MB, and these co-occurrences need {needed} MB. Give workers more memory or fewer threads, or lower --memory-mb",
    "cluster_memory_model": "A thread of the workers may take {limit} MB, and these vectors need {needed} MB. Give workers more memory or fewer threads, take fewer dimensions (--vector-size) or more --parts, or encode the text with fewer words (--max-words)",
    "cluster_killed": "{job} ended every worker that took it, which mostly means that memory ran out. Give workers more memory, or less at a time: a smaller --shard-mb or --memory-mb, more --parts",
    "cluster_paused": "All workers of the cluster at {address} are paused, because their memory ({limit} MB) is nearly full, and none runs anything. What was done is kept: give workers more memory (--memory-mb of klyuch cluster local), and run the same command again.",
    "cluster_lost": "The cluster at {address} is gone: no worker is left, or the scheduler ended. What was done is kept: start it, and run the same command again.",
    "cluster_port": "No cluster can be started at port {port}: {reason}. Choose another port, or 0 for a free one: klyuch cluster local --port 0",
    "cluster_file_missing": "{path} does not exist for the worker that was to read it. Put the files where every worker sees them under the same path, or name an s3:// or https:// address.",
    "cluster_scheme": "{path} cannot be opened: {reason}. Name a path or an http(s):// address, or an s3:// address with s3fs installed on every machine.",
    "cluster_heldout": "On a cluster no sentences are held out, and heldout={heldout} asks for some. Leave --heldout out, or train on one machine.",
    # experiments (lab)
    "experiment_missing": "{path} is not here: this experiment has not been run yet, or its result did not come with the installation. Run it: {command}",
    "experiment_damaged": "{path} is damaged at {place}: what stands there is no result of this experiment. Make it again: {command}",
}


LONGEST_FIELD = 1000


def _cut(value: object) -> object:
    """Return a value whose text is short enough for a sentence; numbers, reasons and short texts as they are."""
    if isinstance(value, int | float | Reason) or len(text := str(value)) <= LONGEST_FIELD:
        return value
    return f"{text[:LONGEST_FIELD]}…"


# Why a file cannot be read: what the field ``reason`` of a sentence above may hold (`Reason`).
REASONS = {
    "not_utf8": "it is not UTF-8 (byte {byte})",
    "half_character": "{sign} is half a character",
    "not_object": "it is not a JSON object",
    "not_json": "it stops being JSON at line {line}, column {column}",
    "entry_missing": "it has no {name}",
    "file_gone": "it is missing",
    "file_changed": "it changed after it was written",
    "file_elsewhere": "it names {name}, no file of its folder",
    "step_none": "it names no step",
    "cut_short": "it ends after {size} bytes",
    "head_size": "it claims a header of {size} bytes",
    "head_damaged": "its header describes no weights",
    "head_other": "its header describes {told} bytes, and it has {size}",
    "number_type": "{name} is of type {type}",
    "array_shape": "it is an array of {type} and shape {shape}, not a table",
    "vectors_none": "it holds no table of vectors",
    "vectors_differ": "its vectors differ in length",
    "ngrams_none": "it holds no table of n-grams",
    "ngrams_other": "its n-grams fit neither each other nor the vectors",
    "lookup_other": "it does not fit the words and rows",
    "index_other": "it is no index of this table",
    "bounds_none": "it holds no bounds",
    "embeddings_none": "it lists no embeddings",
    "tensor_shape": "its tensorShape is {shape}",
    "tensor_shape_none": "no JSON gives its tensorShape",
    "metadata_damaged": "its metadata are damaged",
}


@dataclass(frozen=True)
class Reason:
    """Why a file cannot be read, as a field of a refusal: a ``code`` of `REASONS` and its ``fields``; ``str()`` is the English clause."""

    code: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        return self.said(REASONS[self.code])

    def said(self, clause: str) -> str:
        """Return a clause, in whatever language, with the fields; what a file claims at length is cut to `LONGEST_FIELD` characters."""
        return clause.format(**{name: _cut(value) for name, value in self.fields.items()})


def reason(code: str, **fields: object) -> Reason:
    """Return why a file cannot be read."""
    return Reason(code, fields)


def not_utf8(error: UnicodeDecodeError) -> Reason:
    """Return that a file is not UTF-8, with the first byte that is none of it."""
    return reason("not_utf8", byte=f"0x{error.object[error.start]:02X}")


@dataclass(frozen=True)
class Counted:
    """A whole number in a sentence: ``{n}`` alone, ``{n:word|words}`` with the form of the noun that agrees with it.

    Examples
    --------
    >>> "{n:word|words}".format(n=Counted("1", 0)), "{n:word|words}".format(n=Counted("0", 1))
    ('1 word', '0 words')
    """

    written: str
    form: int  # which of the forms agrees, from 0

    def __str__(self) -> str:
        return self.written

    def __format__(self, forms: str) -> str:
        return f"{self.written} {forms.split('|')[self.form]}" if forms else self.written


def agreeing(
    sentence: str, fields: Mapping[str, object], count: Callable[[str], Counted]
) -> dict[str, object]:
    """Return the fields of a sentence with each that a noun agrees with as ``count`` makes it of its text, a whole number or not.

    Examples
    --------
    >>> asked = agreeing("{n:word|words} in {file}", {"n": 1, "file": "a"}, lambda text: Counted(text, 0))
    >>> "{n:word|words} in {file}".format(**asked)
    '1 word in a'
    """
    counts = {name for _, name, forms, _ in Formatter().parse(sentence) if forms and "|" in forms}
    return {
        name: count(str(value)) if name in counts and not isinstance(value, Counted) else value
        for name, value in fields.items()
    }


class KlyuchError(Exception):
    """A refusal with a ``code`` of `SENTENCES` and its ``fields``; ``str()`` is the English sentence."""

    def __init__(self, code: str, **fields: object) -> None:
        self.code = code
        self.fields = fields
        super().__init__(str(self))

    def __str__(self) -> str:
        sentence = SENTENCES[self.code]
        return sentence.format(
            **agreeing(sentence, self.written_fields, lambda text: Counted(text, int(text != "1")))
        )

    @property
    def written_fields(self) -> dict[str, object]:
        """The fields as a sentence holds them: what a file claims at length is cut to `LONGEST_FIELD` characters."""
        return {name: _cut(value) for name, value in self.fields.items()}


class InputError(KlyuchError, ValueError):
    """An argument, setting or formula that cannot be used."""


class FormatError(KlyuchError, ValueError):
    """A file whose content is not what it should be; the sentence names file, line and value."""


class CheckpointError(KlyuchError, ValueError):
    """A model or run folder that is incomplete, damaged or of another shape."""


class MissingFileError(KlyuchError, FileNotFoundError):
    """A file or folder that is not there; the sentence says how to get it."""


class MissingLibraryError(KlyuchError, ImportError):
    """A library that an extra of the package brings is not installed (`embeddings.optional`)."""


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


def refusal(error: OSError) -> KlyuchError:
    """Return the refusal that says what the system refused: path, reason, way out."""
    codes = {
        errno.ENOSPC: "file_room",
        errno.EDQUOT: "file_room",
        errno.EFBIG: "file_room",
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

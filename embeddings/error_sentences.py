"""Refusals on files of vectors, texts and networks: their codes and English sentences, part of `embeddings.errors.SENTENCES`."""

from __future__ import annotations

FILES_AND_NETWORKS: dict[str, str] = {
    # vectors and their files (embeddings/vectors)
    "vectors_shape": "{words} words do not fit a matrix of shape {shape}: there must be one row a word. Give the words and the matrix of one model; to write them anew: klyuch words convert",
    "vectors_rows": "{path} has {words} words but {rows} rows of vectors. Get it again.",
    "vectors_folder": "{path} is not a folder of vectors: its config.json says format {found}, this version reads {expected}.",
    "vectors_word": "{path}, line {line}: the word «{word}» cannot be written: it is empty or holds a {forbidden}. {way_out}",
    "vectors_number": "{path}, line {line}: the vector of «{word}» holds {value}, which is not a finite number in the range of "
    "the format. Train with a lower learning rate, or leave the word out.",
    "vectors_empty": "{path} holds no vectors. Expected one word and its numbers a line.",
    "vectors_unpacks": "{path} unpacks to over {ratio} times its size, which vectors never do. Unpack it first, if you trust it.",
    "vectors_dimensions": "{path}, line 1: the header says {value} dimensions; 1 to {high} can be read. Is it a file of vectors?",
    "vectors_claim": "{path}, line 1: the header promises {rows} rows of {dimensions} numbers, more than the {size} bytes of the "
    "file can hold. The file is cut short or the header is wrong: get it again, or correct the header.",
    "vectors_claim_rows": "{path}, line 1: the header promises {claimed} rows, the file holds {found}. The file is cut short or the "
    "header is wrong: get it again, or write the true number there.",
    "vectors_line_long": "{path} has a line of over {size} bytes. Is it a file of vectors?",
    "vectors_ragged": "{path}, line {line}: {found} numbers where {expected} are expected. The file is cut short or damaged: "
    "get it again, or delete the line.",
    "vectors_field": "{path}, line {line}: «{value}» is not a number. Numbers stand behind the word, single spaces between them.",
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
    "vectors_claim_more": "{path}, line 1: the header promises {claimed} rows, the file holds more. The header is wrong: write the "
    "true number there.",
    "vectors_columns": "{path}, line {line}: {found} columns where the first line has {expected}. Correct the line.",
    "vectors_projector_rows": "{path} has shape {rows}, its metadata {words} words, its JSON claims {shape}: they must agree. Write "
    "them again.",
    "vectors_npy": "{path} cannot be read: {reason}. Arrays of objects are pickles and are never opened: save a table of float32 "
    "by numpy.save instead.",
    "vectors_parquet": "{path} has the columns {found}; columns word and vector (a list of numbers a row) are needed. Rename them.",
    "vectors_refused": "{path} is {what}, which is not opened here. {way_out}",
    "vectors_no_folder": "{path} is not a folder of vectors; it holds {found}. A model's folder has a config.json, a Projector's a "
    "projector_config.json or vectors.tsv.",
    "vectors_target": "{path} is there already and holds {found}, which writing would delete. Choose a folder that is new.",
    "vectors_suffix": "The suffix of {path} says no format. Choose one: {choices}.",
    "card_lacks_file": "{path} names no sha256 for {name}, so the model cannot be verified. Get it again, or write it again.",
    # networks (embeddings/text/wordpiece.py, transformer, models, pretraining, training)
    "wordpiece_special": "The tokenizer has no {token}: it is not a WordPiece vocabulary for BERT. Train one: klyuch wordpiece train",
    "wordpiece_no_text": "There is no text to learn a WordPiece vocabulary from: name at least one file with words in it.",
    "wordpiece_text": "The text holds bytes that are not UTF-8. Give it in UTF-8.",
    # corpora
    "corpus_folder_empty": "{path} holds no text: put files with the endings {suffixes} there, or name one.",
    "corpus_line_long": "{path}, line {line}: {size} bytes or more without a line end; at most {bound} are read. Break the text into paragraphs, one a line.",
    "corpus_truncated": "{path} ends too early: the compressed data is cut off. Get the file again.",
    "corpus_damaged": "{path} is not sound {kind} data: {reason}. Get the file again.",
    "corpus_archive": "{path} is not text: it begins as {what} does. Unpack it first, or give it its proper ending.",
    "corpus_binary": "{path}, line {line}: a NUL byte, so this is not text. Save it as plain text in UTF-8.",
    "corpus_encoding": "{path}, line {line}: byte {byte} is not UTF-8; it looks like {guess}. Convert it: iconv -f {guess} -t UTF-8 '{path}' > utf8.txt",
    "corpus_byte": "{path}, line {line}: byte {byte} is not UTF-8, and no other encoding fits. If it is text with some damaged bytes, drop them: "
    "iconv -c -f UTF-8 -t UTF-8 '{path}' > utf8.txt",
    "corpus_output_source": "{path} is the source {source}, or holds it or lies in it: writing would endanger the text. Choose another folder for --output.",
    "corpus_source_encoded": "{path} is an encoded corpus already, or a model, not a folder of text. Name the text files, or train on it: "
    "klyuch word2vec train {path}",
    "corpus_wordless": "{path}: no words were found, neither letters nor digits. Is the file empty, or the wrong one?",
    "corpus_min_count": "{path}: no word is seen min_count={min_count} times; the commonest, «{word}», is seen {count} times. Lower min_count.",
    "corpus_folder": "{path} is not a whole encoded corpus: {name} is missing, damaged or of another corpus. Run `klyuch corpus encode` again.",
    "corpus_no_text": "There is no text in these {files} files: one paragraph a line, a blank line between documents.",
    # concordances (embeddings/text/concordance.py)
    "concordance_other": "{path} is no concordance. Build one: klyuch concordance build CORPUS... --output FILE",
    "concordance_version": "{path} is a concordance of version {found}, this program reads version {expected}. Build it again: klyuch concordance build",
    "concordance_damaged": "{path} is a damaged concordance: {reason}. Build it again: klyuch concordance build",
    "concordance_target": "{path} is there already and is no concordance: writing would delete it. Choose another place for --output.",
    "concordance_unwritten": "{path} could not be written: {reason}. Nothing is left of it. Make room, or install a Python whose SQLite has FTS5.",
    "concordance_word": "«{word}» holds no letter and no digit. Give one word.",
    "contexts_map_few": "{found} contexts are too few for a map: at least {least} are needed. Add sentences.",
    # corpora by name (embeddings/text/catalogue.py, fetching.py, downloads.py, unpacking.py)
    "catalogue_close": "«{name}» is not in the catalogue. Near it: {choices}. All names: klyuch corpus list",
    "catalogue_unknown": "«{name}» is not in the catalogue. Names there: {choices}. An http or https address can be given too.",
    "catalogue_no_file": "{address} names no file. Give the address of the file itself.",
    "catalogue_name": "«{name}» cannot name a folder: letters, digits, _ . and - can, 100 at most. Choose another --name.",
    "catalogue_taken": "The name {name} belongs to {source}. Choose another by --name.",
    "fetch_mirror_only": "{file} of «{name}» has no public address: only a mirror has it. Set KLYUCH_MIRROR to a mirror's folder or address.",
    "fetch_mirror_lacks": "{mirror} does not have {file} of «{name}», and no public address has it. Set KLYUCH_MIRROR to a mirror that does.",
    "fetch_write": "{path} cannot be written: {reason}. Make room or give the right to write there, or set KLYUCH_HOME to another folder.",
    "fetch_busy": "Another klyuch is getting «{name}» at this moment. Wait until it has ended.",
    "download_scheme": "{address} cannot be opened: only http and https addresses without a password in them are. Fetch the file by "
    "another tool and give it to klyuch corpus encode.",
    "download_downgrade": "{address} leads on to {target}, from https to http, which anybody on the way can change. Give that address "
    "itself if you trust it.",
    "download_status": "{address} answers with the error {status}. Is the address right? A mirror can be named by KLYUCH_MIRROR.",
    "download_unreachable": "{address} cannot be reached: {reason}. Check the connection, or name a mirror by KLYUCH_MIRROR.",
    "download_broken": "The download of {address} broke off at {done} of {total} bytes. They are kept: the same command goes on from there.",
    "download_size": "{address} has {found} bytes where {expected} are expected: it is another file, or an error page. Nothing was kept.",
    "download_large": "{address} sends more than {bound} bytes, which is all that may come. Nothing was kept.",
    "download_room": "{path} has room for {free} bytes, {needed} are needed. Make room, or set KLYUCH_HOME to another disk.",
    "download_checksum": "What {address} sent is not what it should be: its sha256 is {found}, expected is {expected}. Nothing was kept. "
    "Try again, or another mirror.",
    "download_changed": "{address} sends something else than at first: its sha256 is {found}, the first download recorded {expected}. "
    "Nothing was kept. If you want the new one, add --renew.",
    "unpack_ratio": "{path} unpacks to over {ratio} times its size, which text never does. Nothing was kept.",
    "unpack_members": "{path} holds {found} files, not one text. Unpack it yourself and give the folder to klyuch corpus encode.",
    "prepared_damaged": "{path} is not a complete prepared corpus: {reason}. Make it again: klyuch bert prepare CORPUS... --tokenizer FOLDER --output FOLDER",
    "network_heads": "hidden_size={hidden_size} is not a multiple of num_attention_heads={heads}: choose sizes that divide.",
    "network_not_albert": "model_type={model_type} has neither shared layers nor a narrow token table: that is ALBERT (klyuch albert pretrain).",
    "network_too_long": "A sequence of {tokens} tokens is longer than this network's {bound} (max_position_embeddings): shorten it.",
    "checkpoint_missing_weight": "{path} lacks the weight {name}: the file is incomplete, or of another kind of network.",
    "checkpoint_unknown_weight": "{path} holds a weight that this network does not have: {name}. Is its config.json of another model?",
    "checkpoint_shape": "{path}: the weight {name} has shape {found}, config.json asks for {expected}.",
    "reader_vocabulary": "{path}: the tokenizer has {tokens} tokens, the network's table {rows} rows. Put the tokenizer and the network of one model together.",
    "occurrence_empty": "There is no text. Give a sentence with the word in it.",
    "occurrence_span": "Characters {start} to {end} are no part of a text of {length} characters: «{text}». Give the word's first character and the one past its last, counted from 0.",
    "occurrence_no_token": "«{word}» gives no token in «{text}»: it holds only spaces or signs that are left out. Mark a word.",
    "attention_empty": 'There is nothing to look at: a sentence has no letter and no sign. Give one, as: "The cat sat on the mat."',
    "costs_positions": "sequence_length={length} is out of range: the position table has {rows} rows, and each token takes one. Raise --max-position-embeddings, or shorten the sequence.",
    "attention_one_sentence": "sentences={sentences} asks for a second sentence, and there is one only. Give the second by --second, or ask for all or 1-1.",
    "attention_output": "{path} has an ending that says nothing of what to write. Name a file that ends in .html (to look at), .svg (a picture) or .npz (the numbers).",
    "occurrence_none": "Context {number} has no occurrence of its word. Mark the word, or leave the context out.",
    "fill_no_mask": "There is no [MASK] in «{text}». Put [MASK] where a word is missing.",
    "fill_no_head": "«{name}» came without the head that scores the vocabulary, so it cannot fill a blank. Choose a network that was saved with it, as a BertForMaskedLM or BertForPreTraining.",
    "fill_word_empty": "«{word}» gives no token. Ask for a word.",
    "substitutes_no_source": "All weights are 0: give at least one of masked, visible, pattern and embedding a weight.",
    "baseline_few": "At least two sentences with words are needed, and {texts} texts do not hold them.",
    "separation_labels": "{labels} labels do not fit {rows} occurrences: give each its sense.",
    "table_no_words": "The text of {files} files holds too few words that are seen twice, in sentences that the network can take. Give more text.",
    "table_layers": "layers={value} is no layer or range of layers. Write a number, as 3 or -1 (the last), or a range, as 1-3.",
    "table_other_network": "«{name}» was made from a network of hidden_size {size}, and this vector has {found} numbers or too few layers. Use the network that its card names.",
    "table_network": "«{name}» was made from another network than {path}: the sha256 of the weights is {found}, its card says {expected}. Choose that network, or make the table anew: klyuch contexts table",
    "table_not_contextual": "{path} is no table of contextual vectors: its card names no network and layers. Make one: klyuch contexts table",
    "checkpoint_model_type": "{path} is of model_type {found}; what opens here is: {choices}.",
    "checkpoint_setting": "{path} sets {key}={value}, which this version cannot build.",
    "checkpoint_not_finite": "{path}: the weight {name} holds numbers that are not finite. The file is damaged, or training diverged: get it again.",
    "checkpoint_pickle": "{path} holds its weights as pytorch_model.bin, a pickle, which could run any code and is not opened. Save it "
    "as safetensors: transformers' save_pretrained does.",
    "run_missing": "{path} is not the folder of a training: it has no run.json.",
    "run_settings": "{path} holds a training with {key}={before}, asked for is {now}. Choose another --run, or the same settings to go on.",
    "gpu_absent": "There is no GPU that torch can use here. Leave --device at auto or cpu, or install a CUDA build of torch.",
    "loss_not_finite": "The loss is not finite at step {step} (learning rate {rate}): lower --learning-rate. The last good checkpoint is kept: {kept}.",
    "pairs_too_few": "The corpus is too short for sentence pairs: {pairs} pairs from {documents} documents. Each file needs at least two documents of two sentences.",
    "warm_start_size": "The vectors have {found} numbers, the token table has {expected} columns: train them with --vector-size {expected}.",
    "warm_start_words": "Only {found} of {size} tokens of the vocabulary are in {path}: train the vectors on the same WordPiece tokens (klyuch wordpiece vectors).",
    "initial_vocabulary": "{path} has another vocabulary than the prepared corpus: prepare the corpus with its own (klyuch bert prepare CORPUS --tokenizer {path} --output FOLDER).",
    "initial_kind": "{path} is of model_type {found}, asked for is {expected}: go on with klyuch {found} pretrain.",
    "initial_settings": "--init-checkpoint brings its own sizes and weights: leave out {names}.",
    "vocabulary_mismatch": "The corpus was prepared with {found} tokens, vocab_size is {expected}: use the vocabulary that lies beside it.",
    "hub_missing": "{path} holds an older vocabulary without tokenizer.json, which the transformers library can read. Install it: pip install 'klyuch[hub]'",
    "freeze_team": "--freeze-steps works in one process; this run has {processes}. Leave it out, or start without torchrun.",
}

"""What the commands refuse: each ends with an error message and exit code 2, prints nothing else and changes no file."""

import shlex
import shutil

import numpy as np
import pytest

from embeddings import Vectors
from embeddings.analysis.network_costs import PRESETS
from embeddings.corpora.concordance import build_concordance
from embeddings.corpora.corpus_encoding import encode
from embeddings.corpora.encoded_corpus import EncodingConfig
from embeddings.vectors.formats import write_native

CODE = "“Deutsch” is not a language code"
TRANSLATION = "translation train novel.txt novel.txt novel.txt novel.txt --run run"
TABLES = {
    "novel.txt": "Он вынул ключ.\nДверь отперли ключом.\n",
    "ru.tsv": "context_id\tword\tpositions\tcontext\n7\tключ\t13-17\tСтарик вынул ключ.\n",
    "pairs.tsv": "paradigm\tphenomenon\tgood\tbad\na\tnumber\tOpen it.\tOpens it.\n",
    "blanks.tsv": "Die Tür ist offen.\tTür\n",
    "empty.txt": "# nothing\n",
    "v.vec": "2 2\na 1 2\nb 3 4\n",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder of texts and tables, and a home with a model of five words."""
    folder = tmp_path_factory.mktemp("refused")
    (folder / "here" / "folder").mkdir(parents=True)
    (folder / "outside.txt").write_text("one two", encoding="utf-8")
    for name, text in TABLES.items():
        (folder / "here" / name).write_text(text, encoding="utf-8")
    (folder / "here" / "latin.txt").write_bytes("müde\n".encode("latin-1"))
    novel = [folder / "here" / "novel.txt"]
    build_concordance(novel, folder / "here" / "built.sqlite")
    encode(novel, folder / "here" / "ids", EncodingConfig(min_count=1))
    mine = Vectors(["man", "woman", "king", "queen", "apple"], np.eye(5, dtype=np.float32))
    write_native(mine, folder / "home" / "models" / "mine")
    return folder


@pytest.fixture
def place(inputs, own_home, tmp_path, monkeypatch):
    """A copy of that folder, where the command runs, with that home."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def contents(folder):
    """All files but the lock of the queue of jobs."""
    paths = (path for path in folder.rglob("*") if path.name not in ("jobs", ".queue"))
    return {path: path.is_dir() or path.read_bytes() for path in paths}


# Command and part of its error message; BERT and TRANSLATOR stand for the folders of small networks
REFUSED = [
    ("app --port=0", "must lie between 1 and 65535"),
    ("app --port=65536", "must lie between 1 and 65535"),
    ("attention ключ --model BERT --output a.pdf", "ends in .html"),
    (
        "attention ключ --model BERT --output a.html --head 9",
        "head=9 is not known. Choose one of: 1, 2, 3, average, rollout",
    ),
    ("attention ключ --model BERT --output a.html --layer 3", "between 1 and 2"),
    ("attention ключ --model BERT --output a.html --view waves", "lines, matrix, grid"),
    ("attention ключ --model BERT --output a.html --special away", "shown, hidden"),
    ("attention ключ --model BERT --output a.html --sentences 3", "1-1, 1-2"),
    ("attention ablate ' ' --model TRANSLATOR", "nothing to translate"),
    ("attention ablate cat --model TRANSLATOR --head 1.2", "encoder, cross or decoder"),
    ("attention ablate cat --model TRANSLATOR --head cross:9.1", "between 1 and 2"),
    ("attention ablate cat --model TRANSLATOR --layer 1", "--layer does not apply"),
    ("attention ablate cat --model TRANSLATOR --replace mean", "--replace does not apply"),
    ("attention ablate cat --model TRANSLATOR --second dog", "--second does not apply"),
    (
        "albert pretrain no --run run --preset bert-base",
        "preset=bert-base is not known. Choose one of: albert-base, albert-large",
    ),
    ("albert pretrain no --run run --share-layers some", "share_layers=some is not known"),
    ("bert prepare no --tokenizer none --output out", "tokenizer.json does not exist"),
    ("bert pretrain no --run run", "prepared.json does not exist. Make it: klyuch bert prepare"),
    ("bert pretrain no --run run --hidden-size 7", "hidden_size=7 is not a multiple"),
    ("bert pretrain no --run run --initializer-range -1", "initializer_range=-1.0 is out of range"),
    ("bert pretrain no --run run --initializer-range nan", "initializer_range=nan is out of range"),
    ("bert pretrain no --run run --layer-norm-eps -1", "layer_norm_eps=-1.0 is out of range"),
    (
        "bert pretrain no --run run --preset albert-base",
        "preset=albert-base is not known. Choose one of: bert-base",
    ),
    ("classify train --model no --train a --validation b --output m --language Deutsch", CODE),
    ("concordance build novel.txt --output ./novel.txt", "is the source"),
    ("concordance find 'a b' --corpus built.sqlite --language en", "is more than one word"),
    ("concordance find \udcdf --corpus built.sqlite --language en", "bytes that are not UTF-8"),
    (
        "concordance find ключ --corpus built.sqlite --language ru --output a.txt",
        "a.txt ends in none of .tsv, .csv, .json",
    ),
    ("contexts frequencies ru.tsv", "gives no context a sense"),
    ("contexts neighbours ключ --word дом --model BERT --table ru-glove", "“дом”"),
    ("contexts neighbours ключ --word ключ --model BERT --table ru-glove", "no table of"),
    *(
        (
            f"contexts neighbours Ключ. --word '{word}' --model BERT --table en-bert",
            f"“{word}” does not occur in “Ключ.”",
        )
        for word in ("", " ", "!")
    ),
    (
        "contexts senses ru.tsv -m en-cbow --output o.tsv --companion ru-glove",
        "“en-cbow” is a static model, and companion=ru-glove",
    ),
    ("contexts senses ru.tsv --model none --output folder", "folder is a folder"),
    ("contexts senses ru.tsv --model none --output novel.txt/below", "a file stands"),
    ("contexts senses ru.tsv --model BERT --output ru.tsv", "Choose another"),
    ("contexts table none.txt --model BERT --output t", "none.txt does not exist"),
    ("contexts table none.txt --model none --output t --language Deutsch", CODE),
    ("contexts table ru.tsv --model BERT --output t --layers 7", "layer=7 is out of range"),
    ("contexts vectors none.tsv --model BERT --output o.npz", "none.tsv does not exist"),
    ("contexts vectors ru.tsv --model . --output o.npz", "config.json does not exist"),
    ("contexts vectors ru.tsv --model BERT --language xx --output o.npz", "xx is not known"),
    ("contexts vectors ru.tsv --model BERT --layer 9 --output o.npz", "layer=9 is out of range"),
    ("contexts vectors ru.tsv --model BERT --output o.txt", "o.txt does not end in .npz"),
    ("contexts vectors ru.tsv --model BERT --output ru.tsv", "Choose another"),
    ("contexts vectors ru.tsv --model none --output folder", "folder is a folder"),
    ("contexts vectors ru.tsv --model none --output novel.txt/below", "a file stands"),
    ("corpsu", "Did you mean 'corpus'"),
    (
        "corpus count novel.txt --cluster tcp://127.0.0.1:1 --encoding koi8-r",
        "With --cluster the workers read UTF-8 only",
    ),
    ("corpus count novel.txt --frequencies novel.txt", "Choose another place"),
    ("corpus encode ../outside.txt --output .", "is the folder that you are in, or one above it"),
    (
        "corpus encode novel.txt --output /proc/nope/x",
        "/proc/nope cannot be read or written: No such file",
    ),
    (
        "corpus encode novel.txt --output empty.txt",
        "empty.txt exists already and holds empty.txt, which writing would delete",
    ),
    ("corpus encode novel.txt --output empty.txt/a", "empty.txt cannot be written: a file stands"),
    ("corpus encode novel.txt --output empty.txt/a/b", "a file stands where a folder is needed"),
    ("corpus encode novel.txt --output o --spelling fr-1990", "“fr-1990”. Choose one of: de-1996"),
    (f"corpus encode novel.txt --output {'x' * 300}", "read or written: File name too long"),
    ("costs --preset gpt", f"preset=gpt is not known. Choose one of: {', '.join(PRESETS)}"),
    ("costs --preset albert-base --sequence-length 600", "Raise --max-position-embeddings"),
    ("costs --sequence-length 0", "sequence_length=0 is out of range"),
    (
        "costs --sequence-length 513",
        "513 is out of range: the position embedding matrix has 512 rows",
    ),
    ("fill attribute 'The [MASK].' --model BERT --word 银行", "银行"),
    ("fill evaluate nowhere.tsv --model BERT", "nowhere.tsv"),
    ("fill [MASK] --model nowhere", "no model called “nowhere”"),
    ("fill [MASK] --model ru-glove", "“ru-glove” is of kind static, and a BERT or ALBERT"),
    ("fill '\udcff [MASK]' --model BERT", "bytes that are not UTF-8"),
    ("glove train none.txt --output m --language Deutsch", CODE),
    ("grammar evaluate pairs.tsv --model ru-glove", "is of kind static"),
    ("grammar score 'Die [MASK] ist offen.' --model BERT", "contains [MASK]"),
    ("grammar score 'Die [SEP] Tür.' --model BERT", "contains [SEP]"),
    ("jobs cancel ../../etc", "There is no job"),
    ("jobs remove x", "There is no job"),
    ("jobs resume ''", "There is no job"),
    ("jobs show nothing", "There is no job “nothing”"),
    ("jobs start", "'sources'. Example: klyuch jobs start novels.txt"),
    ("jobs start nowhere.txt", "'--name'. Example: klyuch jobs start novels.txt"),
    ("jobs start nowhere.txt --name m", "nowhere.txt does not exist"),
    ("jobs start novel.txt --name m --method x", "method=x is not known"),
    ("jobs start novel.txt --name m --set size=9", "has a setting"),
    ("jobs start novel.txt --name m --set window=wide", "window"),
    ("models delete gone", "no model of yours called “gone”"),
    ("models import none.txt", "none.txt does not exist"),
    ("models import none.txt --language Deutsch", CODE),
    ("models import v.vec --dtype ''", "int8, float16, float32"),
    ("models verify gone", "no model called “gone”"),
    ("senses build ids --model mine --output ../home/models/mine", "another folder"),
    ("senses show man --model mine", "klyuch senses build"),
    ("translate --model nothing", "no model called “nothing”"),
    ("translate --model TRANSLATOR nowhere.txt", "nowhere.txt does not exist"),
    ("translate --model TRANSLATOR --beam 0", "beam=0 is out of range"),
    (f"{TRANSLATION} --bert bert-en", "needs --warm-start"),
    (f"{TRANSLATION} --bert bert-en --warm-start en-de-bert-fused", "fused translator already"),
    (
        f"{TRANSLATION} --bert TRANSLATOR --warm-start en-de-transformer",
        "“small” is of kind translation, and a BERT or ALBERT",
    ),
    (f"{TRANSLATION} --warm-start en-glove", "“en-glove” is of kind static, not a translator"),
    *(
        (f"{TRANSLATION} --languages={pair}", f"“{pair}” is not a pair of languages")
        for pair in ("-de", "en", "en-", "en_de", "english-german")
    ),
    ("wic evaluate blanks.tsv --model ru-glove", "needs one column lemma"),
    ("word2vec train none.txt --output m --language Deutsch", CODE),
    (
        "word2vec train ids --output m --encoding koi8-r",
        "was encoded before, and --encoding koi8-r is for text",
    ),
    (
        "word2vec train ids --output m --spelling de-1996",
        "not encoded with the spelling rule “de-1996”",
    ),
    ("wordpiece train nowhere --output out", "nowhere does not exist"),
    ("words analogy 'king man' --model mine", "+ or - is missing before “m”. king man      ^"),
    ("words analogy --modle x 'king - man'", "No such option"),
    ("words analogy king --topn -3 --model mine", "topn=-3 is out of range"),
    ("words compare mine", "Models to compare: 1; at least two"),
    ("words compare mine mine --words absent.txt", "absent.txt does not exist"),
    ("words compare mine mine --words empty.txt", "None of these words"),
    ("words compare mine mine --words latin.txt", "not UTF-8"),
    ("words evaluate --model mine", "There is nothing to score"),
    ("words neighbours kink --model mine", "“kink” is not among the 5 words"),
    ("words neighbours \udcff --model en-cbow", "bytes that are not UTF-8"),
]


@pytest.mark.parametrize(("command", "sentence"), REFUSED)
def test_what_cannot_be_done_is_an_error_message_and_changes_no_file(
    run, place, tiny_bert, translator_folder, command, sentence
):
    before = contents(place)
    named = {"BERT": tiny_bert, "TRANSLATOR": translator_folder}
    assert sentence in run(*(named.get(word, word) for word in shlex.split(command))).refusal
    assert contents(place) == before

"""A process that reads files of anybody's with its memory and time limited by the operating system: one fork a file.

It imports the readers once. Each line on standard input names a reader of `READERS`, a path and the limits; the answer is a line that
says how the reading ended. More memory than the limit is a MemoryError, more time a signal: neither is an answer that a reader may give.
"""

import faulthandler
import json
import os
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

PAGE = resource.getpagesize()


def vectors(path):
    from embeddings.vectors.formats import read

    table = read(path)
    return f"{len(table)} words"


def model(path):
    from embeddings.shelf import import_model

    return import_model(path).kind


def text(path):
    from embeddings.shelf.locations import home
    from embeddings.sources.incoming_files import IncomingFile
    from embeddings.sources.intake import store_texts

    encoding = "utf-16" if "utf-16" in path.name else "utf-8"
    with path.open("rb") as file:
        incoming = IncomingFile(path.name, file, path.stat().st_size)
        stored = store_texts([incoming], home() / "corpora", "brought", encoding=encoding)
    return f"{stored.size} bytes"


def network(path):
    from embeddings.probing.network_with_tokenizer import open_reader

    reader = open_reader(path)
    return f"{len(reader.wordpiece.encode('ab ' * 300).ids)} tokens"


def translator(path):
    from embeddings.probing.translator import open_translator

    return open_translator(path).name


def classifier(path):
    from embeddings.probing.label_prediction import open_classifier

    return open_classifier(path / "head", path / "base").name


def wordpiece(path):
    from embeddings.text.wordpiece import WordPiece

    tokens = WordPiece.load(path).encode("ab " * 2000)
    return f"{sum(map(len, tokens.tokens))} characters"


def cooccurrence(path):
    from embeddings.vectors.cooccurrence_table import load_cooccurrence

    return f"{len(load_cooccurrence(path).words)} words"


def contexts(path):
    from embeddings.corpora.sense_contexts import read_contexts

    return f"{len(read_contexts(path))} contexts"


def prepared(path):
    from embeddings.pretraining.prepared_corpus import PreparedCorpus

    return f"{len(PreparedCorpus.open(path).ids)} ids"


def encoded(path):
    from embeddings.corpora.encoded_corpus import EncodedCorpus

    return f"{EncodedCorpus.open(path).count_of('seldom')} times"


def seen(path):
    from embeddings.shelf.entries import Entry
    from embeddings.shelf.seen_vocabulary import seen_count

    return f"{seen_count(Entry('m', 'static', '', '', path), 'key')} times"


def shelf(path):
    from embeddings import shelf as shelf_of_models
    from embeddings.jobs.job_folder import curve, jobs, log_tail, progress, trouble

    os.environ["KLYUCH_HOME"] = str(path)
    entries = shelf_of_models.list_models()
    for entry in entries:
        shelf_of_models.verify_model(entry)
    damages = shelf_of_models.damaged()
    described = (shelf_of_models.shelf_models(), shelf_of_models.model_scores())
    for job in jobs():
        described += (progress(job), curve(job), log_tail(job), trouble(job))
    return f"{len(entries)} models, {len(damages)} damaged, {str(described)[:0]}{len(jobs())} jobs"


READERS = {
    reader.__name__: reader
    for reader in (
        *(vectors, model, text, network, translator, classifier, wordpiece, cooccurrence, contexts),
        *(prepared, encoded, seen, shelf),
    )
}


def import_readers():
    """Import what the readers import, so that only what a file takes is counted."""
    import pyarrow.parquet  # noqa: F401
    import torch
    import transformers  # noqa: F401

    import embeddings.jobs.job_folder
    import embeddings.models.encoder_decoder
    import embeddings.pretraining.prepared_corpus
    import embeddings.probing.label_prediction
    import embeddings.probing.translator
    import embeddings.shelf
    import embeddings.sources.intake
    import embeddings.vectors.compiled_loops  # noqa: F401

    torch.set_num_threads(1)
    with torch.device("meta"):
        torch.nn.Linear(1, 1)


def answer(asked):
    """Read one file in this process, and say how that ended."""
    from embeddings.errors import KlyuchError

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    resource.setrlimit(resource.RLIMIT_AS, (taken + asked["memory"],) * 2)
    signal.alarm(asked["seconds"])
    os.environ["KLYUCH_HOME"] = asked["home"]
    os.environ["KLYUCH_DATA"] = asked["home"] + "/data"
    begun = time.monotonic()
    try:
        said = {"outcome": "read", "text": READERS[asked["reader"]](Path(asked["path"]))}
    except KlyuchError as error:
        said = {"outcome": "refused", "code": error.code, "text": str(error)}
    except BaseException as error:
        import traceback

        said = {"outcome": type(error).__name__, "text": traceback.format_exc()[-3000:]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return said | {"seconds": time.monotonic() - begun, "peak": peak << 10}


def main():
    """Answer until standard input ends."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    import_readers()
    for line in sys.stdin:
        asked = json.loads(line)
        out, into = os.pipe()
        child = os.fork()
        if not child:
            os.close(out)
            with os.fdopen(into, "w") as pipe:
                json.dump(answer(asked), pipe)
                pipe.flush()
                os._exit(0)
        os.close(into)
        with os.fdopen(out) as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        ended = {"outcome": f"ended by signal {os.WTERMSIG(status)}", "text": "", "seconds": 0}
        sys.stdout.write((said or json.dumps(ended)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

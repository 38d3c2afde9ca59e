"""Train: the same in Python: what a job's commands do, as code that runs when pasted."""

from __future__ import annotations

import shlex

from embeddings.results.jobs import Job

STATIC = """\
from pathlib import Path

from embeddings.static.{module} import {config}, {train}
from embeddings.text.encoded import EncodingConfig, encode
from embeddings.vectors.formats import write

corpus = encode([{sources}], Path({ids!r}), EncodingConfig(min_count={least}))
"""
WORD2VEC = """\
config = Word2VecConfig(sg={sg}, vector_size={size}, window={window}, epochs={passes})
model = train_word2vec(corpus, config)
print(model.losses)
"""
GLOVE = """\
counts = count_cooccurrences(corpus, CooccurrenceConfig(window={window}))
model = train_glove(counts, corpus.vocabulary, GloveConfig(vector_size={size}, iterations={passes}))
print(model.costs)
"""
SAVE = 'write(model.vectors, Path({name!r}), format="native")\n'


def code_of(job: Job) -> str:
    """Return Python for Word2Vec and GloVe, and the commands for what else a job can be."""
    if job.method not in ("skipgram", "cbow", "glove"):
        return commands(job)
    encode, train = job.steps[0], job.steps[-1]
    sources = encode[2 : encode.index("--output")]
    glove = job.method == "glove"
    head = STATIC.format(
        module="glove" if glove else "word2vec",
        config="GloveConfig" if glove else "Word2VecConfig",
        train="train_glove" if glove else "train_word2vec",
        sources=", ".join(f"Path({source!r})" for source in sources),
        ids=f"{job.corpus}.ids",
        least=_flag(encode, "--min-count"),
    )
    if glove:
        needed = (
            "from embeddings.static.cooccurrence import CooccurrenceConfig, count_cooccurrences\n"
        )
        head = head.replace("from embeddings.static.glove", f"{needed}from embeddings.static.glove")
    body = (GLOVE if glove else WORD2VEC).format(
        sg=job.method == "skipgram",
        size=_flag(train, "--vector-size"),
        window=_flag(train, "--window"),
        passes=_flag(train, "--iterations" if glove else "--epochs"),
    )
    return head + body + SAVE.format(name=job.name)


def commands(job: Job) -> str:
    """Return the job's commands for a shell, as Python runs them."""
    lines = [
        shlex.join(["klyuch", *(word.replace(f"{job.folder}/", "") for word in step)])
        for step in job.steps
    ]
    listed = "\n".join(f"    {line!r}," for line in lines)
    return (
        "import shlex, subprocess\n\n"
        f"for command in [\n{listed}\n]:\n"
        "    subprocess.run(shlex.split(command), check=True)\n"
    )


def _flag(words: tuple[str, ...], flag: str) -> str:
    """Return the value of a flag."""
    return words[words.index(flag) + 1]

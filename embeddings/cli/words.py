"""``klyuch words``: ask trained vectors, score them, put them on a map, convert their files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import typer
from rich.table import Table

from embeddings.cli.formula_argument import FormulaCommand
from embeddings.cli.output import emit, grid
from embeddings.cli.words_arguments import JSON, MODEL
from embeddings.cli.words_compare import compare_command
from embeddings.cli.words_evaluate import evaluate_command
from embeddings.results import Neighbour

commands = typer.Typer(no_args_is_help=True)

TOPN = typer.Option(10, help="How many words.")


@commands.command(
    "neighbours", epilog="Example: klyuch words neighbours ключ --model ru-skipgram --fold"
)
def neighbours_command(
    word: str = typer.Argument(..., help="The word, in any case."),
    model: str = MODEL,
    topn: int = TOPN,
    pattern: str = typer.Option("", help="Only words in which this regular expression occurs."),
    min_count: int = typer.Option(0, help="Only words with so many occurrences in the corpus."),
    only_letters: bool = typer.Option(False, "--only-letters", help="No digits, no hyphens."),
    fold: bool = typer.Option(False, "--fold", help="Inflected forms under their lemma."),
    as_json: bool = JSON,
) -> None:
    """Print the nearest words by cosine; filters hold before the cut."""
    from embeddings.analysis.similarity import Filters, neighbours
    from embeddings.library import load_vectors
    from embeddings.text.forms import lemma

    vectors = load_vectors(model)
    filters = Filters(pattern=pattern, min_count=min_count, only_letters=only_letters)
    if fold:
        filters["fold"] = partial(lemma, language=vectors.language)
    found = neighbours(vectors, word, topn, **filters)
    rows = _rows(found)
    if fold:
        for row, near in zip(rows, found, strict=True):
            row["forms"] = list(near.forms)
    emit(rows, as_json, lambda: _table(found, fold))


@commands.command(
    "analogy",
    cls=FormulaCommand,
    epilog='Example: klyuch words analogy "king - man + woman" --model en-skipgram',
)
def analogy_command(
    formula: str = typer.Argument(..., help="Words with + and -, weights as 0.5*good, quotes."),
    model: str = MODEL,
    method: str = typer.Option("add", help="add (3CosAdd) or mul (3CosMul)."),
    topn: int = TOPN,
    include_inputs: bool = typer.Option(
        False, "--include-inputs", help="Let the formula's own words answer."
    ),
    as_json: bool = JSON,
) -> None:
    """Print the words nearest to a formula, and below the table each step's."""
    from embeddings.analysis.analogies import solve
    from embeddings.library import load_vectors

    answer = solve(
        load_vectors(model), formula, method=method, topn=topn, include_inputs=include_inputs
    )
    emit(_rows(answer.answers), as_json, lambda: _table(answer.answers))
    if not as_json:
        for step in answer.steps:
            print(f"{step.expression}: {', '.join(near.word for near in step.neighbours)}")


@commands.command("similarity", epilog="Example: klyuch words similarity cup mug --model en-glove")
def similarity_command(
    first: str = typer.Argument(..., help="A word."),
    second: str = typer.Argument(..., help="Another."),
    model: str = MODEL,
    as_json: bool = JSON,
) -> None:
    """Print the cosine of two words."""
    from embeddings.analysis.similarity import similarity
    from embeddings.library import load_vectors

    value = similarity(load_vectors(model), first, second)
    emit({"similarity": value}, as_json, lambda: f"{value:.4f}")


@commands.command(
    "odd-one-out", epilog="Example: klyuch words odd-one-out milk bread stone --model en-glove"
)
def odd_command(
    words: list[str] = typer.Argument(..., help="Three words or more."),
    model: str = MODEL,
    as_json: bool = JSON,
) -> None:
    """Print the word that is least like the others, and each word's mean cosine to the others."""
    from embeddings.analysis.similarity import mean_similarities
    from embeddings.library import load_vectors

    found = mean_similarities(load_vectors(model), words)
    value = {"word": found[-1].word, "similarities": _rows(found)}
    emit(value, as_json, lambda: _table(found))


@commands.command(
    "axis", epilog="Example: klyuch words axis cold hot ice steam water --model en-glove"
)
def axis_command(
    low: str = typer.Argument(..., help="The word at the low end."),
    high: str = typer.Argument(..., help="The word at the high end."),
    words: list[str] | None = typer.Argument(None, help="Words to place; none: the outermost."),
    model: str = MODEL,
    topn: int = TOPN,
    as_json: bool = JSON,
) -> None:
    """Print where words stand between two others: the cosine with high - low."""
    from embeddings.analysis.similarity import axis
    from embeddings.library import load_vectors

    found = axis(load_vectors(model), low, high, words or None, topn)
    rows: list[tuple[object, ...]] = [(p.word, p.position, p.count) for p in found]
    emit(found, as_json, lambda: grid("word", "position", "count", rows=rows))


commands.command(
    "evaluate",
    epilog="Example: klyuch words evaluate --model en-skipgram --analogies questions-words.txt",
)(evaluate_command)


@commands.command("project", epilog="Example: klyuch words project king queen man woman -m en-cbow")
def project_command(
    words: list[str] = typer.Argument(..., help="Words to place."),
    model: str = MODEL,
    dimensions: int = typer.Option(2, help="2 or 3."),
    method: str = typer.Option("pca", help="pca, tsne or umap."),
    standardize: bool = typer.Option(True, help="PCA: scale each dimension to unit variance."),
    seed: int = typer.Option(1, help="Of t-SNE and UMAP."),
    as_json: bool = JSON,
) -> None:
    """Print coordinates of words on a map, and the share of variance that PCA's components hold."""
    from embeddings.analysis.projection import project
    from embeddings.library import load_vectors

    vectors = load_vectors(model)
    found = project(vectors, words, method, dimensions, standardize=standardize, seed=seed)
    places = list(zip(found.words, found.coordinates.tolist(), strict=True))
    value = {
        "points": [{"word": word, "coordinates": place} for word, place in places],
        "explained_variance_ratio": found.explained_variance_ratio,
    }
    columns = ("word", "x", "y", "z")[: dimensions + 1]
    emit(value, as_json, lambda: grid(*columns, rows=[(word, *at) for word, at in places]))


@commands.command(
    "ratios", epilog="Example: klyuch words ratios ice steam --probes solid,gas,water -m en-glove"
)
def ratios_command(
    first: str = typer.Argument(..., help="The word i."),
    second: str = typer.Argument(..., help="The word j."),
    probes: str = typer.Option(..., help="The words k, parted by commas."),
    model: str = typer.Option(
        ..., "--model", "-m", help="A GloVe model on the shelf, or a folder."
    ),
    as_json: bool = JSON,
) -> None:
    """Print P(k given i), P(k given j), their ratio in the corpus and as the vectors predict it."""
    from embeddings.analysis.cooccurrence_ratios import load_cooccurrence, ratios
    from embeddings.library import find

    chosen = [probe.strip() for probe in probes.split(",") if probe.strip()]
    found = ratios(load_cooccurrence(find(model).path), first, second, chosen)
    columns = ("probe", "p_first", "p_second", "ratio", "predicted_ratio")
    rows: list[tuple[object, ...]] = [
        (row.probe, *(f"{getattr(row, name):.3g}" for name in columns[1:])) for row in found.rows
    ]
    told = [{name: getattr(row, name) for name in columns} for row in found.rows]
    emit(told, as_json, lambda: grid(*columns, rows=rows))


commands.command(
    "compare", epilog="Example: klyuch words compare en-skipgram en-glove --words FILE --topn 10"
)(compare_command)


@commands.command("convert", epilog="Example: klyuch words convert glove.6B.100d.txt vectors.bin")
def convert_command(
    source: Path = typer.Argument(..., help="A file or folder of vectors."),
    target: Path = typer.Argument(..., help="What to write; its suffix chooses the format."),
    format: str | None = typer.Option(None, help="The format, where the suffix does not say."),
    as_json: bool = JSON,
) -> None:
    """Write vectors in another format."""
    from embeddings.vectors.formats import convert

    written = convert(source, target, format)
    value = {"target": str(target), "words": len(written), "vector_size": written.vector_size}
    emit(value, as_json, lambda: ", ".join(f"{key} {item}" for key, item in value.items()))


def _rows(found: tuple[Neighbour, ...]) -> list[dict[str, object]]:
    """Return neighbours as the command line prints them."""
    return [{"word": n.word, "similarity": n.similarity, "count": n.count} for n in found]


def _table(found: tuple[Neighbour, ...], forms: bool = False) -> Table:
    """Draw neighbours, with the forms folded into them if asked."""
    if not forms:
        return grid(
            "word", "similarity", "count", rows=[(n.word, n.similarity, n.count) for n in found]
        )
    rows: list[tuple[object, ...]] = [
        (n.word, n.similarity, n.count, ", ".join(n.forms)) for n in found
    ]
    return grid("word", "similarity", "count", "forms", rows=rows)

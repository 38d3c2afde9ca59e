"""Agreement of the senses of some contexts with a second annotation of them: ARI, V-measure, B-cubed F1, Cohen's kappa.

The two annotations meet where text and position of the word are the same. The adjusted Rand index (Hubert and Arabie 1985) and the
V-measure (Rosenberg and Hirschberg 2007) compare the groups and ignore their names. Cohen's kappa (1960) compares names: unless
these mean the same in both, senses and labels are paired one to one so that most contexts agree (Kuhn 1955), and the pairing is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from embeddings.analysis.context_answers import SenseAgreement
from embeddings.analysis.sense_induction import adjusted_rand_index, b_cubed
from embeddings.corpora.sense_contexts import Context, spans_of
from embeddings.errors import FormatError, InputError
from embeddings.optional import optional

MAX_QUOTED_CHARACTERS = 60  # characters of a context in a refusal


def annotated_labels(
    contexts: Sequence[Context], annotated: Sequence[Context], language: str, name: str
) -> tuple[str, ...]:
    """Return the label that an annotation gives each context, "" where it has none.

    Parameters
    ----------
    contexts : sequence of Context
        Each with the position of its word first.
    annotated : sequence of Context
        The annotation; its labels are the gold senses, or else the predicted ones.
    language : str
        "en", "ru" or "de".
    name : str
        Of the annotation, for the sentence of a refusal.

    Raises
    ------
    FormatError
        If the annotation has no label, two for one position, overlapping positions, or none of the contexts.
    """
    has_gold = any(context.gold for context in annotated)
    labels: dict[str, dict[tuple[int, int], tuple[str, str]]] = {}
    for context in annotated:
        if label := context.gold if has_gold else context.predicted:
            spans = labels.setdefault(_text_key(context.text), {})
            for span in spans_of(context, language):
                _add(spans, span, label, context, name)
    if not labels:
        raise FormatError("annotation_unlabelled", path=name)
    nothing = ("", "")
    matched = tuple(
        labels.get(_text_key(context.text), {}).get(context.positions[0], nothing)[0]
        for context in contexts
    )
    if not any(matched):
        raise FormatError(
            "annotation_other",
            path=name,
            found=len(annotated),
            text=annotated[0].text[:MAX_QUOTED_CHARACTERS],
        )
    return matched


def predicted_first(contexts: Sequence[Context]) -> tuple[Context, ...]:
    """Return contexts whose predicted senses, where there are any, stand for the gold ones."""
    if not any(context.predicted for context in contexts):
        return tuple(contexts)
    return tuple(replace(context, gold="") for context in contexts)


def _add(
    spans: dict[tuple[int, int], tuple[str, str]],
    span: tuple[int, int],
    label: str,
    context: Context,
    name: str,
) -> None:
    """Note a label with the id of its context; a second one, and a position that overlaps another, are rejected."""
    where = {"path": name, "id": context.context_id, "text": context.text[:MAX_QUOTED_CHARACTERS]}
    for (start, end), (other, other_id) in spans.items():
        code, pair = "annotation_overlap", (f"{start}-{end}", f"{span[0]}-{span[1]}")
        is_wrong = start < span[1] and span[0] < end
        if (start, end) == span:
            code, pair, is_wrong = "annotation_twice", (other, label), other != label
        if is_wrong:
            raise FormatError(code, **where, first=pair[0], second=pair[1], other=other_id)
    spans[span] = (label, context.context_id)


def _text_key(text: str) -> str:
    """Return a text as files of contexts keep it: tabs and line ends are spaces, at the same positions."""
    return text.translate({9: 32, 10: 32, 13: 32})


def compare_annotations(
    senses: Sequence[str], labels: Sequence[str], *, same_names: bool = False
) -> SenseAgreement:
    """Compare two annotations of the same contexts.

    Parameters
    ----------
    senses : sequence of str
        Sense of each context.
    labels : sequence of str
        Label of each in the other annotation, "" where it has none.
    same_names : bool, default False
        Whether equal names mean the same sense in both; otherwise they are paired for kappa.

    Raises
    ------
    InputError
        If fewer than two contexts are annotated in both.
    """
    with optional():
        from sklearn import metrics
    pairs = [(sense, label) for sense, label in zip(senses, labels, strict=True) if label]
    if len(pairs) < 2:
        raise InputError("annotation_few", found=len(pairs))
    first, second = [sense for sense, _ in pairs], [label for _, label in pairs]
    rows, columns = sorted(set(first)), sorted(set(second))
    counts = metrics.cluster.contingency_matrix(first, second)
    same = {name: name for name in rows if name in columns}
    matching = same if same_names else _matching(rows, columns, counts)
    named = [matching.get(sense, f"{sense}\0") for sense in first]
    # one label on both sides: no disagreement could be, and scikit-learn divides 0 by 0
    kappa = (
        1.0
        if set(named) == set(second) and len(columns) == 1
        else metrics.cohen_kappa_score(second, named)
    )
    return SenseAgreement(
        len(pairs),
        len(labels) - len(pairs),
        adjusted_rand_index(second, first),
        float(metrics.v_measure_score(second, first)),
        float(kappa),
        tuple(matching.items()),
        tuple(rows),
        tuple(columns),
        tuple(map(tuple, counts.tolist())),
        b_cubed(second, first),
        b_cubed(second, [""] * len(second)),
    )


def _matching(rows: Sequence[str], columns: Sequence[str], counts: np.ndarray) -> dict[str, str]:
    """Pair senses and labels one to one so that most contexts agree."""
    from scipy.optimize import linear_sum_assignment

    paired = zip(*linear_sum_assignment(counts, maximize=True), strict=True)
    return {rows[row]: columns[column] for row, column in paired}

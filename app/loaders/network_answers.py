"""What networks and trainings show, computed on demand and kept: attention maps, scores of a card, a training before and during it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.answers import cached
from app.loaders import shelf_models
from app.loaders.shelf_models import ask, ask_in_queue
from embeddings.configuration import ShapeError, decode
from embeddings.errors import KlyuchError
from embeddings.jobs import learned_vectors
from embeddings.jobs.job_answers import Film, Job, SpeedSample
from embeddings.results import BleuScore
from embeddings.shelf import Entry
from embeddings.training.settings import NetworkSettings
from embeddings.verbs import NetworkVerbs, TranslatorVerbs

if TYPE_CHECKING:
    from embeddings import Vectors
    from embeddings.attention_view.payload import Panel


def panel(
    entry: Entry, text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return one kind of attention of a text and a beam as it is shown, with what each head does."""
    return _panel(shelf_models.with_base(entry), text_and_beam, kind, level, special)


def bleu(entry: Entry) -> tuple[tuple[str, BleuScore], ...]:
    """Return the BLEU that a card brings, by test set and beam; what is of no known shape is left out."""
    recorded = shelf_models.card(entry).get("bleu")
    scores: list[tuple[str, BleuScore]] = []
    for test_set, values in recorded.items() if isinstance(recorded, Mapping) else ():
        with suppress(ShapeError):
            scores.append((str(test_set), decode(BleuScore, values)))
    return tuple(scores)


@cached(64)
def _panel(
    entries: tuple[Entry, ...], text_and_beam: tuple[str, int], kind: str, level: str, special: str
) -> Panel:
    """Return the panel of a translator, kept under the state of the network in it too."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import head_profiles, prepare
    from embeddings.probing.translator import attention_map

    entry = entries[0]
    attentions = ask_in_queue(TranslatorVerbs.translate, entry, *text_and_beam).attention
    of_kind = attention_map(attentions, kind, entry.name)
    shown = prepare(of_kind, level=level, special=special)
    key = str((entry.stamp, text_and_beam, kind, level, special))
    return Panel(shown, head_profiles(of_kind), f"{entry.name}: {attentions.target}", key)


@cached(64)
def attention_panel(
    entry: Entry,
    texts: tuple[str, str],
    level: str = "word",
    special: str = "shown",
    sentences: str = "all",
    measure: str = "weights",
) -> Panel:
    """Return the attention of a text, or of two that follow each other, as it is shown, with what each head does."""
    from embeddings.attention_view.payload import Panel
    from embeddings.probing.attention_maps import as_shares, head_profiles, prepare

    weights = ask(NetworkVerbs.attention, entry, *texts, measure)
    sentences = sentences if texts[1] else "all"
    shown = prepare(weights, level=level, special=special, sentences=sentences)
    key = str((entry.stamp, texts, level, special, sentences, measure))
    return Panel(shown, head_profiles(as_shares(weights)), " ".join(filter(None, texts)), key)


def _job_key(job: Job) -> tuple[str, int]:
    """Return a job's folder and when its training last wrote."""
    return str(job.folder), learned_vectors.stamp(job)


@cached(16, is_heavy=True)
def measured_speed(
    method: str, settings: NetworkSettings | None, files: tuple[Path, ...]
) -> tuple[SpeedSample, ...]:
    """Return the sample of a network with some settings, else of a method on a text; none where it cannot be trained."""
    from embeddings.jobs import speed_sample

    try:
        if settings is not None:
            return (speed_sample.network_sample(method, settings),)
        return (speed_sample.speed_sample(method, files),)
    except (KlyuchError, OSError):  # a text that cannot be trained on says so when it is started
        return ()


@cached(4, {Job: _job_key})
def learned(job: Job) -> tuple[Vectors, int] | None:
    """Return the vectors of a job's training so far, with the passes done."""
    return learned_vectors.learned(job)


@cached(8, {Job: _job_key})
def film(job: Job, words: tuple[str, ...]) -> Film:
    """Return the film of a job's training."""
    return learned_vectors.film(job, words)

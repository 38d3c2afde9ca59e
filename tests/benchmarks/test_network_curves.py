"""Curves of pretraining on Lab: verdicts by hand, and the file is what the cards that ship say."""

from benchmarks.network_curves import pretraining, shipped_cards
from embeddings.lab import read_experiment
from embeddings.lab.experiment import Measured


def card_of(*losses):
    """A card whose curve has these losses."""
    curve = [
        {"tokens": 1e6 * (n + 1), "heldout_mlm_loss": loss, "heldout_sentence_accuracy": 0.5}
        for n, loss in enumerate(losses)
    ]
    scores = {"heldout_mlm_loss": 4.0, "heldout_sentence_accuracy_en": 0.86}
    settings = {"training": {"objective": "nsp"}}
    return {"curve": curve, "scores": scores, "settings": settings, "command": "klyuch"}


def test_networks_bring_their_curves_from_their_cards():
    experiment = pretraining({"mine": card_of(7.0, 6.0, 5.0, 4.5)})
    verdicts = {claim.name: claim.verdict for claim in experiment.claims}
    assert verdicts == {"still_falling": "yes", "nsp_learned": "yes"}
    falling, learned = experiment.claims
    assert dict(falling.fields) == {"network": "mine", "fell": Measured(0.5, 2)}
    assert learned.ours == 86
    assert experiment.drawings[0].series[0].x == (1, 2, 3, 4)


def test_the_file_of_results_is_what_the_cards_say():
    assert read_experiment("pretraining") == pretraining(shipped_cards())

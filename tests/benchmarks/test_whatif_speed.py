"""The seconds of a what-if where the machine is free, from what the processor needed beside others."""

import pytest

from benchmarks.whatif_speed import free_seconds, whatif_experiment


def run(epochs, processor_seconds):
    sizes = {"corpus_words": 5_000_000, "documents": 100, "left_out": 10, "trainings": 6}
    times = {"seconds": 100.0, "processor_seconds": processor_seconds}
    return {**sizes, "workers": 2, "epochs": epochs, **times}


def test_only_what_grows_with_the_epochs_is_shared_out_among_the_threads():
    # 15 s an epoch, so 75 s in five; the other 10 s are done by one thread.
    assert free_seconds([run(5, 85.0), run(1, 25.0)]) == pytest.approx(10 + 75 / 2)


@pytest.mark.parametrize(("busy", "verdict"), [(0, "no"), (2, "yes")])
def test_the_clock_decides_on_a_free_machine_the_processor_on_a_busy_one(busy, verdict):
    measured = {"runs": [run(5, 85.0), run(1, 25.0)], "load": {"rounds_busy": busy}}
    experiment = whatif_experiment({**measured, "command": "python"})
    assert experiment.claims[0].verdict == verdict

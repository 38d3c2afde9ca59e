"""A soak that was stopped goes on as it began."""

import pytest

from benchmarks.reliability import resumed

ASKED = {"inputs": 300, "kills": 2, "commit": "c", "seed": None}


def test_a_stopped_soak_goes_on_with_the_seed_that_it_began_with(tmp_path):
    begun = resumed(tmp_path / "work", {**ASKED, "seed": 7})
    assert begun == resumed(tmp_path / "work", ASKED) == {**ASKED, "seed": 7}


@pytest.mark.parametrize("other", [{"inputs": 400}, {"kills": 3}, {"commit": "d"}, {"seed": 8}])
def test_a_soak_of_other_numbers_or_of_another_commit_is_refused(tmp_path, other):
    resumed(tmp_path / "work", {**ASKED, "seed": 7})
    with pytest.raises(SystemExit, match="another folder"):
        resumed(tmp_path / "work", {**ASKED, **other})

"""The cluster of the tests: two workers in this process."""

import pytest

from embeddings.cluster.connection import connected
from embeddings.cluster.local_cluster import local_cluster


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2, processes=False) as started, connected(started.scheduler_address) as it:
        yield it

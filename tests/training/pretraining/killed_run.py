"""``klyuch`` as torchrun starts it, with a note of every batch, and its processes ended by SIGKILL where ``KILLS`` says.

``KILLS`` names attempts, ranks and steps, as "0:1:5 1:0:9"; ``NOTES`` is the file that takes a line a batch: attempt, rank, step, digest.
"""

import hashlib
import os
import signal
from pathlib import Path

from embeddings.cli import main
from embeddings.pretraining.packing import RowStream
from embeddings.training.pretraining.pretraining_task import Pretraining

attempt, rank = os.environ.get("TORCHELASTIC_RESTART_COUNT", ""), os.environ.get("RANK", "")
kills, notes = os.environ.get("KILLS", "").split(), Path(os.environ.get("NOTES", ""))
take, loss = RowStream.take, Pretraining.loss
steps = []


def noted_take(stream, rows):
    packed = take(stream, rows)
    digest = hashlib.sha256(packed.ids.tobytes()).hexdigest()[:16]
    with notes.open("a", encoding="ascii") as file:
        file.write(f"{attempt} {rank} {steps[-1]} {digest}\n")
    return packed


def noted_loss(task, network, step):
    if f"{attempt}:{rank}:{step}" in kills:
        os.kill(os.getpid(), signal.SIGKILL)
    steps.append(step)
    return loss(task, network, step)


if __name__ == "__main__":
    RowStream.take, Pretraining.loss = noted_take, noted_loss
    main()

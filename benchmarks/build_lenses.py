"""Compute the Jacobian lenses of shipped networks, put each next to its network, and note it in the card.

    python -m benchmarks.build_lenses bert-en bert-de bert-ru

They are computed over the project's own sentences (`embeddings.shelf.companions.build_lens`), a minute each on two cores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.source_tree import ROOT, clean_commit
from embeddings.cli.output import progress_bar
from embeddings.files import CARD, read_json
from embeddings.networks.huggingface_folder import LENS, write_card
from embeddings.probing.jacobian_lens import write_lens
from embeddings.probing.network import open_reader
from embeddings.shelf.companions import build_lens


def add_lens(folder: Path, commit: str) -> dict[str, object]:
    """Put the lens of a network into its folder and return its card."""
    with progress_bar() as report:
        lens = build_lens(open_reader(folder), report)
    write_lens(lens, folder / LENS)
    about = {
        "command": f"python -m benchmarks.build_lenses {folder.name}",
        "commit": commit,
        "positions": lens.positions,
        "heldout_positions": lens.heldout_positions,
        "kl_logit": lens.kl[0].astype(float).round(3).tolist(),
        "kl_jacobian": lens.kl[1].astype(float).round(3).tolist(),
    }
    card = {key: value for key, value in read_json(folder / CARD).items() if key != "files"}
    write_card(folder, {**card, "lens": about})
    return read_json(folder / CARD)


def main() -> None:
    """Build the lenses of the networks that are named."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("networks", nargs="+")
    commit = clean_commit()
    for name in ask.parse_args().networks:
        print(name, add_lens(ROOT / "data" / "models" / name, commit)["lens"], flush=True)


if __name__ == "__main__":
    main()

"""Networks and training start on a machine that has torch, numpy, tokenizers and safetensors alone."""

import subprocess
import sys

PROGRAM = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        blocked = {"numba", "typer", "rich", "tensorboard", "transformers", "sklearn", "scipy",
                   "gensim", "pandas", "streamlit", "plotly", "simplemma", "usearch", "umap"}
        if name.split(".")[0] in blocked:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Refuse())
import embeddings.training.pretraining.pretraining_run
import embeddings.networks.huggingface_folder
import embeddings.pretraining.prepared_corpus
import embeddings.analysis.network_costs
print("fine")
"""


def test_networks_need_no_other_libraries():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "fine", done.stderr[-1500:]

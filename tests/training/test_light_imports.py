"""Networks and training start on a machine that has torch, numpy, tokenizers and safetensors alone."""

from tests.blocked import run_without

LIBRARIES = (
    "numba typer rich tensorboard transformers sklearn scipy gensim pandas streamlit plotly"
    " simplemma usearch umap"
)
PROGRAM = """
import embeddings.training.pretraining.pretraining_run
import embeddings.networks.huggingface_folder
import embeddings.pretraining.prepared_corpus
import embeddings.analysis.network_costs
print("fine")
"""


def test_networks_need_no_other_libraries():
    out, err = run_without(LIBRARIES.split(), PROGRAM)
    assert out.strip() == "fine", err[-1500:]

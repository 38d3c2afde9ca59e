"""Networks fetched by name from a Hub of this machine, which breaks off, lies, redirects and refuses."""

import json
import os
import shutil

import numpy as np
import pytest
from huggingface_hub import constants
from safetensors.numpy import load_file

from embeddings.errors import InputError, KlyuchError
from embeddings.files import sha256
from embeddings.shelf import About, hub_models, list_models, read_card, verify_model
from embeddings.shelf.hub_models import get_network, look_up_network
from embeddings.sources import hub as hub_sources
from tests.shelf.hub_networks import NAME, changed, tiny_files
from tests.shelf.hub_server import COMMIT, running

LABEL = f"hf:{NAME}"


def kept(home):
    """What lies under the user's folder but locks."""
    under = (path for path in (home / "home").rglob("*") if path.is_file())
    return sorted(path.name for path in under if not path.name.endswith(".lock"))


def get(text=LABEL, **options):
    return get_network(look_up_network(text), **options)


def fill_mirror(parent, files, monkeypatch, inside=NAME):
    """Let a mirror folder hold a network; return the network's folder."""
    folder = parent / "mirror" / inside
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    monkeypatch.setenv("KLYUCH_MIRROR", str(parent / "mirror"))
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a tiny network."""
    return tiny_files(tmp_path_factory.mktemp("hub") / "tiny")


@pytest.fixture
def hub(home, files, monkeypatch):
    """A Hub with one network, and an empty shelf."""
    with running(monkeypatch, {NAME: files}) as state:
        yield state


def test_a_network_is_fetched_by_name_with_revision_licence_and_language_in_its_card(
    hub, files, home
):
    network = look_up_network(LABEL)
    fetched = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert {file.name for file in network.repository.files} == fetched
    assert network.repository.size == sum(len(files[name]) for name in fetched)
    entry = get_network(network)
    card = read_card(entry)
    assert (entry.name, entry.kind, entry.language) == ("tiny-bert", "network", "ru+en")
    assert card["corpus"] == {"licence": "mit"}
    assert card["origin"]["source"] == LABEL
    assert card["origin"]["revision"] == COMMIT
    assert set(card["origin"]["sha256"]) == fetched
    assert card["files"]["model.safetensors"] == sha256(entry.path / "model.safetensors")
    assert all(state.state == "sound" for state in verify_model(entry))
    for unwanted in ("pytorch_model.bin", "flax_model.msgpack"):
        assert not hub.asked("GET", unwanted)
    assert len({path for server, _, path, *_ in hub.requests if server == "storage"}) == 1
    assert not [path for path in (home / "home/downloads").iterdir() if path.is_dir()]


def test_what_the_person_says_stands_before_the_model_card(hub):
    entry = get(f"{LABEL}@refs/pr/5", name="mine", about=About("de", "", "CC0"))
    card = read_card(entry)
    assert (card["name"], card["language"], card["corpus"]["licence"]) == ("mine", "de", "CC0")
    assert card["origin"]["licence"] == "mit"


def test_a_download_that_broke_off_is_resumed_by_the_next_call(hub, files, home):
    hub.faults["model.safetensors"] = ["break", "503"]
    with pytest.raises(InputError, match="resumes the download"):
        get()
    assert list_models() == ()
    (part,) = (home / "home").rglob("*.part")
    assert 0 < part.stat().st_size < len(files["model.safetensors"])
    begin = part.stat().st_size
    get()
    assert hub.asked("GET", "model.safetensors")[-1][4] == f"bytes={begin}-"
    assert (home / "home/models/tiny-bert/model.safetensors").read_bytes() == files[
        "model.safetensors"
    ]


def test_a_download_is_stopped_by_what_it_reports_to_and_resumed_by_the_next_call(hub, files, home):
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.phase == "model.safetensors" and progress.done > 2000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(report=stop)
    assert (seen[-1].total, list_models()) == (len(files["model.safetensors"]), ())
    get(report=seen.append)
    assert hub.asked("GET", "model.safetensors")[-1][4] == "bytes=1536-"
    assert seen[-1].done == seen[-1].total


@pytest.mark.parametrize(
    ("file", "told", "fault", "sentence"),
    [
        ("model.safetensors", {}, "other bytes", "is not what it should be: its sha256"),
        ("model.safetensors", {}, "too short", "file should be of size"),
        ("model.safetensors", {}, "endless", "sends more than .* bytes"),
        ("model.safetensors", {}, "503", "answers with the error 503"),
        ("model.safetensors", {}, "404", "answers with the error 404"),
        ("tokenizer.json", {}, "other bytes", "is not what it should be"),  # that of its commit
        ("tokenizer.json", {"size": 1}, "endless", "sends more than 1 bytes"),
    ],
)
def test_a_file_that_comes_wrong_is_refused_with_nothing_on_the_shelf(
    hub, home, file, told, fault, sentence
):
    hub.told[file] = told
    network = look_up_network(LABEL)
    hub.faults[file] = [fault]
    with pytest.raises(InputError, match=sentence):
        get_network(network)
    assert list_models() == ()
    assert not [name for name in kept(home) if name.startswith(file)]
    assert fault not in ("endless", "other bytes") or f".{file}.part" not in kept(home)


@pytest.mark.parametrize("target", ["http://[broken/x", f"http://{'a' * 70}.example/x"])
def test_a_redirect_to_what_is_no_address_is_a_sentence(hub, target):
    network = look_up_network(LABEL)
    hub.locations["model.safetensors"] = target
    with pytest.raises(InputError, match=r"cannot be reached|does not answer as"):
        get_network(network)


@pytest.mark.parametrize(
    ("file", "told", "sentence"),
    [
        ("config.json", {"size": None}, "no size of config.json"),
        ("model.safetensors", {"size": -1}, "no size of model.safetensors"),
        ("model.safetensors", {"size": 1 << 40}, "more than the 17179869184"),
        ("model.safetensors", {"size": "many"}, "does not answer as"),
        ("model.safetensors", {"lfs": {"size": 7}}, "does not answer as"),
        ("", {"sha": "../../x"}, "does not answer as"),
        ("", {"safetensors": {"parameters": {}, "total": "many"}}, "does not answer as"),
    ],
)
def test_a_hub_that_lies_about_sizes_and_commits_is_refused(hub, file, told, sentence):
    hub.told[file] = told
    with pytest.raises(KlyuchError, match=sentence):
        look_up_network(LABEL)


def test_what_the_hub_counts_no_weights_of_is_estimated_by_its_size(hub, files):
    hub.told[""] = {"safetensors": None, "cardData": None}
    network = look_up_network(LABEL)
    assert network.parameters == len(files["model.safetensors"]) // 4
    assert (network.licence, network.languages) == ("", ())


@pytest.mark.parametrize("shape", [["many"], 8, None, [1e400]])
def test_a_head_that_describes_no_weights_is_refused_and_nothing_is_kept(hub, home, shape):
    head = json.dumps({"w": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}).encode()
    content = len(head).to_bytes(8, "little") + head + bytes(4)
    hub.repositories[NAME]["model.safetensors"] = content
    with pytest.raises(KlyuchError, match=r"hf:someone/tiny-bert/model.safetensors cannot be read"):
        get()
    assert kept(home) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hf:someone/other", "has no hf:someone/other, or shows it to its owners alone"),
        (f"{LABEL}@nowhere", "has no revision “nowhere”"),
        ("hf:tiny-bert", "names no network of the Hugging Face Hub"),
        ("hf:../../etc/passwd", "names no network"),
        ("hf:a/b@../x", "names no network"),
        ("hf:a/b?x=1", "names no network"),
    ],
)
def test_what_is_not_there_is_a_sentence(hub, text, sentence):
    with pytest.raises(InputError, match=sentence):
        look_up_network(text)


def test_a_gated_network_opens_with_the_token_of_the_environment_which_goes_to_the_hub_alone(
    hub, home, monkeypatch, capfd, caplog
):
    hub.gated, hub.token = {NAME}, "hf_secret_of_a_person"
    with pytest.raises(InputError, match=r"is gated: .*/someone/tiny-bert, then give your token"):
        look_up_network(LABEL)
    monkeypatch.setenv("HF_TOKEN", hub.token)
    caplog.set_level("DEBUG")
    get()
    authorizations = {(server, authorization) for server, _, _, authorization, _ in hub.requests}
    assert ("hub", f"Bearer {hub.token}") in authorizations
    assert {a for server, a in authorizations if server == "storage"} == {None}
    written = b"".join(p.read_bytes() for p in (home / "home").rglob("*") if p.is_file())
    said = "".join(capfd.readouterr()) + caplog.text
    assert hub.token.encode() not in written
    assert b"secret-of-storage" not in written
    assert hub.token not in said
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(InputError, match="rejects the token of your environment") as refused:
        look_up_network(LABEL)
    assert "hf_wrong" not in str(refused.value)


def test_without_the_token_a_gated_network_stays_closed(hub, monkeypatch):
    hub.gated, hub.token = {NAME}, "hf_secret_of_a_person"
    monkeypatch.setenv("HF_TOKEN", hub.token)
    with pytest.raises(InputError, match="is gated"):
        look_up_network(LABEL, with_token=False)
    assert {request[3] for request in hub.requests} == {None}


def test_pickled_weights_are_refused_with_the_command_that_converts_them(hub):
    del hub.repositories[NAME]["model.safetensors"]
    with pytest.raises(
        InputError, match=r"klyuch models import tiny-bert\): python -c .*save_pretrained"
    ):
        look_up_network(LABEL)
    assert not hub.asked("GET", "pytorch_model.bin")


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_repository_that_lacks_a_file_is_refused(hub, file):
    for name in (file, "pytorch_model.bin"):
        del hub.repositories[NAME][name]
    with pytest.raises(InputError, match=f"holds no {file}"):
        look_up_network(LABEL)


@pytest.mark.parametrize(
    ("file", "settings", "sentence"),
    [
        ("config.json", {"model_type": "gpt2"}, "kind gpt2; what opens here is: bert, albert"),
        ("config.json", {"auto_map": {"AutoModel": "m.M"}}, "needs code of its own .config.json"),
        (
            "tokenizer_config.json",
            {"auto_map": {"AutoTokenizer": ["t.T", None]}},
            "code of its own .token",
        ),
        ("config.json", {"hidden_size": -8}, "hidden_size=-8 is out of range"),
    ],
)
def test_what_cannot_be_opened_is_refused_before_the_weights_come(
    hub, home, file, settings, sentence
):
    files = hub.repositories[NAME]
    files[file] = changed(files[file], **settings)
    with pytest.raises(KlyuchError, match=sentence):
        look_up_network(LABEL)
    assert not hub.asked("GET", "model.safetensors")
    assert kept(home) == []


def test_a_disk_without_room_is_refused_before_the_weights_come(hub, monkeypatch):
    network = look_up_network(LABEL)
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr(hub_sources.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(InputError, match="has room for 1000 bytes"):
        get_network(network)
    assert not hub.asked("GET", "model.safetensors")


@pytest.fixture
def shards(hub, tmp_path):
    """Let the Hub hold the network's weights in two files and an index; return their names."""
    from safetensors.torch import load, save

    repository = hub.repositories[NAME]
    weights = load(repository.pop("model.safetensors"))
    names = sorted(weights)
    parts = {
        "model-00001-of-00002.safetensors": names[::2],
        "model-00002-of-00002.safetensors": names[1::2],
    }
    placed = {name: part for part, inside in parts.items() for name in inside}
    repository["model.safetensors.index.json"] = json.dumps({"weight_map": placed}).encode()
    repository |= {
        part: save({name: weights[name] for name in inside}) for part, inside in parts.items()
    }
    hub.repositories[NAME] = repository
    return sorted(parts)


def test_weights_in_several_files_are_fetched_and_opened_as_those_in_one(hub, files, shards):
    network = look_up_network(LABEL)
    assert {file.name for file in network.repository.files} >= {*shards}
    fetched = get_network(network)
    hub.repositories[NAME] = files
    whole = look_up_network(LABEL)
    assert network.parameters == whole.parameters
    first, second = (
        load_file(entry.path / "model.safetensors") for entry in (fetched, get_network(whole))
    )
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not hub.asked("GET", "pytorch_model.bin")


def test_weights_in_several_files_are_taken_from_a_mirror(hub, shards, tmp_path, monkeypatch):
    folder = fill_mirror(tmp_path, hub.repositories[NAME], monkeypatch)
    assert get().name == "tiny-bert"
    (folder / shards[1]).unlink()
    with pytest.raises(InputError, match=f"holds no {shards[1]}"):
        look_up_network(LABEL)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (b"{}", "weight_map"),
        (b'{"weight_map": {"a": "../outside.safetensors"}}', "weight_map"),
        (b'{"weight_map": {"a": "model-00003.safetensors"}}', "holds no model-00003"),
        (b"no JSON", "model.safetensors.index.json"),
    ],
)
def test_an_index_that_names_no_weights_of_the_repository_is_refused(hub, shards, index, sentence):
    hub.repositories[NAME]["model.safetensors.index.json"] = index
    with pytest.raises(KlyuchError, match=sentence):
        look_up_network(LABEL)
    assert not hub.asked("GET", shards[0])


def test_a_network_larger_than_the_memory_is_refused_before_it_comes(hub, monkeypatch):
    monkeypatch.setattr(hub_models, "free_memory", lambda: 10_000)
    with pytest.raises(
        InputError, match=r"would take about .* MB of memory to open, 0 MB are free"
    ):
        look_up_network(LABEL)


def test_weights_that_do_not_fit_their_settings_leave_nothing_behind(hub, home):
    files = hub.repositories[NAME]
    files["config.json"] = changed(files["config.json"], num_hidden_layers=3)
    with pytest.raises(KlyuchError, match=r"hf:someone/tiny-bert.* lacks the weight"):
        get()
    assert kept(home) == []


@pytest.mark.parametrize(
    ("card", "licence", "languages"),
    [
        ({"license": "other", "license_name": "own", "language": "de"}, "own", ("de",)),
        ({"language": ["multilingual", "ru", 5, {"a": "b"}]}, "", ("ru",)),
        ({"license": ["mit"], "language": 3}, "", ()),
        ({"license": "mit", "model-index": [{"x": 1}], "language": "de"}, "mit", ("de",)),
        ({"license": "R&D & more"}, "R&D & more", ()),
        (["mit"], "", ()),
    ],
)
def test_licence_and_language_are_what_the_hub_tells_of_the_model_card(
    hub, card, licence, languages
):
    hub.card = card
    network = look_up_network(LABEL)
    assert (network.licence, network.languages) == (licence, languages)


@pytest.mark.parametrize(
    ("card", "licence", "languages"),
    [
        ("---\nlicense: other\nlicense_name: own\nlanguage: de\n---\n", "own", ("de",)),
        ("---\nlicense: [\n---\n", "", ()),
        ("---\nlanguage: " + "[" * 500 + "\nlicense: mit\n---\n", "", ()),
        ("---\nlicense: !!python/object/apply:os.system ['true']\n---\n", "", ()),
    ],
)
def test_licence_and_language_are_read_from_the_model_card_of_a_mirror_if_it_can_be(
    hub, home, files, monkeypatch, card, licence, languages
):
    fill_mirror(home, files | {"README.md": card.encode()}, monkeypatch)
    network = look_up_network(LABEL)
    assert network.repository.is_local
    assert (network.licence, network.languages) == (licence, languages)


def test_a_mirror_folder_laid_out_as_the_librarys_cache_is_asked_before_the_hub(
    hub, files, home, monkeypatch
):
    cache = home / "mirror/models--someone--tiny-bert"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs/main").write_text(COMMIT)
    fill_mirror(home, files, monkeypatch, f"{cache.name}/snapshots/{COMMIT}")
    card = read_card(get())
    assert (card["origin"]["revision"], card["corpus"]["licence"]) == (COMMIT, "mit")
    assert str(home) not in json.dumps(card)
    assert hub.requests == []


def test_a_plain_mirror_folder_serves_what_it_holds_and_no_other_revision(
    hub, files, home, monkeypatch
):
    folder = fill_mirror(home, files, monkeypatch)
    network = look_up_network(LABEL)
    assert network.repository.is_local
    assert get_network(network).name == "tiny-bert"
    assert hub.requests == []
    assert not look_up_network(f"{LABEL}@{COMMIT}").repository.is_local
    shutil.rmtree(folder)
    assert not look_up_network(LABEL).repository.is_local


def test_a_hub_that_is_not_there_and_one_that_may_not_be_asked_are_told_apart(hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"127.0.0.1:9 cannot be reached: .*Check the connection"):
        look_up_network(LABEL)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="HF_HUB_OFFLINE asks for no connection"):
        look_up_network(LABEL)
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    with pytest.raises(InputError, match="only http and https"):
        look_up_network(LABEL)


def test_what_came_of_a_download_given_up_a_week_ago_is_removed(hub, home):
    old = home / "home/downloads/someone--given-up/commit"
    old.mkdir(parents=True)
    (old / ".model.safetensors.part").write_bytes(b"x")
    for path in (old / ".model.safetensors.part", old, old.parent):
        os.utime(path, (1e9, 1e9))
    get()
    assert not old.parent.exists()

"""The documentation as a site: it builds in strict mode, its links hold, nothing on it loads from elsewhere, its blocks run."""

import os
import re
import shlex
import subprocess
import sys
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from app.wording import wording
from benchmarks.servers import free_port, wait_until_healthy

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


class Page(HTMLParser):
    """What a page has: anchors, links, and addresses from which it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.anchors |= {names[key] for key in ("id", "name") if names.get(key)}
        if tag == "a" and names.get("href"):
            self.links.append(names["href"])
        if tag in LOADING and names.get(LOADING[tag]) and names.get("rel") != "canonical":
            self.loads.append(names[LOADING[tag]])


def how_to_blocks(name, language):
    """The code blocks of a how-to in one language."""
    text = (DOCS / "howto" / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages of the built site by path; a warning of mkdocs, as of a dead link, fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}


@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_file_and_an_anchor_of_it(site):
    dead = []
    for path, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            anchors = site[target].anchors | {"", "__top"} if target in site else {anchor}
            if not target.exists() or anchor not in anchors:
                dead.append(f"{path.name}: {link}")
    assert dead == []
    assert {"index.html", "cli.html", "api.html", "glossary.html"} <= {path.name for path in site}


@pytest.mark.slow
def test_nothing_on_the_site_loads_from_elsewhere(site):
    loads = {address for page in site.values() for address in page.loads}
    assert [address for address in sorted(loads) if urlsplit(address).netloc] == []
    folder = next(iter(site)).parent
    for style in folder.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"url\([\"']?(https?:)?//|@import", text), style.name


@pytest.mark.slow
def test_the_api_has_the_parameters_and_sources_of_the_docstrings(site):
    path = next(path for path in site if path.name == "api.html")
    text = re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8"))
    for name in ("neighbours", "solve", "shared_contexts", "word_states", "import_model", "PCA"):
        assert name in text, name
    assert "Parameters" in text
    assert "As many come back if so many pass the filters" in text


def test_every_document_is_in_the_navigation_and_every_picture_is_shown():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    documents = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert documents == set(re.findall(r": ([\w/]+\.md)$", config, re.MULTILINE))
    texts = [path.read_text(encoding="utf-8") for path in (*DOCS.rglob("*.md"), ROOT / "README.md")]
    shown = {name for text in texts for name in re.findall(r"pictures/([\w.-]+)\)", text)}
    assert shown == {path.name for path in (DOCS / "pictures").iterdir()}


def test_the_readme_counts_the_models_that_ship():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (counted,) = re.findall(r"(\d+) models\s+\(English, Russian, German\) are included", text)
    assert int(counted) == len(list((ROOT / "data/models").glob("*/config.json")))


def test_every_page_of_the_app_has_a_section():
    text = (DOCS / "pages.md").read_text(encoding="utf-8")
    for folder in sorted(path.parent.name for path in (ROOT / "app/views").glob("*/__init__.py")):
        assert f"\n## {wording('en')(f'{folder}.nav')}\n" in text, folder


def test_every_code_block_of_the_how_tos_names_its_language():
    for path in sorted((DOCS / "howto").glob("*.md")):
        fences = re.findall(r"^ *```(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert fences, path.name
        assert set(fences[::2]) <= {"python", "sh", "nginx", "caddy", "toml", "ini"}, path.name
        assert set(fences[1::2]) == {""}, path.name


def tiny_german_bert():
    """A random BERT of transformers with a vocabulary of the letters and the how-to's words."""
    import torch
    import transformers

    letters = "abcdefghijklmnopqrstuvwxyzäöüß"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "die", "der"]
    vocabulary += [*letters, *(f"##{letter}" for letter in letters)]
    tokenizer = transformers.BertTokenizer(
        vocab={token: number for number, token in enumerate(vocabulary)}, strip_accents=False
    )
    torch.manual_seed(7)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"vocab_size": len(vocabulary), "intermediate_size": 32}
    config = transformers.BertConfig(**sizes)
    return transformers.BertForMaskedLM(config), tokenizer


def test_the_how_to_on_a_network_saves_imports_and_asks_it(tmp_path, monkeypatch, capsys):
    import transformers

    from embeddings.shelf import find
    from tests.test_guide import run_command

    network, tokenizer = tiny_german_bert()
    names = []  # stands in for the download alone; what is saved, imported and asked is real
    for loader, loaded in (("AutoModelForMaskedLM", network), ("AutoTokenizer", tokenizer)):
        monkeypatch.setattr(
            getattr(transformers, loader),
            "from_pretrained",
            lambda name, loaded=loaded: names.append(name) or loaded,
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    (block,) = how_to_blocks("network", "python")
    exec(compile(block, "network.md", "exec"), {})
    assert names == ["bert-base-german-cased"] * 2
    commands = how_to_blocks("network", "sh")[-1]
    for command in commands.strip().split("\n"):
        run_command(command, monkeypatch)
    assert find("german-bert").language == "de"
    assert (tmp_path / "heads.html").stat().st_size > 10_000
    assert "Traceback" not in capsys.readouterr().out


def test_the_how_to_on_a_class_installs_extras_that_exist_and_links_to_a_lesson():
    import tomllib

    from tests.app.visits import open_page

    (block,) = how_to_blocks("class", "sh")
    install, _ = block.strip().split("\n")
    extras = re.fullmatch(r'pip install "\.\[([\w,-]+)\]"', install)[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras) <= set(project["optional-dependencies"])
    for folder, language in (("howto", "en"), ("ru", "ru"), ("de", "de")):
        text = (DOCS / folder / "class.md").read_text(encoding="utf-8")
        link = urlsplit(re.search(r"`(http://[^`/]+:8501/[^`]+)`", text)[1])
        app = open_page(link.path.strip("/"), **dict(parse_qsl(link.query)))
        assert app.title[0].value == wording(language)("learn_lesson.near")


def test_the_server_of_the_how_to_on_a_class_answers_other_machines(tmp_path):
    (block,) = how_to_blocks("class", "sh")
    command = shlex.split(block.strip().split("\n")[1])
    settings = dict(word.split("=", 1) for word in command if word.startswith("KLYUCH_"))
    assert settings == {"KLYUCH_PUBLIC": "1"}
    port = free_port()
    arguments = [word.replace("8501", str(port)) for word in command[len(settings) :]]
    assert arguments[0] == "streamlit"
    server = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env={**os.environ, **settings, "KLYUCH_HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_healthy(port)
        other_machine = {"X-Forwarded-For": "203.0.113.9"}
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=other_machine)
        with urllib.request.urlopen(asked, timeout=5) as answer:
            assert b"<div id=" in answer.read()
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    finally:
        server.terminate()
        server.wait(20)

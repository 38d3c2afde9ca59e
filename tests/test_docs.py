"""The documentation as a site: it builds in strict mode, its links hold, nothing on it loads from elsewhere, its blocks run."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from app.wording import wording

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


def test_every_page_of_the_app_has_a_section_with_a_picture():
    text = (DOCS / "pages.md").read_text(encoding="utf-8")
    for folder in sorted(path.parent.name for path in (ROOT / "app/views").glob("*/__init__.py")):
        assert f"\n## {wording('en')(f'{folder}.nav')}\n" in text, folder
        assert f"pictures/{folder}-" in text, folder


def test_the_figure_of_the_how_to_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "howto" / "figure.md").read_text(encoding="utf-8")
    space: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, "figure.md", "exec"), space)
    assert (tmp_path / "figure.html").stat().st_size > 10_000


def test_the_commands_of_the_how_to_on_a_corpus_run(tmp_path, monkeypatch):
    from tests.test_guide import run_command, write_novels

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLYUCH_HOME", str(tmp_path / "home"))
    write_novels(tmp_path / "novels")
    text = (DOCS / "howto" / "corpus.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for command in "".join(blocks).strip().split("\n"):
        run_command(command, monkeypatch)

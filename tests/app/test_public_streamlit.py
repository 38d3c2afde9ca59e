"""The pages lean on what Streamlit documents: other modules and patches of the browser are kept to one module, or absent."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"
PRIVATE = APP / "streamlit_private.py"
PUBLIC = {"streamlit", "streamlit.typing"}
PATCHES = re.compile(
    r"\bprototype(\.\w+|\[[^\]]+\])?\s*=(?!=)|defineProperty\((\w+\.)*prototype|const \{ prototype \}"
    r"|\bhistory\.\w+\s*=(?!=)|\bdocument\.fonts|\bfonts\[[^\]]+\]\s*="
)


def imported(path):
    """Return the modules of Streamlit that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
            if node.module == "streamlit":
                names = [f"streamlit.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and re.fullmatch(
            r"streamlit(\.\w+)+:.+", str(node.value)
        ):
            names = [node.value.partition(":")[0]]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == "streamlit")


def test_one_short_module_alone_imports_what_streamlit_does_not_document():
    below = {
        path.relative_to(APP).as_posix()
        for path in APP.rglob("*.py")
        if set(imported(path)) - PUBLIC
    }
    assert below <= {PRIVATE.name}
    assert len(PRIVATE.read_text(encoding="utf-8").splitlines()) < 80


SCRIPTS = [path for package in ("app", "embeddings") for path in (ROOT / package).rglob("*.js")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_replaces_what_the_browser_shares(script):
    assert not PATCHES.findall(script.read_text(encoding="utf-8"))


def test_no_script_but_that_of_the_module_names_an_element_of_streamlit():
    """Classes ``st-key-KEY`` are public."""
    names = re.compile(r"testid|\bst[A-Z]\w+|st-emotion|InputInstructions")
    files = [path for kind in ("js", "css", "py", "html") for path in APP.rglob(f"*.{kind}")]
    found = {path.name for path in files if names.search(path.read_text(encoding="utf-8"))}
    assert found == {PRIVATE.name}


@pytest.mark.parametrize(
    "line",
    [
        "HTMLDivElement.prototype.layout = 1",
        "history.pushState = (state) => push(state)",
        "const { prototype } = HTMLDivElement",
        "document.fonts[Symbol.iterator] = f",
    ],
)
def test_a_patch_is_found(line):
    assert PATCHES.search(line)

"""What a page explains names its sources and every symbol of its formulas, in three languages."""

import ast
import re
import unicodedata

import pytest

from app.views.inside.decoder_steps import DECODER
from app.views.inside.encoder_steps import ENCODER
from app.widgets.footer import formulas
from app.wording import LANGUAGES, wording
from tests.product_sources import ROOT, nodes

FORMULAS = formulas("explanations")
GREEK = {
    "mu": "μ",
    "sigma": "σ",
    "lambda": "λ",
    "alpha": "α",
    "varepsilon": "ε",
    "gamma": "γ",
    "beta": "β",
}
WORDS = r"\\(?:text|mathrm|operatorname|mathbb)\{[^{}]*\}"
INDEX = r"[_^](?:\{(?:[^{}]|\{[^{}]*\})*\}|\\\w+|\w)"
SOURCES = {  # what a reader can look up where a page says how a method works
    "analogies.explain": ["Levy", "2014"],
    "association.explain": ["Caliskan"],
    "attention.explain": ["Kobayashi", "Jain", "Wiegreffe", "Clark", "Abnar"],
    "change.explain": ["Benjamini"],
    "classify.explain": ["Devlin", "Sundararajan"],
    "compare.explain": ["Antoniak"],
    "compare.explain_after": ["Schönemann", "Hamilton"],
    "contexts.explain": ["Ethayarajh", "Fred", "Hubert", "Rousseeuw"],
    "contexts.ari_help": ["Hubert"],
    "decoder.explain": ["Vaswani", "Zhu"],
    "explore.explain": ["Mikolov", "Pennington"],
    "fill.explain": ["nostalgebraist"],
    "grammar.explain": ["Salazar", "Kauf"],
    "inside.explain": ["Vaswani", "Devlin", "Lan"],
    "inside.tokens_lead": ["Wu", "Kudo", "Sennrich"],
    "inside.waves_note": ["Vaswani"],
    "lab_senses.explain": ["Hubert"],
    "ratios.explain": ["Pennington"],
    "why_near.explain": ["Levy"],
    "why_near.explain_after": ["Levy", "Dagan"],
    "train.explain": ["Mikolov", "Pennington", "Devlin", "Lan"],
    "spread.explain": ["Antoniak"],
    "translate.bleu_note": ["Papineni"],
    "translate.explain": ["Vaswani", "Wu", "Zhu"],
}


def symbols(formula):
    """Letters of a formula, without indices and the names of functions: Latin ones and Greek ones."""
    formula = formula.replace(r"d\alpha", " ")  # what an integral runs over
    bare = re.sub(INDEX, " ", re.sub(WORDS, " ", formula))
    greek = {GREEK[name] for name in re.findall(r"\\([a-z]+)", bare) if name in GREEK}
    return greek | set(
        re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", re.sub(r"\\\w+", " ", bare))
    )


def test_the_symbols_of_a_formula_are_its_letters_without_indices():
    formula = r"\text{ARI} = \frac{h_{l,t} - \mu_l}{\max(a_i, R^\top)} \operatorname{unit}(x)"
    assert symbols(formula) == {"h", "μ", "a", "R", "x"}


@pytest.mark.bookkeeping
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", FORMULAS)
def test_every_symbol_of_a_formula_is_named_in_its_text(key, language):
    say = wording(language)
    text = say(f"{key}.explain") + say.get(f"{key}.explain_after")
    text = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text))  # a mean's bar
    asked = set().union(*(symbols(formula) for formula in FORMULAS[key]))
    missing = {s for s in asked if not re.search(rf"(?<![^\W_]){s}(?![^\W\d_])", text)}
    assert missing == set()


@pytest.mark.parametrize("half", [ENCODER, DECODER], ids=lambda half: half.name)
def test_every_formula_of_inside_is_that_of_a_step(half):
    assert set(formulas(half.name)) <= set(half.steps)


@pytest.mark.bookkeeping
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", SOURCES)
def test_an_explanation_cites_its_sources(key, language):
    text = wording(language)(key)
    assert [author for author in SOURCES[key] if author not in text] == []


def test_every_figure_of_a_page_has_a_line_beside_it_that_says_how_to_read_it():
    callers_say_it = {  # the map's lead; the notes of the steps; one line under two matrices; notes of a test
        *("_draw", "_show_matrix", "_show_targets", "draw_categories"),
    }
    silent = [
        f"{path.name}: {node.name}"
        for path, node in nodes("app/views")
        if isinstance(node, ast.FunctionDef)
        and "outputs.figure(" in ast.unparse(node)
        and not re.search(r"st\.(caption|markdown)\(", ast.unparse(node))
    ]
    assert {name.partition(": ")[2] for name in silent} <= callers_say_it, silent


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lead_of_a_page_says_what_it_is_for_what_to_do_and_how_to_read_it(language):
    say = wording(language)
    pages = {path.parent.name for path in (ROOT / "app" / "views").glob("*/__init__.py")}
    for page in pages:
        sentences = re.findall(r"[^\W\d]{2}[.?](?= |$)", say(f"{page}.lead"))
        assert len(sentences) >= 3 - (page in NO_FIGURE), page


# tables and files; each experiment has a question and a line of its own
NO_FIGURE = {"shelf", "lab"}

// The document around the pages: its language, the link that skips the sidebar, a visible focus, less motion where that is wished,
// hints under fields, figures that follow the theme and whose tools wait for a tap. It finds Streamlit's elements by the public class
// of a widget's key and by what they say; what it does not find stays as Streamlit draws it. `style` has the rules for other elements.
const STYLE = `
  :is(a, button, input, textarea, select, summary, [tabindex], [role=radio], [role=option]):focus-visible {
    outline: 3px solid light-dark(#845600, #d9a441) !important; outline-offset: 2px; }
  .st-key-lang [role=radiogroup] { flex-wrap: nowrap; }
  .st-key-lang button { padding: 0 0.35rem; }
  .st-key-lang button p { font-size: 0.8rem; }
  div:has(> .st-key-learn-ways) { position: sticky; bottom: 0; z-index: 50; padding: 0.5rem 0;
    background: light-dark(#fffefb, #17171a); }
  @media (hover: none) { .js-plotly-plot:not([data-tapped]) .modebar { opacity: 0 !important; pointer-events: none; }
    .js-plotly-plot[data-tapped] .modebar { opacity: 1 !important; } }
  @media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation-duration: 0.01ms !important;
    animation-iteration-count: 1 !important; transition-duration: 0.01ms !important; scroll-behavior: auto !important; } }
  .st-key-browser-document, .st-key-lesson-marks, .st-key-typeahead { display: none; }`; // they show nothing, so they take no room

function addStyle(undocumented) {
  if (document.getElementById("klyuch-style")) return;
  const style = document.createElement("style");
  style.id = "klyuch-style";
  style.textContent = STYLE + undocumented;
  document.head.appendChild(style);
  document.addEventListener("touchstart", showTools, { capture: true, passive: true });
}

// On a touch screen, the tools of the figure that was tapped last.
function showTools({ target }) {
  document.querySelectorAll("[data-tapped]").forEach((each) => each.removeAttribute("data-tapped"));
  target.closest?.(".js-plotly-plot")?.setAttribute("data-tapped", "");
}

// Streamlit's own link past the sidebar, which speaks English alone.
function translateSkipLink(english, label) {
  if (!window.klyuchSkip?.isConnected) window.klyuchSkip = [...document.links].find((link) => link.textContent === english);
  if (window.klyuchSkip?.firstChild) window.klyuchSkip.firstChild.nodeValue = label;
  else console.warn("Klyuch: Streamlit has no link that skips the sidebar");
}

// Streamlit says in English which key applies what was typed; it stands there once the field is drawn anew.
function translateHints(hints) {
  const isFirst = !window.klyuchHints;
  window.klyuchHints = hints;
  if (!isFirst) return;
  const translate = ({ target }) => requestAnimationFrame(() => {
    if (!(target instanceof Element && target.matches("input, textarea"))) return;
    for (const part of target.closest("[class*=st-key-]")?.querySelectorAll("span") ?? []) {
      const hint = window.klyuchHints[part.textContent];
      if (hint) part.firstChild.nodeValue = hint;
    }
  });
  for (const kind of ["input", "focusin"]) document.addEventListener(kind, translate);
}

// The server draws the texts of figures in the theme's ink, and is told the theme with each run alone: another theme asks for a run,
// as a click would. Streamlit draws components again in another theme. Paper has its own theme for as long as it is printed.
function askOnAnotherTheme(host, ask) {
  const { colorScheme } = getComputedStyle(host);
  if (!colorScheme || matchMedia("print").matches) return;
  const isOther = (window.klyuchTheme ?? colorScheme) !== colorScheme;
  window.klyuchTheme = colorScheme;
  if (isOther) ask(colorScheme);
}

export default function (component) {
  const { parentElement, data } = component;
  document.documentElement.lang = data.language;
  addStyle(data.style);
  translateSkipLink(...data.skip);
  translateHints(data.hints);
  askOnAnotherTheme(parentElement.getRootNode().host ?? parentElement, (theme) => component.setTriggerValue("theme", theme));
}

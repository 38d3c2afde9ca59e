// The document around the pages: its language, the link that skips the sidebar, a visible focus, less motion where that is wished,
// hints under fields, figures that follow the theme and whose tools wait for a tap, and no offer to developers.
const STYLE = `
  @media (min-width: 640px) { [data-testid=stMainBlockContainer] { padding-left: 2.5rem; padding-right: 2.5rem; } }
  :is(a, button, input, textarea, select, summary, [tabindex], [role=radio], [role=option]):focus-visible {
    outline: 3px solid light-dark(#845600, #d9a441) !important; outline-offset: 2px; }
  .st-key-lang [role=radiogroup] { flex-wrap: nowrap; }
  .st-key-lang button { padding: 0 0.35rem; }
  .st-key-lang button p { font-size: 0.8rem; }
  button[kind^=primary]:enabled { color: light-dark(#ffffff, #17171a) !important; }
  [data-testid=stLayoutWrapper]:has(> .st-key-learn-ways) { position: sticky; bottom: 0; z-index: 50; padding: 0.5rem 0;
    background: light-dark(#fffefb, #17171a); }
  @media (hover: none) { .js-plotly-plot:not([data-tapped]) .modebar { opacity: 0 !important; pointer-events: none; }
    .js-plotly-plot[data-tapped] .modebar { opacity: 1 !important; } }
  @media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation-duration: 0.01ms !important;
    animation-iteration-count: 1 !important; transition-duration: 0.01ms !important; scroll-behavior: auto !important; } }
  [data-testid=stSkillsNudge] { display: none; }`; // Streamlit's offer to developers, before whoever runs the pages at home

function addStyle() {
  if (document.getElementById("klyuch-style")) return;
  const style = document.createElement("style");
  style.id = "klyuch-style";
  style.textContent = STYLE;
  document.head.appendChild(style);
  document.addEventListener("touchstart", showTools, { capture: true, passive: true });
}

// On a touch screen, the tools of the figure that was tapped last.
function showTools({ target }) {
  document.querySelectorAll("[data-tapped]").forEach((each) => each.removeAttribute("data-tapped"));
  target.closest?.(".js-plotly-plot")?.setAttribute("data-tapped", "");
}

// Streamlit's own link past the sidebar, which speaks English alone.
function translateSkipLink(label) {
  const text = document.querySelector("[data-testid=stSkipToContent]")?.firstChild;
  if (text) text.nodeValue = label;
}

// Streamlit says in English which key applies what was typed; it stands there once the field is drawn anew.
function translateHints() {
  if (window.klyuchHints) return;
  const fields = ["stTextInput", "stTextArea", "stNumberInput"].map((name) => `[data-testid=${name}]`);
  const translate = ({ target }) => requestAnimationFrame(() => {
    const field = target instanceof Element ? target.closest(fields.join()) : null;
    for (const part of field?.querySelectorAll("[data-testid=InputInstructions] > span") ?? []) {
      const hint = window.klyuchHints[part.textContent];
      if (hint) part.firstChild.nodeValue = hint;
    }
  });
  for (const kind of ["input", "focusin"]) document.addEventListener(kind, translate);
}

// The server draws the texts of figures in the theme's ink, and is told the theme with each run alone: another theme asks for a run,
// as a click would. Paper has its own theme for as long as it is printed.
function askOnAnotherTheme(ask) {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app) return;
  const isFirst = !app.klyuchAsk;
  app.klyuchAsk = ask;
  if (!isFirst) return;
  const shown = () => getComputedStyle(app).colorScheme;
  let known = shown();
  new MutationObserver(() => {
    if (shown() === known || matchMedia("print").matches) return;
    known = shown();
    app.klyuchAsk(known);
  }).observe(app, { attributeFilter: ["class"] });
}

export default function (component) {
  const { parentElement, data } = component;
  document.documentElement.lang = data.language;
  addStyle();
  translateSkipLink(data.skip);
  askOnAnotherTheme((theme) => component.setTriggerValue("theme", theme));
  translateHints();
  window.klyuchHints = data.hints;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest("[data-testid=stElementContainer]");
  if (box) box.style.display = "none"; // it shows nothing, so it takes no room
}
